//! Sizes as tensors: constants where they are known, and values of the trace where they are not. Knows no elements.

use crate::error::Result;
use crate::graph::{Attrs, Entry, Lowered, Op, Specs, Tensor, apply, raise};
use crate::kernels;
use crate::kernels::lanes::Scalar;
use crate::ops::axes::{self, Axes};
use crate::ops::constant::constant;
use crate::ops::forward::on_variables;
use crate::ops::operand::scalar;
use crate::ops::pure::pure;
use crate::ops::samples::{call, varied};
use crate::types::{DType, FLOATS, Spec};
use smallvec::smallvec;

impl Tensor {
    /// The size of an axis, as a scalar `i64` tensor: also where it is unknown while tracing.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(x.size_of(-1).item::<i64>(), 3);
    /// assert_eq!(x.size().item::<i64>(), 6);
    /// ```
    ///
    /// # Panics
    /// Raises an error for an axis that is out of range.
    #[track_caller]
    pub fn size_of(&self, axis: isize) -> Tensor {
        match axes::one("size_of", axis, self.rank()) {
            Ok(axis) => count(self, &[axis], DType::I64),
            Err(error) => raise(error),
        }
    }

    /// The number of elements, as a scalar `i64` tensor: also where it is unknown while tracing.
    #[track_caller]
    pub fn size(&self) -> Tensor {
        let axes: Vec<usize> = (0..self.rank()).collect();
        count(self, &axes, DType::I64)
    }

    /// The sizes of all axes, as an `i64` tensor: also where they are unknown while tracing.
    #[track_caller]
    pub fn shape_of(&self) -> Tensor {
        match self.spec().known() {
            Some(sizes) => {
                sizes.iter().map(|size| size.cast_signed() as i64).collect::<Vec<i64>>().into()
            }
            None => super::stack(
                &(0..self.rank()).map(|axis| count(self, &[axis], DType::I64)).collect::<Vec<_>>(),
                0,
            ),
        }
    }
}

on_variables![size_of(axis: isize) -> Tensor, size() -> Tensor, shape_of() -> Tensor];

/// How many elements a tensor has along some axes, as a scalar of a type.
#[track_caller]
pub(crate) fn count(x: &Tensor, axes: &[usize], dtype: DType) -> Tensor {
    let known = axes.iter().map(|axis| x.shape()[*axis].known()).collect::<Option<Vec<usize>>>();
    match known {
        Some(sizes) => scalar(number(&sizes, dtype)),
        None => apply(CountLike { axes: axes.into(), dtype }, &[x], "Size"),
    }
}

fn number(sizes: &[usize], dtype: DType) -> Scalar {
    let count: usize = sizes.iter().product();
    match dtype {
        DType::I64 => Scalar::I64(count.cast_signed() as i64),
        dtype => Scalar::from_f64(count as f64, dtype),
    }
}

pub(super) const OPS: &[Entry] = &[Entry {
    name: "Size",
    make: |attrs| {
        Ok(CountLike { axes: axes::parsed(attrs, "axes")?, dtype: attrs.dtype("out_type")? }.into())
    },
    samples: || {
        let op = |axes: &[usize]| CountLike { axes: axes.into(), dtype: DType::F32 };
        FLOATS.iter().map(|dtype| call(op(&[0, 2]), [varied(*dtype, &[2, 3, 4])])).collect()
    },
}];

/// The number of elements along some axes; the elements themselves are not read.
#[derive(Debug)]
struct CountLike {
    axes: kernels::Axes,
    dtype: DType,
}

impl Op for CountLike {
    fn name(&self) -> &'static str {
        "Size"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axes", &self.axes[..]).with("out_type", self.dtype)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        Axes::from(&self.axes[..]).among("size_of", inputs[0].rank())?;
        Ok(smallvec![Spec::scalar(self.dtype)])
    }

    pure!(Source, None);

    fn lower(&self, inputs: &[Spec], _: &[Spec]) -> Lowered<'_> {
        let sizes: Vec<usize> = self.axes.iter().map(|axis| inputs[0].sizes()[*axis]).collect();
        Lowered::Kernel(constant(number(&sizes, self.dtype)))
    }
}
