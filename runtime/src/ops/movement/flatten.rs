//! The elements of a tensor of any shape in a row, and back: for tensors whose shape is not known while a graph is built.
//! Knows no element types.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Attrs, Backward, Entry, Gradient, Lowered, Op, OpRef, Specs, Tensor, apply};
use crate::kernels::{Lowering, View};
use crate::ops::movement::dims::same_elements;
use crate::ops::pure::pure;
use crate::ops::samples::{call, varied};
use crate::types::{ALL, Dim, Shape, Spec};
use smallvec::smallvec;

/// The elements in row-major order, along one axis.
#[track_caller]
pub(in crate::ops) fn flatten(x: &Tensor) -> Tensor {
    apply(OpRef::Static(&Flatten), &[x], "Flatten")
}

pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "Flatten",
        make: |_| Ok(OpRef::Static(&Flatten)),
        samples: || {
            let one = |sizes: &[usize]| {
                let call = |dtype: &_| call(OpRef::Static(&Flatten), [varied(*dtype, sizes)]);
                ALL.iter().map(call).collect::<Vec<_>>()
            };
            [&[2, 3][..], &[], &[0, 2]].into_iter().flat_map(one).collect()
        },
    },
    Entry {
        name: "ReshapeLike",
        make: |_| Ok(OpRef::Static(&ReshapeLike)),
        samples: || {
            let one = |dtype: &_| {
                call(OpRef::Static(&ReshapeLike), [varied(*dtype, &[6]), varied(*dtype, &[2, 3])])
            };
            ALL.iter().map(one).collect()
        },
    },
];

/// The elements along one axis.
#[derive(Debug)]
struct Flatten;

impl Op for Flatten {
    fn name(&self) -> &'static str {
        "Flatten"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let dims = inputs[0].shape().dims();
        let count = dims.iter().try_fold(Dim::Known(1), |count, dim| count.times(dim));
        let count = count.ok_or_else(|| {
            let message =
                format!("the number of elements of {} has no form while tracing", inputs[0]);
            Error::new(ErrorKind::Shape, message)
                .with_help("let one size be unknown, and declare the others as numbers")
        })?;
        Ok(smallvec![inputs[0].with_shape(Shape::new([count]))])
    }

    pure!(Movement);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let back =
            |g: &Tensor| apply(OpRef::Static(&ReshapeLike), &[g, &call.inputs[0]], "ReshapeLike");
        Gradient::Inputs(vec![call.grads[0].as_ref().map(back)])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::View(View::Reshape))
    }
}

/// The elements of the first input in the shape of the second.
#[derive(Debug)]
struct ReshapeLike;

impl Op for ReshapeLike {
    fn name(&self) -> &'static str {
        "ReshapeLike"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        same_elements(inputs[0].shape(), inputs[1].shape())?;
        Ok(smallvec![inputs[0].with_shape(inputs[1].shape())])
    }

    pure!(Movement);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let back =
            |g: &Tensor| apply(OpRef::Static(&ReshapeLike), &[g, &call.inputs[0]], "ReshapeLike");
        Gradient::Inputs(vec![call.grads[0].as_ref().map(back), None])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::View(View::Reshape))
    }
}
