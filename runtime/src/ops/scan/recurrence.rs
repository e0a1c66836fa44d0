//! Running sums and products, and the linear recurrence `h[i] = a[i] * h[i - 1] + b[i]` that both are. Knows one axis.
//!
//! The gradient of a linear recurrence is one, run the other way: so these ops differentiate to any order, and products
//! need no division, which zeros would spoil.

use super::kernel::Recur;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Entry, Gradient, Lowered, Op, Parsed, Specs, Tensor, apply, raise,
};
use crate::kernels::Lowering;
use crate::ops::axes;
use crate::ops::broadcast::zeros_like;
use crate::ops::forward::on_variables;
use crate::ops::movement::Slice;
use crate::ops::pure::pure;
use crate::ops::rows::{check_type, different_types};
use crate::ops::samples::{call, varied};
use crate::ops::times;
use crate::types::{DType, FLOATS, NUMBERS, Spec};
use smallvec::{SmallVec, smallvec};
use std::borrow::Borrow;
use std::sync::Arc;

/// The types that running sums are in: those that sums are in.
const SUMS: &[DType] = &[DType::F32, DType::F64, DType::I32, DType::I64];

impl Tensor {
    /// The running sums along an axis: element `i` is the sum of the elements up to and with `i`.
    ///
    /// Sums of `f32` are carried in `f64`. Integers wrap; `bool` and `u8` are summed as `i64`.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([1.0f32, 2.0, 3.0]);
    /// assert_eq!(x.cumsum(0).to_vec::<f32>(), [1.0, 3.0, 6.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error for an axis that is out of range.
    #[track_caller]
    pub fn cumsum(&self, axis: isize) -> Tensor {
        let x = if SUMS.contains(&self.dtype()) { self.clone() } else { self.cast(DType::I64) };
        match axes::one("cumsum", axis, self.rank()) {
            Ok(axis) => apply(Cumsum { axis, way: Way::Forwards }, &[&x], "Cumsum"),
            Err(error) => raise(error),
        }
    }

    /// The running products along an axis: element `i` is the product of the elements up to and with `i`.
    ///
    /// The gradient is right also where an element is 0.
    ///
    /// # Panics
    /// Raises an error for an axis that is out of range, and for truth values.
    #[track_caller]
    pub fn cumprod(&self, axis: isize) -> Tensor {
        match axes::one("cumprod", axis, self.rank()) {
            Ok(axis) => apply(Cumprod { axis }, &[self], "Cumprod"),
            Err(error) => raise(error),
        }
    }

    /// The linear recurrence `h[i] = a[i] * h[i - 1] + b[i]` along an axis, where this is `a` and `h[-1]` is 0.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let half = Tensor::from([0.5f32, 0.5, 0.5]);
    /// let decaying = half.linear_recurrence(Tensor::from([8.0f32, 0.0, 2.0]), 0);
    /// assert_eq!(decaying.to_vec::<f32>(), [8.0, 4.0, 4.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error if types or shapes differ, and for an axis that is out of range.
    #[track_caller]
    pub fn linear_recurrence(&self, b: impl Borrow<Tensor>, axis: isize) -> Tensor {
        match axes::one("linear_recurrence", axis, self.rank()) {
            Ok(axis) => recurrence(self, b.borrow(), axis, Way::Forwards),
            Err(error) => raise(error),
        }
    }
}

on_variables![cumsum(axis: isize) -> Tensor, cumprod(axis: isize) -> Tensor];

/// For each element the product of all others along an axis.
#[track_caller]
pub(in crate::ops) fn product_of_others(x: &Tensor, axis: usize) -> Tensor {
    product_before(x, axis, Way::Forwards) * product_before(x, axis, Way::Backwards)
}

/// For each element the product of those that come before it along an axis.
#[track_caller]
fn product_before(x: &Tensor, axis: usize, way: Way) -> Tensor {
    let one = shifted(&zeros_like(x), axis, way, 1.0);
    recurrence(&shifted(x, axis, way, 0.0), &one, axis, way)
}

#[track_caller]
fn recurrence(a: &Tensor, b: &Tensor, axis: usize, way: Way) -> Tensor {
    apply(LinearRecurrence { axis, way }, &[a, b], "LinearRecurrence")
}

/// Each element in the place of the next along an axis; the first place gets a constant.
#[track_caller]
fn shifted(x: &Tensor, axis: usize, way: Way, first: f64) -> Tensor {
    let mut widths: SmallVec<[(usize, usize); 4]> = smallvec![(0, 0); x.rank()];
    let (width, kept) = match way {
        Way::Forwards => ((1, 0), Slice::new(None, Some(-1), 1)),
        Way::Backwards => ((0, 1), Slice::new(Some(1), None, 1)),
    };
    widths[axis] = width;
    let first = crate::kernels::lanes::Scalar::from_f64(first, x.dtype());
    x.pad(&widths, crate::ops::Border::Constant(first)).slice_axis(axis.cast_signed(), kept)
}

/// In which order the elements of an axis come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Forwards,
    Backwards,
}

