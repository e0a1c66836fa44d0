//! The lengths of vectors: p-norms, with gradient 0 at the origin. Knows them as functions of smaller ops.

use super::along::{Along, KeepDims, Reduced};
use super::rows::{attrs, parsed, with_axes, without_axes};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Effects, Entry, Gradient, Kind, Lowered, Op, OpRef, Parsed, Sample, Specs,
    Tensor, apply, raise,
};
use crate::ops::axes::Axes;
use crate::ops::broadcast::broadcast_like;
use crate::ops::forward::on_variables;
use crate::ops::rows::check_type;
use crate::ops::samples::{call, varied};
use crate::ops::times;
use crate::types::{FLOATS, Spec};
use smallvec::smallvec;

impl Tensor {
    /// The Euclidean norm of all elements: the root of the sum of their squares.
    ///
    /// Its gradient at the origin, where there is none, is the subgradient 0.
    #[track_caller]
    pub fn norm(&self) -> Tensor {
        self.norm_axis(())
    }

    /// As [`Tensor::norm`], along these axes alone: they go away, or stay with size 1 as `KeepDims(axes)`.
    #[track_caller]
    pub fn norm_axis(&self, axes: impl Into<Along>) -> Tensor {
        self.norm_p(2.0, axes)
    }

    /// The p-norm along some axes (`()` for all): `sum(|x|^p)^(1/p)`, and the largest `|x|` for an infinite p.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([[3.0f32, -4.0], [6.0, 8.0]]);
    /// assert_eq!(x.norm_axis(1).to_vec::<f32>(), [5.0, 10.0]);
    /// assert_eq!(x.norm_p(1.0, 1).to_vec::<f32>(), [7.0, 14.0]);
    /// assert_eq!(x.norm_p(f64::INFINITY, ()).item::<f32>(), 8.0);
    /// ```
    ///
    /// # Panics
    /// Raises an error unless `p > 0`, and for elements that are not floats.
    #[track_caller]
    pub fn norm_p(&self, p: f64, axes: impl Into<Along>) -> Tensor {
        match axes.into().of("norm", self.rank()) {
            Ok(reduced) => apply(Norm { p, reduced }, &[self], "norm"),
            Err(error) => raise(error),
        }
    }
}

on_variables![
    norm() -> Tensor,
    norm_axis(axes: impl Into<Along>) -> Tensor,
    norm_p(p: f64, axes: impl Into<Along>) -> Tensor,
];

/// The Euclidean norm along some axes, which stay with size 1.
#[track_caller]
pub(super) fn euclidean(x: &Tensor, axes: &[usize]) -> Tensor {
    x.norm_axis(KeepDims(axes))
}

pub(super) const OPS: &[Entry] = &[
    Entry { name: "EuclideanNorm", make: |attrs| make(attrs, 2.0), samples: || samples(&[2.0]) },
    Entry {
        name: "Norm",
        make: |attrs| make(attrs, attrs.float("p")?),
        samples: || samples(&[1.0, 1.5, 3.0, f64::INFINITY]),
    },
];

fn make(attrs: &Parsed, p: f64) -> Result<OpRef> {
    Ok(Norm { p, reduced: parsed(attrs)? }.into())
}

fn samples(ps: &[f64]) -> Vec<Sample> {
    let calls = FLOATS.iter().flat_map(|dtype| ps.iter().map(move |p| (*dtype, *p)));
    calls
        .map(|(dtype, p)| {
            let reduced = Reduced { axes: smallvec![1], keep: p == 3.0 };
            call(Norm { p, reduced }, [varied(dtype, &[2, 5])])
        })
        .collect()
}

/// A p-norm.
#[derive(Debug)]
struct Norm {
    p: f64,
    reduced: Reduced,
}

impl Op for Norm {
    fn name(&self) -> &'static str {
        if self.p == 2.0 { "EuclideanNorm" } else { "Norm" }
    }

    fn attrs(&self) -> Attrs {
        let attrs = attrs(&self.reduced);
        if self.p == 2.0 { attrs } else { attrs.with("p", self.p) }
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        check_type("norm", inputs[0].dtype(), FLOATS)?;
        Axes::from(&self.reduced.axes[..]).among("norm", inputs[0].rank())?;
        if self.p.is_nan() || self.p <= 0.0 {
            let message = format!("`norm` needs p greater than 0, found {:?}", self.p);
            return Err(Error::new(ErrorKind::Value, message)
                .with_help("count elements that are not 0 with `count_nonzero`"));
        }
        Ok(smallvec![inputs[0].with_shape(self.reduced.shape(inputs[0].shape()))])
    }

    fn kind(&self) -> Kind {
        Kind::Composite
    }

    fn effects(&self, inputs: &[Spec]) -> Effects {
        // The largest of no elements is an error.
        let fails = self.p.is_infinite() && self.reduced.may_be_empty(inputs[0].shape());
        if fails { Effects::FAILS } else { Effects::NONE }
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let (Some(g), [x]) = (&call.grads[0], call.inputs) else { return Gradient::None };
        if self.p.is_infinite() {
            return Gradient::Expand;
        }
        let [g, norm] = [g, &call.outputs[0]].map(|it| with_axes(it, &self.reduced));
        // The factor that is 0 at the origin stands first: it wins over the division by a norm of 0.
        let to_x = match self.p {
            2.0 => times(x, g / norm),
            1.0 => times(&broadcast_like(&g, x), x.sign()),
            p => times(&x.sign(), g * (x.abs() / norm).pow(p - 1.0)),
        };
        Gradient::Inputs(vec![Some(to_x)])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            vec![without_axes(&p_norm(&inputs[0], self.p, &self.reduced.axes), &self.reduced)]
        }))
    }
}

fn p_norm(x: &Tensor, p: f64, axes: &[usize]) -> Tensor {
    match p {
        1.0 => x.abs().sum_axis(KeepDims(axes)),
        2.0 => x.square().sum_axis(KeepDims(axes)).sqrt(),
        f64::INFINITY => x.abs().max_axis(KeepDims(axes)),
        _ => x.abs().pow(p).sum_axis(KeepDims(axes)).pow(1.0 / p),
    }
}
