//! Tensors of one element, repeated: zeros, ones, any other. Knows no counting and no random numbers.

use super::broadcast::{broadcast_like, repeated, sum_like};
use super::forward::on_variables;
use super::operand::{Operand, scalar};
use super::pure::pure;
use super::rows::{Output, Unary, unary};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Entry, Gradient, Lowered, Op, OpRef, Sample, Specs, Tensor, apply, or_raise,
    raise,
};
use crate::kernels::Lowering;
use crate::kernels::lanes::Scalar;
use crate::types::{ALL, DType, Element, Shape, Spec};
use crate::value::Variable;
use smallvec::smallvec;

/// A tensor of these elements: a number, a list, nested lists, an array of ndarray.
///
/// Its type is that of the elements, and Rust's own types of literals are `i32` and `f64`: write `1.0f32` where `f32`
/// is meant.
///
/// ```
/// use graphfn::prelude::*;
///
/// let c = constant(1) + constant(1);
/// assert_eq!(format!("{c:?}"), "Tensor(2, shape=(), dtype=int32)");
/// ```
pub fn constant(elements: impl Into<Tensor>) -> Tensor {
    elements.into()
}

/// Tensors of one element, repeated.
impl Tensor {
    /// Zeros, or `false`.
    ///
    /// ```
    /// # use graphfn::prelude::*;
    /// assert_eq!(Tensor::zeros::<f32>([2, 3]).shape().to_string(), "(2, 3)");
    /// ```
    #[track_caller]
    pub fn zeros<T: Element>(shape: impl Into<Shape>) -> Tensor {
        let zero = scalar(Scalar::from_f64(0.0, T::DTYPE));
        apply(Fill { shape: shape.into() }, &[&zero], "zeros")
    }

    /// Ones, or `true`.
    #[track_caller]
    pub fn ones<T: Element>(shape: impl Into<Shape>) -> Tensor {
        let one = scalar(Scalar::from_f64(1.0, T::DTYPE));
        apply(Fill { shape: shape.into() }, &[&one], "ones")
    }

    /// The same element everywhere: `Tensor::full([2, 3], 0.5f32)`. The element may be a tensor without axes.
    ///
    /// # Panics
    /// Raises an error if the element is a tensor that has axes.
    #[track_caller]
    pub fn full(shape: impl Into<Shape>, element: impl Into<Tensor>) -> Tensor {
        apply(Fill { shape: shape.into() }, &[&element.into()], "Fill")
    }

    /// The same element everywhere, in the shape of this tensor; a number adapts to its type.
    ///
    /// # Panics
    /// Raises an error if the number does not fit the type, or the element is a tensor that has axes.
    #[track_caller]
    pub fn full_like(&self, element: impl Operand) -> Tensor {
        let element = or_raise(element.operand(self.dtype()));
        if element.rank() > 0 {
            raise(not_a_scalar("full_like", element.spec()));
        }
        broadcast_like(&element, self)
    }
}

on_variables![full_like(element: impl Operand) -> Tensor];

unary![
    zeros_like = Unary {
        name: "ZerosLike",
        doc: "Zeros, or `false`, in the type and shape of this tensor.",
        types: ALL,
        output: Output::Same,
        eval: |x| x.same(0.0),
        grad: None,
        samples: &[-2.0, 0.0, f64::NAN],
    },
    ones_like = Unary {
        name: "OnesLike",
        doc: "Ones, or `true`, in the type and shape of this tensor.",
        types: ALL,
        output: Output::Same,
        eval: |x| x.same(1.0),
        grad: None,
        samples: &[-2.0, 0.0, f64::NAN],
    },
];

/// A tensor like another, of one number, whose node has this label.
#[track_caller]
pub(crate) fn filled_like(like: &Tensor, number: f64, label: &str) -> Tensor {
    match like.spec().known() {
        Some(_) => filled(like.spec(), number, label),
        None => broadcast_like(&scalar(Scalar::from_f64(number, like.dtype())), like),
    }
}

/// A tensor of known sizes, of one number, whose node has this label.
#[track_caller]
pub(crate) fn filled(spec: Spec, number: f64, label: &str) -> Tensor {
    let number = scalar(Scalar::from_f64(number, spec.dtype()));
    apply(Fill { shape: spec.shape().clone() }, &[&number], label)
}

