//! How shapes broadcast, and how a gradient goes back through it. Knows shapes with unknown sizes.

use super::operand::scalar;
use super::pure::pure;
use super::rows::check_type;
use super::samples::{call, varied};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Entry, Gradient, Lowered, Op, OpRef, Sample, Specs, Tensor, apply,
};
use crate::kernels::lanes::Scalar;
use crate::kernels::{Axes, Lowering, ReduceKind, View};
use crate::types::{DType, Dim, NUMBERS, Shape, Spec};
use smallvec::smallvec;

/// The shape that two shapes broadcast to: aligned at their last axes, sizes equal or one of them 1.
///
/// # Errors
/// If they do not broadcast, or an unknown size would have to equal another size.
pub(crate) fn broadcast(op: &str, a: &Shape, b: &Shape) -> Result<Shape> {
    let rank = a.rank().max(b.rank());
    let dim = |shape: &Shape, axis: usize| match (axis + shape.rank()).checked_sub(rank) {
        Some(axis) => shape[axis].clone(),
        None => Dim::Known(1),
    };
    let dims = (0..rank).map(|axis| match (dim(a, axis), dim(b, axis)) {
        (x, y) if x == y => Ok(x),
        (x, y) if x == 1 => Ok(y),
        (x, y) if y == 1 => Ok(x),
        (Dim::Known(_), Dim::Known(_)) => Err(does_not_broadcast(op, a, b)),
        (x, y) => Err(unknown_sizes(op, a, b, &x, &y)),
    });
    Ok(Shape::new(dims.collect::<Result<Vec<_>>>()?))
}

fn does_not_broadcast(op: &str, a: &Shape, b: &Shape) -> Error {
    Error::new(ErrorKind::Shape, format!("`{op}` cannot broadcast shapes {a:?} and {b:?}"))
        .with_help("sizes are compared from the last axis; they must be equal or 1: use `reshape` or `expand_dims`")
}

fn unknown_sizes(op: &str, a: &Shape, b: &Shape, x: &Dim, y: &Dim) -> Error {
    let message = format!(
        "`{op}` cannot broadcast shapes {a:?} and {b:?}: whether {x} equals {y} is not known while tracing"
    );
    Error::new(ErrorKind::Shape, message).with_help(
        "give equal sizes one name in the signature, as in `signature(x: f32[n], y: f32[n])`",
    )
}

/// Checks that a shape broadcasts to another.
///
/// # Errors
/// If it does not, or that is not known.
pub(crate) fn broadcasts_to(op: &str, from: &Shape, to: &Shape) -> Result<()> {
    if broadcast(op, from, to)? == *to { Ok(()) } else { Err(does_not_broadcast(op, from, to)) }
}

/// The gradient of a value that was broadcast: summed over the axes along which it was repeated.
#[track_caller]
pub(crate) fn sum_like(gradient: &Tensor, like: &Tensor) -> Tensor {
    if gradient.spec() == like.spec() {
        gradient.clone()
    } else {
        apply(OpRef::Static(&SumLike), &[gradient, like], "SumLike")
    }
}

/// A value repeated to another's shape.
#[track_caller]
pub(crate) fn broadcast_like(value: &Tensor, like: &Tensor) -> Tensor {
    if value.shape() == like.shape() {
        value.clone()
    } else {
        apply(OpRef::Static(&BroadcastLike), &[value, like], "BroadcastLike")
    }
}

/// Zeros of another's type and shape, which take no memory.
#[track_caller]
pub(crate) fn zeros_like(like: &Tensor) -> Tensor {
    broadcast_like(&scalar(Scalar::from_f64(0.0, like.dtype())), like)
}

/// The ops of this family.
pub const OPS: &[Entry] = &[
    Entry {
        name: "SumLike",
        make: |_| Ok(OpRef::Static(&SumLike)),
        samples: || {
            let pairs: [[&[usize]; 2]; 4] =
                [[&[2, 3], &[3]], [&[2, 3], &[2, 1]], [&[3], &[]], [&[3], &[3]]];
            samples(&SumLike, SUMMED_AS_THEY_ARE, &pairs)
        },
    },
    Entry {
        name: "BroadcastLike",
        make: |_| Ok(OpRef::Static(&BroadcastLike)),
        samples: || {
            let pairs: [[&[usize]; 2]; 4] =
                [[&[3], &[2, 3]], [&[2, 1], &[2, 3]], [&[], &[3]], [&[3], &[3]]];
            samples(&BroadcastLike, NUMBERS, &pairs)
        },
    },
];

/// Calls on values of these types and shapes.
fn samples(op: &'static dyn Op, types: &[DType], pairs: &[[&[usize]; 2]]) -> Vec<Sample> {
    let of = |dtype: DType| {
        pairs
            .iter()
            .map(move |pair| call(OpRef::Static(op), pair.map(|sizes| varied(dtype, sizes))))
    };
    types.iter().flat_map(|dtype| of(*dtype)).collect()
}

