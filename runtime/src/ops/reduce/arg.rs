//! Where the largest or smallest element is. Knows one axis at a time.

use super::along::{Along, Reduced};
use super::rows::{attrs, empty, parsed};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Effects, Entry, Gradient, Kind, Lowered, Op, Sample, Specs, Tensor, apply,
    raise,
};
use crate::kernels::lanes::Scalar;
use crate::kernels::{Lowering, ReduceKind};
use crate::ops::axes::Axes;
use crate::ops::constant::constant;
use crate::ops::forward::on_variables;
use crate::ops::refused::refused;
use crate::ops::rows::check_type;
use crate::ops::samples::{call, varied};
use crate::types::{DType, NUMBERS, Spec};
use smallvec::smallvec;

impl Tensor {
    /// The index of the largest element, as `i64`, counted in row-major order: the first NaN, else the first largest.
    ///
    /// # Panics
    /// Raises an error if there are no elements.
    #[track_caller]
    pub fn argmax(&self) -> Tensor {
        self.reshape(-1).argmax_axis(0)
    }

    /// The indices along an axis of the largest elements, as `i64`: of the first NaN, else of the first largest.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([[1.0f32, 5.0, 5.0], [7.0, f32::NAN, 9.0]]);
    /// assert_eq!(x.argmax_axis(1).to_vec::<i64>(), [1, 1]);
    /// ```
    ///
    /// # Panics
    /// Raises an error for more than one axis, and if it has no elements.
    #[track_caller]
    pub fn argmax_axis(&self, axis: impl Into<Along>) -> Tensor {
        search(Extreme::Largest, self, &axis.into())
    }

    /// The index of the smallest element, as `i64`, counted in row-major order: the first NaN, else the first smallest.
    ///
    /// # Panics
    /// Raises an error if there are no elements.
    #[track_caller]
    pub fn argmin(&self) -> Tensor {
        self.reshape(-1).argmin_axis(0)
    }

    /// The indices along an axis of the smallest elements, as `i64`: of the first NaN, else of the first smallest.
    ///
    /// # Panics
    /// Raises an error for more than one axis, and if it has no elements.
    #[track_caller]
    pub fn argmin_axis(&self, axis: impl Into<Along>) -> Tensor {
        search(Extreme::Smallest, self, &axis.into())
    }
}

on_variables![
    argmax() -> Tensor,
    argmax_axis(axis: impl Into<Along>) -> Tensor,
    argmin() -> Tensor,
    argmin_axis(axis: impl Into<Along>) -> Tensor,
];

#[track_caller]
fn search(extreme: Extreme, x: &Tensor, along: &Along) -> Tensor {
    match along.of(extreme.method(), x.rank()) {
        Ok(reduced) => apply(Arg { extreme, reduced }, &[x], extreme.name()),
        Err(error) => raise(error),
    }
}

pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "ArgMax",
        make: |attrs| Ok(Arg { extreme: Extreme::Largest, reduced: parsed(attrs)? }.into()),
        samples: || samples(Extreme::Largest),
    },
    Entry {
        name: "ArgMin",
        make: |attrs| Ok(Arg { extreme: Extreme::Smallest, reduced: parsed(attrs)? }.into()),
        samples: || samples(Extreme::Smallest),
    },
];

fn samples(extreme: Extreme) -> Vec<Sample> {
    let one = |dtype: &DType| {
        let reduced = Reduced { axes: smallvec![1], keep: *dtype == DType::F32 };
        call(Arg { extreme, reduced }, [varied(*dtype, &[2, 5, 2])])
    };
    NUMBERS.iter().map(one).collect()
}

#[derive(Clone, Copy, Debug)]
enum Extreme {
    Largest,
    Smallest,
}

impl Extreme {
    fn method(self) -> &'static str {
        match self {
            Extreme::Largest => "argmax",
            Extreme::Smallest => "argmin",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Extreme::Largest => "ArgMax",
            Extreme::Smallest => "ArgMin",
        }
    }
}

/// Where the extreme element is along one axis.
#[derive(Debug)]
struct Arg {
    extreme: Extreme,
    reduced: Reduced,
}

impl Op for Arg {
    fn name(&self) -> &'static str {
        self.extreme.name()
    }

    fn attrs(&self) -> Attrs {
        attrs(&self.reduced)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let (method, x) = (self.extreme.method(), inputs[0]);
        check_type(method, x.dtype(), NUMBERS)?;
        Axes::from(&self.reduced.axes[..]).among(method, x.rank())?;
        if self.reduced.axes.len() != 1 {
            let message =
                format!("`{method}_axis` needs one axis, found {:?}", &self.reduced.axes[..]);
            return Err(Error::new(ErrorKind::Index, message).with_help(format!(
                "merge axes with `reshape`, or search all elements with `{method}`"
            )));
        }
        match self.reduced.empty_axis(x.shape()) {
            Some(axis) => Err(empty(method, axis, x)),
            None => Ok(smallvec![Spec::new(DType::I64, self.reduced.shape(x.shape()))]),
        }
    }

    fn kind(&self) -> Kind {
        Kind::Reduction
    }

    fn effects(&self, inputs: &[Spec]) -> Effects {
        if self.reduced.may_be_empty(inputs[0].shape()) { Effects::FAILS } else { Effects::NONE }
    }

    fn grad(&self, _: &Backward<'_>) -> Gradient {
        Gradient::None
    }

    fn lower(&self, inputs: &[Spec], outputs: &[Spec]) -> Lowered<'_> {
        if outputs[0].is_empty() {
            return Lowered::Kernel(constant(Scalar::I64(0)));
        }
        if let Some(axis) = self.reduced.empty_axis(inputs[0].shape()) {
            return refused(empty(self.extreme.method(), axis, inputs[0]));
        }
        let kind = match self.extreme {
            Extreme::Largest => ReduceKind::ArgMax,
            Extreme::Smallest => ReduceKind::ArgMin,
        };
        Lowered::Kernel(Lowering::Reduce { kind, axes: self.reduced.axes.clone() })
    }
}
