//! Element-wise ops of one input that need no series: signs, powers, rounding, questions, and the identities.
//! To add one, add a row: nothing else changes. Knows lane instructions only.

use super::broadcast::zeros_like;
use super::rows::{Output, Unary, unary};
use super::times;
use crate::error::Place;
use crate::graph::{OpRef, Tensor, apply, is_recording, tell};
use crate::types::{ALL, DType, FLOATS, NUMBERS};
use crate::value::Variable;

unary![
    negative = Unary {
        name: "Neg",
        doc: "The opposite, `-x`; integers wrap.",
        types: &[DType::F32, DType::F64, DType::I32, DType::I64],
        output: Output::Same,
        eval: |x| -x,
        grad: Some(|g, _, _| -g),
        samples: &[-2.0, 0.0, 1.5],
    },
    abs = Unary {
        name: "Abs",
        doc: "The absolute value; that of the least integer wraps to itself. The gradient at 0 is 0.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x| x.abs(),
        grad: Some(|g, x, _| times(g, x.sign())),
        samples: &[-2.0, -0.0, 0.0, 1.5],
    },
    sign = Unary {
        name: "Sign",
        doc: "-1, 0 or 1, as `x` is less than, equal to or greater than 0; zeros and NaN stay as they are.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x| {
            let negative = x.lt(x.same(0.0)).select(x.same(-1.0), x);
            x.gt(x.same(0.0)).select(x.same(1.0), negative)
        },
        // As TensorFlow, and unlike the roundings below: `x * sign(x)` shall have a second derivative.
        grad: Some(|_, x, _| zeros_like(x)),
        samples: &[-2.0, -0.0, 0.0, 1.5],
    },
    square = Unary {
        name: "Square",
        doc: "The square, `x * x`; integers wrap.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x| x * x,
        grad: Some(|g, x, _| times(g, x.mul(2.0))),
        samples: &[-2.0, 0.0, 0.5],
    },
    sqrt = Unary {
        name: "Sqrt",
        doc: "The square root; NaN below 0. The gradient at 0 is infinite.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.sqrt(),
        grad: Some(|g, _, y| times(g, 0.5 / y)),
        samples: &[-1.0, 0.0, 0.25, 2.0],
    },
    rsqrt = Unary {
        name: "Rsqrt",
        doc: "The reciprocal of the square root, `1 / sqrt(x)`.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| 1.0 / x.sqrt(),
        grad: Some(|g, _, y| times(g, y * y * y * -0.5)),
        samples: &[-1.0, 0.0, 0.25, 2.0],
    },
    reciprocal = Unary {
        name: "Reciprocal",
        doc: "The reciprocal, `1 / x`.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| 1.0 / x,
        grad: Some(|g, _, y| times(g, -(y * y))),
        samples: &[-2.0, 0.0, 0.5],
    },
    floor = Unary {
        name: "Floor",
        doc: "The greatest integer that is not greater. No gradient passes, as in TensorFlow.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.floor(),
        grad: None,
        samples: &[-2.5, -0.5, 0.0, 0.75, 3.0],
    },
    ceil = Unary {
        name: "Ceil",
        doc: "The least integer that is not less. No gradient passes, as in TensorFlow.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.ceil(),
        grad: None,
        samples: &[-2.5, -0.5, 0.0, 0.75, 3.0],
    },
    round = Unary {
        name: "Round",
        doc: "The nearest integer, the even one of two: 0.5 gives 0 and 1.5 gives 2. No gradient passes, as in TensorFlow.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.round(),
        grad: None,
        samples: &[-2.5, -0.5, 0.0, 0.75, 1.5, 3.0],
    },
    trunc = Unary {
        name: "Trunc",
        doc: "The integer part, towards 0. No gradient passes, as for `floor`.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.trunc(),
        grad: None,
        samples: &[-2.5, -0.5, 0.0, 0.75, 3.0],
    },
    logical_not = Unary {
        name: "LogicalNot",
        doc: "The opposite truth value.",
        types: &[DType::Bool],
        output: Output::Bool,
        eval: |x| x.not(),
        grad: None,
        samples: &[0.0, 1.0],
    },
    is_nan = Unary {
        name: "IsNan",
        doc: "Whether it is not a number.",
        types: FLOATS,
        output: Output::Bool,
        eval: |x| x.ne(x),
        grad: None,
        samples: &[1.0, f64::NAN, f64::INFINITY],
    },
    is_finite = Unary {
        name: "IsFinite",
        doc: "Whether it is neither infinite nor NaN.",
        types: FLOATS,
        output: Output::Bool,
        eval: |x| x.abs().lt(x.same(f64::INFINITY)),
        grad: None,
        samples: &[1.0, f64::NAN, f64::INFINITY],
    },
    is_inf = Unary {
        name: "IsInf",
        doc: "Whether it is infinite, of either sign.",
        types: FLOATS,
        output: Output::Bool,
        eval: |x| x.abs().eq(x.same(f64::INFINITY)),
        grad: None,
        samples: &[1.0, f64::NAN, f64::INFINITY],
    },
    identity = Unary {
        name: "Identity",
        doc: "The same value, as a node of its own.",
        types: ALL,
        output: Output::Same,
        eval: |x| x,
        grad: Some(|g, _, _| g.clone()),
        samples: &[-2.0, 0.0, 1.5],
    },
    stop_gradient = Unary {
        name: "StopGradient",
        doc: "The same value, through which no gradient passes: a constant in the eyes of a derivative.",
        types: ALL,
        output: Output::Same,
        eval: |x| x,
        grad: None,
        samples: &[-2.0, 0.0, 1.5],
    },
];