/// The types whose sum is of the same type; that of the others is `i64`.
const SUMMED_AS_THEY_ARE: &[DType] = &[DType::F32, DType::F64, DType::I32, DType::I64];

/// Sums the first input over the axes along which the second one would be repeated to its shape.
#[derive(Debug)]
struct SumLike;

impl Op for SumLike {
    fn name(&self) -> &'static str {
        "SumLike"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        check_type("broadcast_to", inputs[0].dtype(), SUMMED_AS_THEY_ARE)?;
        broadcasts_to("broadcast_to", inputs[1].shape(), inputs[0].shape())?;
        Ok(smallvec![inputs[0].with_shape(inputs[1].shape())])
    }

    pure!(Reduction);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let spread = call.grads[0].as_ref().map(|g| broadcast_like(g, &call.inputs[0]));
        Gradient::Inputs(vec![spread, None])
    }

    fn lower(&self, inputs: &[Spec], _: &[Spec]) -> Lowered<'_> {
        let [from, to] = [inputs[0].sizes(), inputs[1].sizes()];
        let new = from.len() - to.len();
        let axes: Axes =
            (0..from.len()).filter(|axis| *axis < new || to[axis - new] != from[*axis]).collect();
        Lowered::Kernel(if axes.is_empty() {
            Lowering::View(View::Reshape)
        } else {
            Lowering::Reduce { kind: ReduceKind::Sum, axes }
        })
    }
}

/// Repeats the first input to the shape of the second.
#[derive(Debug)]
struct BroadcastLike;

impl Op for BroadcastLike {
    fn name(&self) -> &'static str {
        "BroadcastLike"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        broadcasts_to("broadcast_to", inputs[0].shape(), inputs[1].shape())?;
        Ok(smallvec![inputs[0].with_shape(inputs[1].shape())])
    }

    pure!(Movement);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        Gradient::Inputs(vec![call.grads[0].as_ref().map(|g| sum_like(g, &call.inputs[0])), None])
    }

    fn lower(&self, inputs: &[Spec], outputs: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::View(repeated(inputs[0].sizes(), outputs[0].sizes())))
    }
}

/// The view that repeats along new axes and axes of one element.
pub(crate) fn repeated(from: &[usize], to: &[usize]) -> View {
    let new = to.len() - from.len();
    let axes = (0..to.len())
        .map(|axis| axis.checked_sub(new).filter(|own| from[*own] == to[axis]).map(|own| (own, 1)));
    View::Strided { starts: smallvec![0; from.len()], axes: axes.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Symbol;

    #[test]
    fn shapes_broadcast_from_the_last_axis() {
        let of = |a: &[usize], b: &[usize]| broadcast("add", &a.into(), &b.into()).unwrap();
        assert_eq!(of(&[2, 3], &[3]), Shape::from([2, 3]));
        assert_eq!(of(&[2, 1], &[1, 3]), Shape::from([2, 3]));
        assert_eq!(of(&[], &[4]), Shape::from([4]));
        assert_eq!(of(&[1], &[0]), Shape::from([0]));
        let error = broadcast("add", &Shape::from([2, 3]), &Shape::from([2])).unwrap_err();
        assert_eq!(error.message(), "`add` cannot broadcast shapes [2, 3] and [2]");
    }

    /// It summed bytes as `i64` and wrote the sums into bytes, beyond their end.
    #[test]
    fn sums_of_another_type_than_their_elements_are_no_gradients() {
        for dtype in [DType::U8, DType::Bool] {
            let specs = [Spec::new(dtype, [2, 3]), Spec::new(dtype, [3])];
            let error = SumLike.infer(&specs).unwrap_err();
            assert_eq!(
                error.message(),
                format!(
                    "`broadcast_to` takes float32, float64, int32, int64, found {}",
                    dtype.name()
                )
            );
        }
    }

    #[test]
    fn an_unknown_size_is_equal_to_itself_and_broadcasts_with_1() {
        let [n, m] = ["n", "m"].map(|it| Dim::symbol(Symbol::new(it)));
        let of = |dims: &[Dim]| Shape::new(dims.iter().cloned());
        let one = Dim::Known(1);
        let column = of(&[n.clone(), one]);
        assert_eq!(
            broadcast("mul", &column, &of(std::slice::from_ref(&m))),
            Ok(of(&[n.clone(), m.clone()]))
        );
        let error = broadcast("mul", &of(&[n]), &of(&[m])).unwrap_err();
        assert_eq!(
            error.message(),
            "`mul` cannot broadcast shapes [n] and [m]: whether n equals m is not known while tracing"
        );
        assert!(error.help().unwrap().starts_with("give equal sizes one name"));
    }
}
