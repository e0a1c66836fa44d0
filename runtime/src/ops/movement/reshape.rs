//! The same elements in the same order under another shape, and repeated to a larger one. Knows no element types.

use super::dims::{Dims, same_elements};
use crate::error::Result;
use crate::graph::{Attrs, Backward, Entry, Gradient, Lowered, Op, Specs, Tensor, apply, raise};
use crate::kernels::{Lowering, View};
use crate::ops::broadcast::{broadcasts_to, repeated, sum_like};
use crate::ops::forward::on_variables;
use crate::ops::pure::pure;
use crate::ops::samples::{call, varied};
use crate::types::{ALL, DType, Shape, Spec};
use smallvec::smallvec;

impl Tensor {
    /// The same elements in row-major order under another shape with as many elements; one size may be -1, for what is left.
    ///
    /// Sizes that are unknown while tracing may stand in the shape, as in `x.reshape(y.shape())`. Nothing is copied,
    /// unless the elements lie in another order, as they do after a transposition.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([1, 2, 3, 4, 5, 6]).reshape([2, -1]);
    /// assert_eq!(x.shape().to_string(), "(2, 3)");
    /// ```
    ///
    /// # Panics
    /// Raises an error if the numbers of elements differ, or are not known to agree while tracing.
    #[track_caller]
    pub fn reshape(&self, dims: impl Into<Dims>) -> Tensor {
        match dims.into().holding(self.shape()) {
            Ok(shape) => apply(Reshape { shape }, &[self], "Reshape"),
            Err(error) => raise(error),
        }
    }

    /// The elements repeated along new axes in front and along axes of size 1; nothing is copied.
    ///
    /// # Panics
    /// Raises an error if the shapes do not broadcast to the second.
    #[track_caller]
    pub fn broadcast_to(&self, shape: impl Into<Shape>) -> Tensor {
        apply(BroadcastTo { shape: shape.into() }, &[self], "BroadcastTo")
    }
}

on_variables![
    reshape(dims: impl Into<Dims>) -> Tensor,
    broadcast_to(shape: impl Into<Shape>) -> Tensor,
];

pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "Reshape",
        make: |attrs| Ok(Reshape { shape: attrs.shape("shape")? }.into()),
        samples: || {
            let one =
                |dtype: &DType| call(Reshape { shape: [3, 4].into() }, [varied(*dtype, &[2, 6])]);
            ALL.iter()
                .map(one)
                .chain([call(Reshape { shape: [].into() }, [varied(DType::F32, &[1, 1])])])
                .collect()
        },
    },
    Entry {
        name: "BroadcastTo",
        make: |attrs| Ok(BroadcastTo { shape: attrs.shape("shape")? }.into()),
        samples: || {
            let one = |dtype: &DType| {
                call(BroadcastTo { shape: [2, 3, 4].into() }, [varied(*dtype, &[3, 1])])
            };
            ALL.iter().map(one).collect()
        },
    },
];

/// The elements under another shape.
#[derive(Debug)]
struct Reshape {
    shape: Shape,
}

impl Op for Reshape {
    fn name(&self) -> &'static str {
        "Reshape"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("shape", &self.shape)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        same_elements(inputs[0].shape(), &self.shape)?;
        Ok(smallvec![inputs[0].with_shape(&self.shape)])
    }

    pure!(Movement);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        Gradient::Inputs(vec![call.grads[0].as_ref().map(|g| g.reshape(call.inputs[0].shape()))])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::View(View::Reshape))
    }
}

/// The elements repeated to a shape.
#[derive(Debug)]
struct BroadcastTo {
    shape: Shape,
}

impl Op for BroadcastTo {
    fn name(&self) -> &'static str {
        "BroadcastTo"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("shape", &self.shape)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        broadcasts_to("broadcast_to", inputs[0].shape(), &self.shape)?;
        Ok(smallvec![inputs[0].with_shape(&self.shape)])
    }

    pure!(Movement);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        Gradient::Inputs(vec![call.grads[0].as_ref().map(|g| sum_like(g, &call.inputs[0]))])
    }

    fn lower(&self, inputs: &[Spec], outputs: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::View(repeated(inputs[0].sizes(), outputs[0].sizes())))
    }
}