/// Another tensor of the same value, that is known apart from it: eagerly the same bytes, in a trace a node.
#[track_caller]
pub(crate) fn alias(tensor: &Tensor) -> Tensor {
    let Some(value) = tensor.as_value().filter(|_| !is_recording()) else {
        return tensor.identity();
    };
    let (op, other) = (OpRef::Static(&UNARY[Row::identity as usize]), Tensor::from(value.clone()));
    let place = Place::caller();
    tell(|listener| listener.ran(&op, &[tensor], std::slice::from_ref(&other), "Identity", place));
    other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_zeros_nan_and_integers() {
        let x = Tensor::from([-2.5f32, -0.0, 0.0, 7.0, f32::NAN, f32::NEG_INFINITY]);
        let sign = x.sign().to_vec::<f32>();
        assert_eq!(sign[..4], [-1.0, 0.0, 0.0, 1.0]);
        assert!(sign[1].is_sign_negative() && sign[4].is_nan() && sign[5] == -1.0);
        assert_eq!(Tensor::from([-5, 0, 9]).sign().to_vec::<i32>(), [-1, 0, 1]);
        assert_eq!(Tensor::from([0u8, 200]).sign().to_vec::<u8>(), [0, 1]);
        assert_eq!(Tensor::from([i32::MIN, -3]).abs().to_vec::<i32>(), [i32::MIN, 3]);
    }

    #[test]
    fn rounding_to_even_and_to_zero() {
        let x = Tensor::from([-2.5f64, -1.5, -0.5, 0.5, 1.5, 2.5, 2.6]);
        assert_eq!(x.round().to_vec::<f64>(), [-2.0, -2.0, -0.0, 0.0, 2.0, 2.0, 3.0]);
        assert_eq!(x.floor().to_vec::<f64>(), [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 2.0]);
        assert_eq!(x.ceil().to_vec::<f64>(), [-2.0, -1.0, -0.0, 1.0, 2.0, 3.0, 3.0]);
        assert_eq!(x.trunc().to_vec::<f64>(), [-2.0, -1.0, -0.0, 0.0, 1.0, 2.0, 2.0]);
    }

    #[test]
    fn questions_about_numbers() {
        let x = Tensor::from([1.0f32, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX]);
        assert_eq!(x.is_nan().to_vec::<bool>(), [false, true, false, false, false]);
        assert_eq!(x.is_inf().to_vec::<bool>(), [false, false, true, true, false]);
        assert_eq!(x.is_finite().to_vec::<bool>(), [true, false, false, false, true]);
    }

    #[test]
    fn the_type_that_is_not_taken_is_named() {
        let error = crate::graph::attempt(|| Tensor::from([1, 2]).sqrt()).unwrap_err();
        assert_eq!(error.message(), "`sqrt` takes float32, float64, found int32");
        assert_eq!(error.help(), Some("convert first: `.cast(DType::F32)`"));
    }
}
