//! Products of matrices, of many at once, and of vectors. Knows shapes; the kernel knows strides.

use super::broadcast::{broadcast, sum_like};
use super::forward::on_variables;
use super::operand::Operand;
use super::pure::pure;
use super::rows::{check_type, different_types};
use super::samples::{call, varied};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Entry, Gradient, Lowered, Op, Sample, Specs, Tensor, apply, or_raise,
};
use crate::kernels::Lowering;
use crate::types::{DType, Dim, NUMBERS, Shape, Spec};
use smallvec::smallvec;

impl Tensor {
    /// The matrix product, as `numpy.matmul`: of the last two axes, with those before them broadcast. A vector on the
    /// left is a row, one on the right a column, and its axis is not in the result. Integers wrap.
    ///
    /// A transposed operand, `x.matmul(&w.t())`, is multiplied where it lies.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let a = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
    /// assert_eq!(a.matmul(&a).to_vec::<f32>(), [7.0, 10.0, 15.0, 22.0]);
    /// assert_eq!(a.matmul(&Tensor::from([1.0f32, 1.0])).to_vec::<f32>(), [3.0, 7.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error if the inner sizes differ, the leading ones do not broadcast, an operand has no axes, or the
    /// element types differ or are `bool`.
    #[track_caller]
    pub fn matmul(&self, other: impl Operand) -> Tensor {
        let other = or_raise(other.operand(self.dtype()));
        let (left, right) = (self.rank(), other.rank());
        if left > 1 && right > 1 {
            return product(self, &other);
        }
        or_raise(check_operands(self.spec(), other.spec()));
        let row = if left == 1 { self.expand_dims(0) } else { self.clone() };
        let column = if right == 1 { other.expand_dims(1) } else { other.into_owned() };
        let product = product(&row, &column);
        match (left, right) {
            (1, 1) => product.squeeze([-2, -1]),
            (1, _) => product.squeeze(-2),
            _ => product.squeeze(-1),
        }
    }

    /// The inner product of two vectors: the sum of the products of their elements.
    ///
    /// # Panics
    /// Raises an error unless both are vectors of one length and type.
    #[track_caller]
    pub fn dot(&self, other: impl Operand) -> Tensor {
        let other = or_raise(other.operand(self.dtype()));
        or_raise(check_vectors("dot", self.spec(), other.spec()));
        self.matmul(&*other)
    }

    /// The outer product of two vectors: the product of each element of this with each of the other, a row for each of
    /// this.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([1, 2]).outer(Tensor::from([3, 4, 5]));
    /// assert_eq!(x.to_vec::<i32>(), [3, 4, 5, 6, 8, 10]);
    /// ```
    ///
    /// # Panics
    /// Raises an error unless both are vectors of one type.
    #[track_caller]
    pub fn outer(&self, other: impl Operand) -> Tensor {
        let other = or_raise(other.operand(self.dtype()));
        or_raise(check_vectors("outer", self.spec(), other.spec()));
        self.expand_dims(1).mul(&*other)
    }
}

on_variables![
    matmul(other: impl Operand) -> Tensor,
    dot(other: impl Operand) -> Tensor,
    outer(other: impl Operand) -> Tensor,
];

/// The product of two operands of rank 2 or more.
#[track_caller]
fn product(left: &Tensor, right: &Tensor) -> Tensor {
    let op = if left.rank() == 2 && right.rank() == 2 { MatMul::Single } else { MatMul::Batched };
    apply(op, &[left, right], "MatMul")
}

/// A product of matrices, or of many.
#[derive(Debug)]
enum MatMul {
    Single,
    Batched,
}

impl Op for MatMul {
    fn name(&self) -> &'static str {
        match self {
            MatMul::Single => "MatMul",
            MatMul::Batched => "BatchMatMulV2",
        }
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let [a, b] = [inputs[0], inputs[1]];
        check_operands(a, b)?;
        if a.rank() < 2 || b.rank() < 2 {
            let (a, b) = (a.shape(), b.shape());
            let message = format!(
                "`matmul` of matrices needs operands of two axes or more, found {a:?} and {b:?}"
            );
            return Err(Error::new(ErrorKind::Shape, message)
                .with_help("`x.matmul(&y)` makes vectors matrices of one row or column"));
        }
        let (a_batch, a_matrix) = split(a.shape());
        let (b_batch, b_matrix) = split(b.shape());
        let batch = broadcast("matmul", &a_batch, &b_batch).map_err(|error| {
            let message = format!(
                "`matmul` needs leading sizes that broadcast, found {:?} and {:?}",
                a.shape(),
                b.shape()
            );
            Error::new(error.kind(), message).with_help(error.help().unwrap_or_default())
        })?;
        let dims = batch.dims().iter().chain([&a_matrix[0], &b_matrix[1]]);
        Ok(smallvec![a.with_shape(Shape::new(dims.cloned()))])
    }

    pure!(Contraction);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let Some(g) = &call.grads[0] else { return Gradient::None };
        let [a, b] = [&call.inputs[0], &call.inputs[1]];
        let left = sum_like(&product(g, &b.t()), a);
        Gradient::Inputs(vec![Some(left), Some(right_gradient(a, b, g))])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::MatMul)
    }
}

