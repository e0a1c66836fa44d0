//! A window of a fixed size that begins where data say. Knows that it lies inside: XLA moves one that does not, here it
//! is an error.

use super::place::check_indices;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Effects, Entry, Gradient, Kind, Lowered, Op, Sample, Specs, Tensor, apply,
};
use crate::kernels::{Gather, Lowering, Meet};
use crate::ops::broadcast::zeros_like;
use crate::ops::forward::on_variables;
use crate::ops::refused::refused;
use crate::ops::rows::{different_types, sample};
use crate::ops::samples::{call, varied};
use crate::types::{ALL, DType, Shape, Spec};
use crate::value::Value;
use smallvec::smallvec;

impl Tensor {
    /// The window of these sizes that begins at `starts`: `i32` or `i64`, a coordinate for each axis.
    ///
    /// A window that does not lie inside is an error. (XLA and `jax.lax.dynamic_slice` move it inside, silently.)
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// let window = x.dynamic_slice(&Tensor::from([0, 1]), [2, 2]);
    /// assert_eq!(window.to_vec::<f32>(), [2.0, 3.0, 5.0, 6.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error for starts of another type or number, and for a window larger than the tensor; when it runs, for a
    /// window that does not lie inside.
    #[track_caller]
    pub fn dynamic_slice(&self, starts: &Tensor, sizes: impl Into<Shape>) -> Tensor {
        apply(DynamicSlice { sizes: sizes.into() }, &[self, starts], "dynamic_slice")
    }

    /// This tensor with the window that begins at `starts` replaced by `update`.
    ///
    /// A window that does not lie inside is an error. (XLA and `jax.lax.dynamic_update_slice` move it inside, silently.)
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([0.0f32; 4]);
    /// let y = x.dynamic_update_slice(&Tensor::from([1.0f32, 2.0]), &Tensor::from([1]));
    /// assert_eq!(y.to_vec::<f32>(), [0.0, 1.0, 2.0, 0.0]);
    /// ```
    ///
    /// # Panics
    /// As [`dynamic_slice`](Tensor::dynamic_slice), and for an update of another type.
    #[track_caller]
    pub fn dynamic_update_slice(&self, update: &Tensor, starts: &Tensor) -> Tensor {
        apply(DynamicUpdateSlice, &[self, starts, update], "dynamic_update_slice")
    }
}

on_variables![
    dynamic_slice(starts: &Tensor, sizes: impl Into<Shape>) -> Tensor,
    dynamic_update_slice(update: &Tensor, starts: &Tensor) -> Tensor,
];

/// The ops of this file.
pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "DynamicSlice",
        make: |attrs| Ok(DynamicSlice { sizes: attrs.shape("sizes")? }.into()),
        samples: || samples(|sizes| DynamicSlice { sizes: sizes.into() }.into(), false),
    },
    Entry {
        name: "DynamicUpdateSlice",
        make: |_| Ok(DynamicUpdateSlice.into()),
        samples: || samples(|_| DynamicUpdateSlice.into(), true),
    },
];

/// Checks that a window of these sizes may lie in a tensor, at these starts.
///
/// # Errors
/// If it surely does not, or the starts are none.
fn check_window(op: &str, x: Spec, starts: Spec, window: &Shape) -> Result<()> {
    check_indices(op, starts)?;
    let shape = x.shape();
    if *starts.shape() != Shape::from([x.rank()]) {
        let message = format!(
            "`{op}` needs a start for each axis of {shape:?}, found starts of shape {:?}",
            starts.shape()
        );
        return Err(Error::new(ErrorKind::Shape, message)
            .with_help("give one vector of starts: `stack` scalars to one"));
    }
    let sizes = || shape.dims().iter().zip(window.dims());
    let too_large = sizes().any(|(size, part)| match (size.known(), part.known()) {
        (Some(size), Some(part)) => part > size,
        _ => false,
    });
    if window.rank() != x.rank() || too_large {
        let message = format!("`{op}` needs a window that fits {shape:?}, found {window:?}");
        return Err(Error::new(ErrorKind::Shape, message)
            .with_help("give a size for each axis, none larger than the tensor's"));
    }
    Ok(())
}

/// A window of the first input, which begins at the second.
#[derive(Debug)]
struct DynamicSlice {
    sizes: Shape,
}

impl Op for DynamicSlice {
    fn name(&self) -> &'static str {
        "DynamicSlice"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("sizes", &self.sizes)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        check_window("dynamic_slice", inputs[0], inputs[1], &self.sizes)?;
        Ok(smallvec![inputs[0].with_shape(&self.sizes)])
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn effects(&self, _: &[Spec]) -> Effects {
        Effects::FAILS
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let [x, starts] = [&call.inputs[0], &call.inputs[1]];
        let back = call.grads[0].as_ref().map(|g| zeros_like(x).dynamic_update_slice(g, starts));
        Gradient::Inputs(vec![back, None])
    }

    fn lower(&self, inputs: &[Spec], outputs: &[Spec]) -> Lowered<'_> {
        match check_window("dynamic_slice", inputs[0], inputs[1], outputs[0].shape()) {
            Ok(()) => Lowered::Kernel(Lowering::Gather(Gather::Window)),
            Err(error) => refused(error),
        }
    }
}

/// The first input, but for a window that begins at the second and is the third.
#[derive(Debug)]
struct DynamicUpdateSlice;

impl Op for DynamicUpdateSlice {
    fn name(&self) -> &'static str {
        "DynamicUpdateSlice"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let [x, starts, update] = [inputs[0], inputs[1], inputs[2]];
        if x.dtype() != update.dtype() {
            return Err(different_types("dynamic_update_slice", x, update));
        }
        check_window("dynamic_update_slice", x, starts, update.shape())?;
        Ok(smallvec![x])
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn effects(&self, _: &[Spec]) -> Effects {
        Effects::FAILS
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let (Some(g), [_, starts, update]) = (&call.grads[0], call.inputs) else {
            return Gradient::None;
        };
        let to_x = g.dynamic_update_slice(&zeros_like(update), starts);
        Gradient::Inputs(vec![Some(to_x), None, Some(g.dynamic_slice(starts, update.shape()))])
    }

    fn lower(&self, inputs: &[Spec], _: &[Spec]) -> Lowered<'_> {
        let [x, starts, update] = [inputs[0], inputs[1], inputs[2]];
        match check_window("dynamic_update_slice", x, starts, update.shape()) {
            Ok(()) => {
                Lowered::Kernel(Lowering::Scatter { gather: Gather::Window, meet: Meet::Replace })
            }
            Err(error) => refused(error),
        }
    }
}

/// Where tests look: the sizes of a tensor and of a window, and where it begins.
const WINDOWS: [[&[usize]; 3]; 5] = [
    [&[5], &[2], &[3]],
    [&[3, 4], &[2, 2], &[1, 0]],
    [&[2, 3, 2], &[2, 1, 2], &[0, 2, 0]],
    [&[3, 2], &[0, 2], &[3, 0]],
    [&[], &[], &[]],
];

fn samples(op: fn(&[usize]) -> crate::graph::OpRef, is_update: bool) -> Vec<Sample> {
    let of = |dtype: DType| {
        WINDOWS.iter().map(move |[sizes, window, starts]| {
            let starts: Value = sample(DType::I32, starts.iter().map(|it| *it as f64));
            let update = is_update.then(|| varied(dtype, window));
            call(op(window), [varied(dtype, sizes), starts].into_iter().chain(update))
        })
    };
    ALL.iter().flat_map(|dtype| of(*dtype)).collect()
}
