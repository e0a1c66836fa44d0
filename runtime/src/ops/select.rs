//! Ops of three inputs, which broadcast: a choice by a condition, and the bounds of a range.
//! Knows lane instructions only.

use super::broadcast::{broadcast, sum_like};
use super::forward::on_variables;
use super::operand::{Operand, pair};
use super::pure::pure;
use super::rows::{check_type, different_types, sample};
use super::samples::call;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Entry, Gradient, Lowered, Op, OpRef, Sample, Specs, Tensor, apply, raise,
};
use crate::kernels::Lowering;
use crate::kernels::lanes::Program;
use crate::types::{ALL, DType, NUMBERS, Shape, Spec};
use smallvec::smallvec;

impl Tensor {
    /// `a` where this condition is true, else `b`, element by element (TensorFlow's `where`). All three broadcast.
    ///
    /// What is not chosen has no say: its NaN does not show, and its gradient is exactly 0.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([-4.0f32, 9.0]);
    /// assert_eq!(x.less(0.0).select(0.0, x.sqrt()).to_vec::<f32>(), [0.0, 3.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error if this is not `bool`, if `a` and `b` are of two types or of none (two bare numbers), and if
    /// the shapes do not broadcast.
    #[track_caller]
    pub fn select(&self, a: impl Operand, b: impl Operand) -> Tensor {
        match pair("select", &a, &b) {
            Ok([a, b]) => apply(OpRef::Static(&Select), &[self, &a, &b], "SelectV2"),
            Err(error) => raise(error),
        }
    }

    /// The nearest element of a range: `min(max(x, low), high)`, with bounds that broadcast. NaN wins.
    ///
    /// The gradient passes to `x` strictly inside the range; at a bound and beyond it goes to that bound, and `x` gets 0.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([-2.0f32, 0.5, 7.0]);
    /// assert_eq!(x.clamp(0.0, 1.0).to_vec::<f32>(), [0.0, 0.5, 1.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error if the types differ, are not numbers, or the shapes do not broadcast.
    #[track_caller]
    pub fn clamp(&self, low: impl Operand, high: impl Operand) -> Tensor {
        let bounds =
            low.operand(self.dtype()).and_then(|low| Ok((low, high.operand(self.dtype())?)));
        match bounds {
            Ok((low, high)) => apply(OpRef::Static(&Clamp), &[self, &low, &high], "clip_by_value"),
            Err(error) => raise(error),
        }
    }
}

on_variables![
    select(a: impl Operand, b: impl Operand) -> Tensor,
    clamp(low: impl Operand, high: impl Operand) -> Tensor,
];

/// The ops of this family.
pub const OPS: &[Entry] = &[
    Entry { name: "SelectV2", make: |_| Ok(OpRef::Static(&Select)), samples: select_samples },
    Entry { name: "ClipByValue", make: |_| Ok(OpRef::Static(&Clamp)), samples: clamp_samples },
];

fn select_samples() -> Vec<Sample> {
    let condition = || sample(DType::Bool, [1.0, 0.0, 1.0].into_iter());
    let of = |dtype: &DType| {
        let a = sample(*dtype, [1.0, -2.0, f64::NAN].into_iter());
        let b = sample(*dtype, [f64::NAN, 0.0, 3.0].into_iter());
        call(OpRef::Static(&Select), [condition(), a, b])
    };
    ALL.iter().map(of).collect()
}

fn clamp_samples() -> Vec<Sample> {
    let of = |dtype: &DType| {
        let x = sample(*dtype, [-2.0, 0.5, 1.0, 7.0, 2.0].into_iter());
        let low = sample(*dtype, [0.0, 0.0, 1.0, 0.0, 5.0].into_iter());
        let high = sample(*dtype, [1.0, 1.0, 4.0, 3.0, 4.0].into_iter());
        call(OpRef::Static(&Clamp), [x, low, high])
    };
    NUMBERS.iter().map(of).collect()
}

/// The second input where the first is true, else the third.
#[derive(Debug)]
struct Select;

impl Op for Select {
    fn name(&self) -> &'static str {
        "SelectV2"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let [condition, a, b] = [inputs[0], inputs[1], inputs[2]];
        if condition.dtype() != DType::Bool {
            let message = format!("`select` chooses by truth values, found {condition}");
            return Err(Error::new(ErrorKind::Type, message)
                .with_help("compare first, as in `x.greater(0.0).select(&a, &b)`"));
        }
        if a.dtype() != b.dtype() {
            return Err(different_types("select", a, b));
        }
        Ok(smallvec![a.with_shape(broadcast_all("select", inputs)?)])
    }

    pure!(Elementwise);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let (Some(g), [condition, a, b]) = (&call.grads[0], call.inputs) else {
            return Gradient::None;
        };
        let to_a = sum_like(&condition.select(g, 0.0), a);
        let to_b = sum_like(&condition.select(0.0, g), b);
        Gradient::Inputs(vec![None, Some(to_a), Some(to_b)])
    }

    fn lower(&self, inputs: &[Spec], _: &[Spec]) -> Lowered<'_> {
        let types = [DType::Bool, inputs[1].dtype(), inputs[2].dtype()];
        let program = Program::build(&types, |x| vec![x[0].select(x[1], x[2])]);
        Lowered::Kernel(Lowering::Lanes(program))
    }
}

/// The first input, not less than the second and not greater than the third.
#[derive(Debug)]
struct Clamp;

impl Op for Clamp {
    fn name(&self) -> &'static str {
        "ClipByValue"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        if let Some(other) = inputs[1..].iter().find(|it| it.dtype() != inputs[0].dtype()) {
            return Err(different_types("clamp", inputs[0], *other));
        }
        check_type("clamp", inputs[0].dtype(), NUMBERS)?;
        Ok(smallvec![inputs[0].with_shape(broadcast_all("clamp", inputs)?)])
    }

    pure!(Elementwise);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let (Some(g), [x, low, high]) = (&call.grads[0], call.inputs) else {
            return Gradient::None;
        };
        // Bounds in the wrong order give the upper one, as in NumPy: each element has one source.
        let from_high = high.less_equal(x) | high.less_equal(low);
        let from_low = low.greater_equal(x) & low.less(high);
        let inside = x.greater(low) & x.less(high);
        let part = |chosen: Tensor, input| Some(sum_like(&chosen.select(g, 0.0), input));
        Gradient::Inputs(vec![part(inside, x), part(from_low, low), part(from_high, high)])
    }

    fn lower(&self, inputs: &[Spec], _: &[Spec]) -> Lowered<'_> {
        let types = [inputs[0].dtype(); 3];
        Lowered::Kernel(Lowering::Lanes(Program::build(&types, |x| vec![x[0].max(x[1]).min(x[2])])))
    }
}

/// The shape that all inputs broadcast to.
fn broadcast_all(op: &str, inputs: &[Spec]) -> Result<Shape> {
    let first = broadcast(op, inputs[0].shape(), inputs[1].shape())?;
    broadcast(op, &first, inputs[2].shape())
}