/// The gradient of the right operand. One matrix that multiplies many gets it by one product too, of all their rows.
#[track_caller]
fn right_gradient(a: &Tensor, b: &Tensor, g: &Tensor) -> Tensor {
    let rows = a.shape().dims()[..a.rank() - 1]
        .iter()
        .try_fold(Dim::Known(1), |rows, size| rows.times(size));
    match rows {
        Some(rows) if a.rank() > 2 && b.rank() == 2 => {
            let flat =
                |x: &Tensor| x.reshape(Shape::new([rows.clone(), x.shape()[x.rank() - 1].clone()]));
            product(&flat(a).t(), &flat(g))
        }
        _ => sum_like(&product(&a.t(), g), b),
    }
}

/// The leading sizes, and those of a matrix; a vector has been made one.
fn split(shape: &Shape) -> (Shape, [Dim; 2]) {
    let (batch, matrix) =
        shape.dims().split_last_chunk::<2>().expect("operands were checked to be matrices");
    (Shape::new(batch.iter().cloned()), matrix.clone())
}

/// Whether two operands have a product, but for their leading sizes.
///
/// # Errors
/// If one has no axes, the element types differ or have no product, or the inner sizes differ or may.
fn check_operands(a: Spec, b: Spec) -> Result<()> {
    if a.dtype() != b.dtype() {
        return Err(different_types("matmul", a, b));
    }
    check_type("matmul", a.dtype(), NUMBERS)?;
    let (x, y) = (a.shape(), b.shape());
    if x.rank() == 0 || y.rank() == 0 {
        let message = format!("`matmul` needs operands that have axes, found {x:?} and {y:?}");
        return Err(Error::new(ErrorKind::Shape, message)
            .with_help("to multiply by a scalar, write `x * y`"));
    }
    let (inner, other) = (&x[x.rank() - 1], &y[y.rank().saturating_sub(2)]);
    if inner == other {
        return Ok(());
    }
    let message = format!("`matmul` needs inner sizes to agree, found {x:?} and {y:?}");
    let are_known = inner.known().is_some() && other.known().is_some();
    let help = if !are_known {
        format!(
            "whether {inner} equals {other} is not known while tracing: give equal sizes one name in the signature, as in `signature(x: f32[n, k], w: f32[k, m])`"
        )
    } else if y.rank() > 1 && *inner == y[y.rank() - 1] {
        "transpose the second operand: `x.matmul(&w.t())`".to_string()
    } else if x.rank() > 1 && x[x.rank() - 2] == *other {
        "transpose the first operand: `x.t().matmul(&w)`".to_string()
    } else {
        format!(
            "the last size of the first, {inner}, is to be the last but one of the second, {other}"
        )
    };
    Err(Error::new(ErrorKind::Shape, message).with_help(help))
}

/// Whether two operands are vectors that an op takes.
///
/// # Errors
/// If they are not, or their types differ, or their lengths where they must not.
fn check_vectors(op: &str, a: Spec, b: Spec) -> Result<()> {
    if a.dtype() != b.dtype() {
        return Err(different_types(op, a, b));
    }
    check_type(op, a.dtype(), NUMBERS)?;
    let (x, y) = (a.shape(), b.shape());
    if x.rank() != 1 || y.rank() != 1 {
        let message = format!("`{op}` needs two vectors, found {x:?} and {y:?}");
        return Err(Error::new(ErrorKind::Shape, message)
            .with_help("for products of matrices use `matmul`"));
    }
    if op == "dot" && x != y {
        let message = format!("`dot` needs vectors of one length, found {x:?} and {y:?}");
        return Err(Error::new(ErrorKind::Shape, message)
            .with_help("for the products of all pairs of elements use `outer`"));
    }
    Ok(())
}

/// The ops of this family.
pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "MatMul",
        make: |_| Ok(MatMul::Single.into()),
        samples: || {
            let sizes: [[&[usize]; 2]; 3] =
                [[&[2, 3], &[3, 4]], [&[1, 5], &[5, 1]], [&[3, 0], &[0, 2]]];
            samples(&sizes, || MatMul::Single)
        },
    },
    Entry {
        name: "BatchMatMulV2",
        make: |_| Ok(MatMul::Batched.into()),
        samples: || {
            let sizes: [[&[usize]; 2]; 4] = [
                [&[2, 3, 4], &[2, 4, 2]],
                [&[2, 3, 4], &[4, 2]],
                [&[3, 4], &[2, 4, 2]],
                [&[2, 1, 2, 3], &[3, 3, 2]],
            ];
            samples(&sizes, || MatMul::Batched)
        },
    },
];

