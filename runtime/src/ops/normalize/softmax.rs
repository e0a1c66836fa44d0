//! Shares of exponentials, and their logarithms. Knows that exponentials are taken of what is not above 0, so that
//! none overflows.

use crate::error::Result;
use crate::graph::{
    Attrs, Backward, Entry, Gradient, Lowered, Op, OpRef, Parsed, Sample, Specs, Tensor, apply,
    or_raise,
};
use crate::kernels;
use crate::ops::axes::{self, Axes};
use crate::ops::forward::on_variables;
use crate::ops::pure::pure;
use crate::ops::reduce::{KeepDims, supremum};
use crate::ops::rows::check_type;
use crate::ops::samples::{call, shaped, varied};
use crate::ops::times;
use crate::types::{DType, FLOATS, Spec};
use smallvec::smallvec;

impl Tensor {
    /// The exponentials along an axis, or several, as shares of their sum: `exp(x) / sum(exp(x))`, without overflow.
    ///
    /// An element of -inf gets 0. As in NumPy and JAX, the shares are NaN where one element is NaN or +inf, and where
    /// all are -inf.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([[1000.0f32, 1000.0], [f32::NEG_INFINITY, 3.0]]);
    /// assert_eq!(x.softmax(-1).to_vec::<f32>(), [0.5, 0.5, 0.0, 1.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error for an axis that is out of range, and for elements that are not floats.
    #[track_caller]
    pub fn softmax(&self, axes: impl Into<Axes>) -> Tensor {
        softmax(self, Form::Shares, &axes.into())
    }

    /// The logarithms of [`softmax`](Tensor::softmax), `x - logsumexp(x)`, exact also where a share is so small that it
    /// rounds to 0.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([0.0f32, 1000.0]);
    /// assert_eq!(x.log_softmax(0).to_vec::<f32>(), [-1000.0, 0.0]);
    /// ```
    ///
    /// # Panics
    /// As [`softmax`](Tensor::softmax).
    #[track_caller]
    pub fn log_softmax(&self, axes: impl Into<Axes>) -> Tensor {
        softmax(self, Form::Logarithms, &axes.into())
    }
}

on_variables![
    softmax(axes: impl Into<Axes>) -> Tensor,
    log_softmax(axes: impl Into<Axes>) -> Tensor,
];

#[track_caller]
fn softmax(x: &Tensor, form: Form, axes: &Axes) -> Tensor {
    let axes = or_raise(axes.ascending(form.method(), x.rank()));
    apply(Softmax { form, axes }, &[x], form.name())
}

pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "Softmax",
        make: |attrs| make(attrs, Form::Shares),
        samples: || samples(Form::Shares),
    },
    Entry {
        name: "LogSoftmax",
        make: |attrs| make(attrs, Form::Logarithms),
        samples: || samples(Form::Logarithms),
    },
];

fn make(attrs: &Parsed, form: Form) -> Result<OpRef> {
    Ok(Softmax { form, axes: axes::parsed(attrs, "axis")? }.into())
}

fn samples(form: Form) -> Vec<Sample> {
    let of = |axes: &[usize]| Softmax { form, axes: axes.into() };
    let masked = [0.5, f64::NEG_INFINITY, 1000.0, 999.0, -3.0, f64::INFINITY];
    let of_type = |dtype: &DType| {
        [
            call(of(&[1]), [varied(*dtype, &[2, 5])]),
            call(of(&[0, 2]), [varied(*dtype, &[2, 3, 2])]),
            call(of(&[1]), [varied(*dtype, &[2, 0])]),
            call(of(&[1]), [shaped(*dtype, &[2, 3], masked)]),
        ]
    };
    FLOATS.iter().flat_map(of_type).collect()
}

/// Whether shares are given as they are, or as logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Shares,
    Logarithms,
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Form::Shares => "Softmax",
            Form::Logarithms => "LogSoftmax",
        }
    }

    fn method(self) -> &'static str {
        match self {
            Form::Shares => "softmax",
            Form::Logarithms => "log_softmax",
        }
    }
}

/// Shares of exponentials along some axes.
#[derive(Debug)]
struct Softmax {
    form: Form,
    axes: kernels::Axes,
}

impl Op for Softmax {
    fn name(&self) -> &'static str {
        self.form.name()
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", &self.axes[..])
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        check_type(self.form.method(), inputs[0].dtype(), FLOATS)?;
        Axes::from(&self.axes[..]).among(self.form.method(), inputs[0].rank())?;
        Ok(smallvec![inputs[0]])
    }

    pure!(Composite);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let (Some(g), [y]) = (&call.grads[0], call.outputs) else { return Gradient::None };
        let total = |it: Tensor| it.sum_axis(KeepDims(&self.axes[..]));
        // The gradient stands first in each product: rows of NaN that nobody uses get 0.
        let to_x = match self.form {
            Form::Shares => times(&(g - total(times(g, y))), y),
            Form::Logarithms => g - times(&total(g.clone()), y.exp()),
        };
        Gradient::Inputs(vec![Some(to_x)])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            let below = &inputs[0] - supremum(&inputs[0], &self.axes);
            let powers = below.exp();
            let total = powers.sum_axis(KeepDims(&self.axes[..]));
            vec![match self.form {
                Form::Shares => powers / total,
                Form::Logarithms => below - total.log(),
            }]
        }))
    }
}