impl Way {
    fn back(self) -> Way {
        match self {
            Way::Forwards => Way::Backwards,
            Way::Backwards => Way::Forwards,
        }
    }

    fn parsed(attrs: &Parsed) -> Result<Way> {
        Ok(if attrs.bool("reverse")? { Way::Backwards } else { Way::Forwards })
    }
}

/// The attributes of an op that goes along an axis.
fn along(axis: usize, way: Way) -> Attrs {
    Attrs::none().with("axis", axis).with("reverse", way == Way::Backwards)
}

/// The ops of this family.
pub const OPS: &[Entry] = &[
    Entry {
        name: "Cumsum",
        make: |attrs| {
            Ok(Cumsum { axis: axes::number(attrs, "axis")?, way: Way::parsed(attrs)? }.into())
        },
        samples: || {
            let one = |dtype: &DType| {
                call(Cumsum { axis: 1, way: Way::Backwards }, [varied(*dtype, &[2, 4, 2])])
            };
            SUMS.iter().map(one).collect()
        },
    },
    Entry {
        name: "Cumprod",
        make: |attrs| Ok(Cumprod { axis: axes::number(attrs, "axis")? }.into()),
        samples: || {
            NUMBERS
                .iter()
                .map(|dtype| call(Cumprod { axis: 0 }, [varied(*dtype, &[4, 2])]))
                .collect()
        },
    },
    Entry {
        name: "LinearRecurrence",
        make: |attrs| {
            Ok(LinearRecurrence { axis: axes::number(attrs, "axis")?, way: Way::parsed(attrs)? }
                .into())
        },
        samples: || {
            let inputs = |dtype| [varied(dtype, &[2, 4]), varied(dtype, &[2, 4])];
            let one = |way| {
                FLOATS
                    .iter()
                    .map(move |dtype| call(LinearRecurrence { axis: 1, way }, inputs(*dtype)))
            };
            [Way::Forwards, Way::Backwards].into_iter().flat_map(one).collect()
        },
    },
];

/// Running sums.
#[derive(Debug)]
struct Cumsum {
    axis: usize,
    way: Way,
}

impl Op for Cumsum {
    fn name(&self) -> &'static str {
        "Cumsum"
    }

    fn attrs(&self) -> Attrs {
        along(self.axis, self.way)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        check_type("cumsum", inputs[0].dtype(), SUMS)?;
        axes::one("cumsum", self.axis.cast_signed(), inputs[0].rank())?;
        Ok(smallvec![inputs[0]])
    }

    pure!(Reduction);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let op = Cumsum { axis: self.axis, way: self.way.back() };
        Gradient::Inputs(vec![call.grads[0].as_ref().map(|g| apply(op, &[g], "Cumsum"))])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::Custom(Arc::new(Recur {
            axis: self.axis,
            backwards: self.way == Way::Backwards,
        })))
    }
}

/// Running products.
#[derive(Debug)]
struct Cumprod {
    axis: usize,
}

impl Op for Cumprod {
    fn name(&self) -> &'static str {
        "Cumprod"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", self.axis)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        check_type("cumprod", inputs[0].dtype(), NUMBERS)?;
        axes::one("cumprod", self.axis.cast_signed(), inputs[0].rank())?;
        Ok(smallvec![inputs[0]])
    }

    pure!(Composite, Expand);

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            vec![product_before(&inputs[0], self.axis, Way::Forwards) * &inputs[0]]
        }))
    }
}

/// `h[i] = a[i] * h[i - 1] + b[i]`.
#[derive(Debug)]
struct LinearRecurrence {
    axis: usize,
    way: Way,
}

impl Op for LinearRecurrence {
    fn name(&self) -> &'static str {
        "LinearRecurrence"
    }

    fn attrs(&self) -> Attrs {
        along(self.axis, self.way)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let [a, b] = [inputs[0], inputs[1]];
        check_type("linear_recurrence", a.dtype(), NUMBERS)?;
        axes::one("linear_recurrence", self.axis.cast_signed(), a.rank())?;
        if a.dtype() != b.dtype() {
            return Err(different_types("linear_recurrence", a, b));
        }
        if a.shape() != b.shape() {
            let message = format!(
                "`linear_recurrence` needs equal shapes, found {:?} and {:?}",
                a.shape(),
                b.shape()
            );
            return Err(Error::new(ErrorKind::Shape, message)
                .with_help("repeat one of them with `broadcast_to`"));
        }
        Ok(smallvec![a])
    }

    pure!(Reduction);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let (Some(g), [a, _]) = (&call.grads[0], call.inputs) else { return Gradient::None };
        let (axis, way, back) = (self.axis, self.way, self.way.back());
        // What reaches each step: its own gradient, and through the next step what reaches that one.
        let reaching = recurrence(&shifted(a, axis, back, 0.0), g, axis, back);
        let before = shifted(&call.outputs[0], axis, way, 0.0);
        Gradient::Inputs(vec![Some(times(&reaching, before)), Some(reaching)])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::Custom(Arc::new(Recur {
            axis: self.axis,
            backwards: self.way == Way::Backwards,
        })))
    }
}
