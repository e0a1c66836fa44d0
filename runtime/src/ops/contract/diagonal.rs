//! Diagonals of matrices, matrices of diagonals, and the sum of one. Knows the last axes alone: the others are a batch.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Attrs, Entry, Lowered, Op, OpRef, Specs, Tensor, apply, or_raise};
use crate::ops::forward::on_variables;
use crate::ops::pure::pure;
use crate::ops::samples::{call, varied};
use crate::ops::sequence::iota;
use crate::types::{ALL, DType, Dim, Shape, Spec};
use smallvec::smallvec;

impl Tensor {
    /// The matrix with this vector on its diagonal and zeros elsewhere; of many vectors, along the last axis, many matrices.
    ///
    /// ```
    /// # use graphfn::prelude::*;
    /// assert_eq!(Tensor::from([1, 2]).diag().to_vec::<i32>(), [1, 0, 0, 2]);
    /// ```
    ///
    /// # Panics
    /// Raises an error for a scalar.
    #[track_caller]
    pub fn diag(&self) -> Tensor {
        apply(OpRef::Static(&MatrixDiag), &[self], "diag")
    }

    /// The diagonal of this matrix, as a vector; of many matrices, in the last two axes, many vectors.
    ///
    /// ```
    /// # use graphfn::prelude::*;
    /// assert_eq!(Tensor::from([[1, 2, 3], [4, 5, 6]]).diag_part().to_vec::<i32>(), [1, 5]);
    /// ```
    ///
    /// # Panics
    /// Raises an error if there are fewer than two axes, or if it is not known while tracing which of the last two is
    /// shorter.
    #[track_caller]
    pub fn diag_part(&self) -> Tensor {
        apply(OpRef::Static(&MatrixDiagPart), &[self], "diag_part")
    }

    /// The sum of the diagonal of this matrix; of many matrices, in the last two axes, many sums. (NumPy's `trace` takes the
    /// first two.)
    ///
    /// # Panics
    /// As [`diag_part`](Tensor::diag_part).
    #[track_caller]
    pub fn trace(&self) -> Tensor {
        or_raise(shorter("trace", self.spec()));
        self.diag_part().sum_axis(-1)
    }
}

on_variables![diag() -> Tensor, diag_part() -> Tensor, trace() -> Tensor];

/// The ops of this file.
pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "MatrixDiag",
        make: |_| Ok(OpRef::Static(&MatrixDiag)),
        samples: || {
            let sizes: [&[usize]; 3] = [&[3], &[2, 3], &[0]];
            let of = |dtype: &DType| {
                sizes.map(|it| call(OpRef::Static(&MatrixDiag), [varied(*dtype, it)]))
            };
            ALL.iter().flat_map(of).collect()
        },
    },
    Entry {
        name: "MatrixDiagPart",
        make: |_| Ok(OpRef::Static(&MatrixDiagPart)),
        samples: || {
            let sizes: [&[usize]; 5] = [&[3, 3], &[2, 4, 3], &[2, 3], &[0, 2], &[1, 1]];
            let of = |dtype: &DType| {
                sizes.map(|it| call(OpRef::Static(&MatrixDiagPart), [varied(*dtype, it)]))
            };
            ALL.iter().flat_map(of).collect()
        },
    },
];

/// The length of the diagonals, and the sizes before the matrices.
///
/// # Errors
/// If there are no matrices, or it is not known which of their sizes is the smaller.
fn shorter(op: &str, matrices: Spec) -> Result<(Dim, &'static [Dim])> {
    let shape = matrices.shape();
    let Some((batch, [rows, columns])) = shape.dims().split_last_chunk::<2>() else {
        let message = format!("`{op}` needs matrices, found {shape:?}");
        return Err(Error::new(ErrorKind::Shape, message)
            .with_help("the matrix with a vector on its diagonal is `x.diag()`"));
    };
    match (rows.known(), columns.known()) {
        (Some(rows), Some(columns)) => Ok((Dim::Known(rows.min(columns)), batch)),
        _ if rows == columns => Ok((rows.clone(), batch)),
        _ => {
            let message = format!(
                "`{op}` needs matrices whose smaller size is known while tracing, found {shape:?}"
            );
            Err(Error::new(ErrorKind::Shape, message).with_help(
                "give equal sizes one name in the signature, as in `signature(x: f32[n, n])`",
            ))
        }
    }
}

/// Vectors on the diagonals of matrices.
#[derive(Debug)]
struct MatrixDiag;

impl Op for MatrixDiag {
    fn name(&self) -> &'static str {
        "MatrixDiag"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let dims = inputs[0].shape().dims();
        let Some(last) = dims.last() else {
            return Err(Error::new(ErrorKind::Shape, "`diag` needs a vector, found a scalar")
                .with_help("for a matrix of one element write `x.reshape([1, 1])`"));
        };
        Ok(smallvec![inputs[0].with_shape(Shape::new(dims.iter().chain([last]).cloned()))])
    }

    pure!(Composite, Expand);

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            let x = &inputs[0];
            let size = x.shape()[x.rank() - 1].clone();
            let counts = iota(DType::I64, Shape::new([size]), 0);
            let is_diagonal = counts.expand_dims(1).equal(&counts);
            vec![is_diagonal.select(x.expand_dims(-2), x.zeros_like().expand_dims(-2))]
        }))
    }
}

/// The diagonals of matrices.
#[derive(Debug)]
struct MatrixDiagPart;

impl Op for MatrixDiagPart {
    fn name(&self) -> &'static str {
        "MatrixDiagPart"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let (len, batch) = shorter("diag_part", inputs[0])?;
        Ok(smallvec![inputs[0].with_shape(Shape::new(batch.iter().cloned().chain([len])))])
    }

    pure!(Composite, Expand);

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            let x = &inputs[0];
            let (len, batch) = shorter("diag_part", x.spec()).expect("`infer` took such matrices");
            let from = match len {
                Dim::Known(len) => x.slice_axis(-1, 0..len.cast_signed()),
                Dim::Linear(_) => x.clone(),
            };
            let columns = Shape::new(batch.iter().cloned().chain([Dim::Known(1), len]));
            // In each column of the diagonal the row of its own number.
            let rows = iota(DType::I64, columns, batch.len() + 1);
            vec![from.take_along_axis(&rows, -2).squeeze(-2)]
        }))
    }
}