fn samples(sizes: &[[&[usize]; 2]], op: fn() -> MatMul) -> Vec<Sample> {
    let of_type = |dtype: DType| {
        sizes.iter().map(move |[a, b]| call(op(), [varied(dtype, a), varied(dtype, b)]))
    };
    NUMBERS.iter().flat_map(|dtype| of_type(*dtype)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::attempt;
    use crate::value::Value;

    fn count(sizes: &[usize]) -> Tensor {
        let len: usize = sizes.iter().product();
        Value::from_vec(sizes, (0..len).map(|at| at as f64).collect()).into()
    }

    /// `numpy.matmul(numpy.arange(..).reshape(a), numpy.arange(..).reshape(b))`, NumPy 2.
    #[test]
    fn products_are_those_of_numpy() {
        let check = |a: &[usize], b: &[usize], shape: &[usize], expected: &[f64]| {
            let product = count(a).matmul(count(b));
            assert_eq!(*product.shape(), Shape::from(shape), "{a:?} {b:?}");
            assert_eq!(product.to_vec::<f64>(), expected, "{a:?} {b:?}");
        };
        check(&[2, 3], &[3, 2], &[2, 2], &[10.0, 13.0, 28.0, 40.0]);
        check(&[3], &[3], &[], &[5.0]);
        check(&[3], &[3, 2], &[2], &[10.0, 13.0]);
        check(&[2, 3], &[3], &[2], &[5.0, 14.0]);
        check(&[2, 1, 2], &[2, 2], &[2, 1, 2], &[2.0, 3.0, 6.0, 11.0]);
        check(&[2], &[2, 2, 1], &[2, 1], &[1.0, 3.0]);
        check(&[1, 2], &[2, 2, 1], &[2, 1, 1], &[1.0, 3.0]);
        check(&[2, 0], &[0, 1], &[2, 1], &[0.0, 0.0]);
    }

    #[test]
    fn the_op_itself_refuses_vectors() {
        let vector = Spec::new(DType::F32, [3]);
        let error = MatMul::Single.infer(&[vector, vector]).unwrap_err();
        assert_eq!(
            error.message(),
            "`matmul` of matrices needs operands of two axes or more, found [3] and [3]"
        );
    }

    #[test]
    fn transposed_operands_are_multiplied_where_they_lie() {
        let (a, b) = (count(&[2, 3]), count(&[4, 3]));
        let product = a.matmul(b.t());
        let plain = a.matmul(Tensor::from(b.t().to_array::<f64>()));
        assert_eq!(product.to_vec::<f64>(), plain.to_vec::<f64>());
    }

    #[test]
    fn integers_wrap() {
        let x = Tensor::from([[i32::MAX, 1]]);
        assert_eq!(x.matmul(Tensor::from([[1], [1]])).to_vec::<i32>(), [i32::MIN]);
    }

    #[test]
    fn inner_and_outer_products_of_vectors() {
        let (x, y) = (Tensor::from([1.0f32, 2.0]), Tensor::from([3.0f32, 4.0]));
        assert_eq!(x.dot(&y).item::<f32>(), 11.0);
        assert_eq!(x.outer(&y).to_vec::<f32>(), [3.0, 4.0, 6.0, 8.0]);
    }

    #[test]
    fn what_has_no_product_is_refused_with_a_way_out() {
        let f = |sizes: &[usize]| count(sizes);
        for (a, b, message, help) in [
            (
                f(&[4, 3]),
                f(&[4, 2]),
                "`matmul` needs inner sizes to agree, found [4, 3] and [4, 2]",
                "transpose the first operand: `x.t().matmul(&w)`",
            ),
            (
                f(&[4, 3]),
                f(&[2, 3]),
                "`matmul` needs inner sizes to agree, found [4, 3] and [2, 3]",
                "transpose the second operand: `x.matmul(&w.t())`",
            ),
            (
                f(&[3]),
                f(&[2]),
                "`matmul` needs inner sizes to agree, found [3] and [2]",
                "the last size of the first, 3, is to be the last but one of the second, 2",
            ),
            (
                f(&[2, 4, 3]),
                f(&[3, 3, 2]),
                "`matmul` needs leading sizes that broadcast, found [2, 4, 3] and [3, 3, 2]",
                "sizes are compared from the last axis; they must be equal or 1: use `reshape` or `expand_dims`",
            ),
            (
                f(&[]),
                f(&[3]),
                "`matmul` needs operands that have axes, found [] and [3]",
                "to multiply by a scalar, write `x * y`",
            ),
        ] {
            let error = attempt(|| a.matmul(&b)).unwrap_err();
            assert_eq!((error.message(), error.help().unwrap()), (message, help));
        }
        let types = attempt(|| f(&[2, 2]).matmul(Tensor::from([[1.0f32]]))).unwrap_err();
        assert_eq!(
            types.message(),
            "`matmul` needs one element type, found f64[2, 2] and f32[1, 1]"
        );
        let truth = attempt(|| Tensor::from([[true]]).matmul(Tensor::from([[true]]))).unwrap_err();
        assert!(truth.message().starts_with("`matmul` takes float32"), "{truth}");
        let dot = attempt(|| f(&[2]).dot(f(&[3]))).unwrap_err();
        assert_eq!(dot.message(), "`dot` needs vectors of one length, found [2] and [3]");
        let outer = attempt(|| f(&[2, 1]).outer(f(&[3]))).unwrap_err();
        assert_eq!(outer.message(), "`outer` needs two vectors, found [2, 1] and [3]");
    }
}