/// A number as a scalar of a type.
///
/// # Errors
/// If the type does not hold it.
pub(super) fn number(number: f64, dtype: DType) -> Result<Tensor> {
    let is_exact = match dtype {
        DType::F32 | DType::F64 => true,
        DType::I32 => f64::from(number as i32) == number,
        // The cast saturates at 2^63 - 1, which as a float is 2^63: not a number of the type.
        DType::I64 => number as i64 as f64 == number && number < 2f64.powi(63),
        DType::U8 => f64::from(number as u8) == number,
        DType::Bool => number == 0.0 || number == 1.0,
    };
    if is_exact {
        return Ok(scalar(Scalar::from_f64(number, dtype)));
    }
    Err(Error::new(ErrorKind::Type, format!("{dtype} does not hold the number {number:?}"))
        .with_help("choose another number, or a float type"))
}

fn not_a_scalar(op: &str, found: Spec) -> Error {
    let message = format!("`{op}` needs an element without axes, found {found}");
    Error::new(ErrorKind::Shape, message)
        .with_help("to repeat a tensor with axes, use `broadcast_to` or `tile`")
}

/// One element everywhere.
#[derive(Debug)]
struct Fill {
    shape: Shape,
}

impl Op for Fill {
    fn name(&self) -> &'static str {
        "Fill"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("shape", &self.shape)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        if inputs[0].rank() > 0 {
            return Err(not_a_scalar("full", inputs[0]));
        }
        Ok(smallvec![inputs[0].with_shape(&self.shape)])
    }

    pure!(Movement);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        Gradient::Inputs(vec![call.grads[0].as_ref().map(|g| sum_like(g, &call.inputs[0]))])
    }

    fn lower(&self, _: &[Spec], outputs: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::View(repeated(&[], outputs[0].sizes())))
    }
}

/// The ops of this family that have attributes.
pub(super) const OPS: &[Entry] = &[Entry {
    name: "Fill",
    make: |attrs| Ok(Fill { shape: attrs.shape("shape")? }.into()),
    samples: || {
        let shapes = [Shape::scalar(), Shape::from([3]), Shape::from([2, 0]), Shape::from([2, 3])];
        let call = |dtype: DType, shape: Shape| Sample {
            op: Fill { shape }.into(),
            inputs: vec![scalar(Scalar::from_f64(1.5, dtype)).value()],
        };
        ALL.iter().flat_map(|dtype| shapes.clone().map(|shape| call(*dtype, shape))).collect()
    },
}];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::attempt;

    #[test]
    fn constants_have_the_type_of_their_elements() {
        assert_eq!(format!("{:?}", constant(2)), "Tensor(2, shape=(), dtype=int32)");
        assert_eq!(constant([[1.0f32], [2.0]]).shape().to_string(), "(2, 1)");
        assert_eq!(constant(Tensor::from(true)).dtype(), DType::Bool);
    }

    #[test]
    fn one_element_everywhere() {
        assert_eq!(Tensor::zeros::<f32>([2, 2]).to_vec::<f32>(), [0.0; 4]);
        assert_eq!(Tensor::ones::<u8>(3).to_vec::<u8>(), [1; 3]);
        assert_eq!(Tensor::zeros::<bool>([]).to_vec::<bool>(), [false]);
        assert_eq!(Tensor::full([2, 0], 1.5).to_vec::<f64>(), [0.0; 0]);
        let like = Tensor::from([[1.0f32, f32::NAN]]);
        assert_eq!(like.zeros_like().to_vec::<f32>(), [0.0; 2]);
        assert_eq!(like.ones_like().to_vec::<f32>(), [1.0; 2]);
        assert_eq!(like.full_like(3).to_vec::<f32>(), [3.0; 2]);
        assert_eq!(like.full_like(3).shape(), like.shape());
    }

    #[test]
    fn an_element_has_no_axes_and_fits() {
        let fill = attempt(|| Tensor::full([2], Tensor::from([1, 2]))).unwrap_err();
        assert_eq!(fill.message(), "`full` needs an element without axes, found i32[2]");
        let like = attempt(|| Tensor::from([1]).full_like(Tensor::from([1, 2]))).unwrap_err();
        assert_eq!(like.message(), "`full_like` needs an element without axes, found i32[2]");
        let half = attempt(|| Tensor::from([1]).full_like(0.5)).unwrap_err();
        assert_eq!(half.kind(), ErrorKind::Type);
    }

    #[test]
    fn numbers_fit_their_type_or_are_refused() {
        for (value, dtype, fits) in [
            (0.5, DType::F32, true),
            (0.5, DType::I32, false),
            (-1.0, DType::U8, false),
            (2f64.powi(63), DType::I64, false),
            (-(2f64.powi(63)), DType::I64, true),
            (2.0, DType::Bool, false),
            (f64::NAN, DType::I32, false),
        ] {
            assert_eq!(number(value, dtype).is_ok(), fits, "{value} as {dtype}");
        }
        assert_eq!(
            number(0.5, DType::I32).unwrap_err().message(),
            "int32 does not hold the number 0.5"
        );
    }
}
