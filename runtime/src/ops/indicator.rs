//! Ones at places and zeros elsewhere: identity matrices and one-hot vectors. Knows counting, and no other op.

use super::axes;
use super::pure::pure;
use super::rows::check_type;
use super::samples::{call, varied};
use super::sequence::iota;
use crate::error::Result;
use crate::graph::{Attrs, Entry, Lowered, Op, Specs, Tensor, apply};
use crate::types::{ALL, DType, Dim, Element, INTEGERS, Shape, Spec};
use crate::value::Variable;
use smallvec::smallvec;

impl Tensor {
    /// The identity matrix: ones where row and column are the same, zeros elsewhere.
    ///
    /// ```
    /// # use graphfn::prelude::*;
    /// assert_eq!(Tensor::eye::<i32>(2).to_vec::<i32>(), [1, 0, 0, 1]);
    /// ```
    #[track_caller]
    pub fn eye<T: Element>(size: usize) -> Tensor {
        apply(Eye { dtype: T::DTYPE, size }, &[], "eye")
    }

    /// For each index a vector of this length along a new last axis: one at the index, zeros elsewhere. An index outside
    /// `0..depth`, such as -1 for "none", gives zeros only, as in TensorFlow.
    ///
    /// ```
    /// # use graphfn::prelude::*;
    /// let labels = Tensor::from([2, 0]);
    /// assert_eq!(labels.one_hot::<f32>(3).to_vec::<f32>(), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error if this is not a tensor of integers.
    #[track_caller]
    pub fn one_hot<T: Element>(&self, depth: usize) -> Tensor {
        apply(OneHot { dtype: T::DTYPE, depth }, &[self], "one_hot")
    }
}

impl Variable {
    /// As [`Tensor::one_hot`], of its value.
    #[track_caller]
    pub fn one_hot<T: Element>(&self, depth: usize) -> Tensor {
        self.read().one_hot::<T>(depth)
    }
}

/// Ones where row and column are the same.
#[derive(Debug)]
struct Eye {
    dtype: DType,
    size: usize,
}

impl Op for Eye {
    fn name(&self) -> &'static str {
        "Eye"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("dtype", self.dtype).with("size", self.size)
    }

    fn infer(&self, _: &[Spec]) -> Result<Specs> {
        Ok(smallvec![Spec::new(self.dtype, [self.size, self.size])])
    }

    pure!(Composite, None);

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|_| {
            let counts = iota(DType::I64, self.size, 0);
            vec![counts.expand_dims(1).equal(&counts).cast(self.dtype)]
        }))
    }
}

/// A one for each index.
#[derive(Debug)]
struct OneHot {
    dtype: DType,
    depth: usize,
}

impl Op for OneHot {
    fn name(&self) -> &'static str {
        "OneHot"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("dtype", self.dtype).with("depth", self.depth)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        check_type("one_hot", inputs[0].dtype(), INTEGERS)?;
        let dims = inputs[0].shape().dims().iter().cloned().chain([Dim::Known(self.depth)]);
        Ok(smallvec![Spec::new(self.dtype, Shape::new(dims))])
    }

    pure!(Composite, None);

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            // As i64: the counts of a u8 would end at 255.
            let indices = inputs[0].cast(DType::I64).expand_dims(-1);
            vec![indices.equal(iota(DType::I64, self.depth, 0)).cast(self.dtype)]
        }))
    }
}

/// The ops of this family.
pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "Eye",
        make: |attrs| {
            let size = axes::number(attrs, "size")?;
            Ok(Eye { dtype: attrs.dtype("dtype")?, size }.into())
        },
        samples: || {
            let eye = |dtype: DType, size: usize| call(Eye { dtype, size }, []);
            ALL.iter().flat_map(|dtype| [0, 1, 3].map(|size| eye(*dtype, size))).collect()
        },
    },
    Entry {
        name: "OneHot",
        make: |attrs| {
            let depth = axes::number(attrs, "depth")?;
            Ok(OneHot { dtype: attrs.dtype("dtype")?, depth }.into())
        },
        samples: || {
            let one_hot = |indices: DType, dtype: DType| {
                call(OneHot { dtype, depth: 4 }, [varied(indices, &[3, 2])])
            };
            let of_type = |indices: &DType| {
                ALL.iter().map(|dtype| one_hot(*indices, *dtype)).collect::<Vec<_>>()
            };
            INTEGERS.iter().flat_map(of_type).collect()
        },
    },
];
