//! Layers of a network brought to unit size, with a scale and an offset that are learnt. Knows axes; what a layer
//! remembers from call to call is not its business.

use super::checks::{check_epsilon, check_parameters};
use crate::error::Result;
use crate::graph::{
    Attrs, Backward, Entry, Gradient, Lowered, Op, Parsed, Sample, Specs, Tensor, apply, or_raise,
};
use crate::kernels;
use crate::ops::axes::{self, Axes};
use crate::ops::broadcast::sum_like;
use crate::ops::forward::on_variables;
use crate::ops::operand::Operand;
use crate::ops::pure::pure;
use crate::ops::reduce::KeepDims;
use crate::ops::samples::{call, varied};
use crate::ops::times;
use crate::types::{DType, FLOATS, Spec};
use smallvec::smallvec;

impl Tensor {
    /// The elements along some axes less their mean and over their standard deviation, times a scale, plus an offset:
    /// `(x - mean) / sqrt(variance + epsilon) * scale + offset`. The variance is not corrected (`ddof = 0`).
    ///
    /// Scale and offset broadcast to the tensor: `1.0` and `0.0` leave them out. As `LayerNormalization` of Keras
    /// (where `epsilon` is 1e-3) and `layer_norm` of PyTorch (1e-5), which normalise the last axes.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([[1.0f32, 3.0], [10.0, 30.0]]);
    /// assert_eq!(x.layer_norm(1.0, 0.0, -1, 0.0).to_vec::<f32>(), [-1.0, 1.0, -1.0, 1.0]);
    /// let (scale, offset) = (Tensor::from([2.0f32, 1.0]), Tensor::from([0.0f32, 5.0]));
    /// assert_eq!(x.layer_norm(&scale, &offset, -1, 0.0).to_vec::<f32>(), [-2.0, 6.0, -2.0, 6.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error for elements that are not floats, an axis out of range, a scale or offset of another type or
    /// that does not broadcast, and an `epsilon` that is negative or not finite.
    #[track_caller]
    pub fn layer_norm(
        &self,
        scale: impl Operand,
        offset: impl Operand,
        axes: impl Into<Axes>,
        epsilon: f64,
    ) -> Tensor {
        let axes = or_raise(axes.into().ascending("layer_norm", self.rank()));
        let scale = or_raise(scale.operand(self.dtype()));
        let offset = or_raise(offset.operand(self.dtype()));
        apply(LayerNorm { axes, epsilon }, &[self, &scale, &offset], "layer_norm")
    }

    /// The elements along some axes over the root of their mean square, times a scale:
    /// `x / sqrt(mean(x^2) + epsilon) * scale`.
    ///
    /// The scale broadcasts to the tensor: `1.0` leaves it out. As `rms_norm` of PyTorch and `RMSNormalization` of
    /// Keras (where `epsilon` is 1e-6), which normalise the last axes.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([[1.0f32, 7.0], [5.0, -5.0]]);
    /// assert_eq!(x.rms_norm(5.0, -1, 0.0).to_vec::<f32>(), [1.0, 7.0, 5.0, -5.0]);
    /// ```
    ///
    /// # Panics
    /// As [`layer_norm`](Tensor::layer_norm).
    #[track_caller]
    pub fn rms_norm(&self, scale: impl Operand, axes: impl Into<Axes>, epsilon: f64) -> Tensor {
        let axes = or_raise(axes.into().ascending("rms_norm", self.rank()));
        let scale = or_raise(scale.operand(self.dtype()));
        apply(RmsNorm { axes, epsilon }, &[self, &scale], "rms_norm")
    }
}

on_variables![
    layer_norm(scale: impl Operand, offset: impl Operand, axes: impl Into<Axes>, epsilon: f64) -> Tensor,
    rms_norm(scale: impl Operand, axes: impl Into<Axes>, epsilon: f64) -> Tensor,
];

pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "LayerNorm",
        make: |attrs| {
            let (axes, epsilon) = parsed(attrs)?;
            Ok(LayerNorm { axes, epsilon }.into())
        },
        samples: || {
            let op = |axes: &[usize], epsilon| LayerNorm { axes: axes.into(), epsilon };
            let of_type = |dtype: DType| -> [Sample; 3] {
                let of = |sizes: &[usize]| varied(dtype, sizes);
                [
                    call(op(&[1], 1e-5), [of(&[2, 5]), of(&[5]), of(&[5])]),
                    call(op(&[1, 2], 0.1), [of(&[2, 3, 2]), of(&[]), of(&[3, 1])]),
                    // Equal elements have no variance.
                    call(op(&[1], 0.01), [of(&[2, 1]), of(&[1]), of(&[])]),
                ]
            };
            FLOATS.iter().flat_map(|dtype| of_type(*dtype)).collect()
        },
    },
    Entry {
        name: "RmsNorm",
        make: |attrs| {
            let (axes, epsilon) = parsed(attrs)?;
            Ok(RmsNorm { axes, epsilon }.into())
        },
        samples: || {
            let op = |axes: &[usize], epsilon| RmsNorm { axes: axes.into(), epsilon };
            let of_type = |dtype: DType| -> [Sample; 2] {
                let of = |sizes: &[usize]| varied(dtype, sizes);
                [
                    call(op(&[1], 1e-5), [of(&[2, 5]), of(&[5])]),
                    call(op(&[0, 2], 0.1), [of(&[2, 3, 2]), of(&[3, 1])]),
                ]
            };
            FLOATS.iter().flat_map(|dtype| of_type(*dtype)).collect()
        },
    },
];

fn parsed(attrs: &Parsed) -> Result<(kernels::Axes, f64)> {
    Ok((axes::parsed(attrs, "axis")?, attrs.float("epsilon")?))
}

/// What both ask of their inputs.
fn infer(op: &str, axes: &[usize], epsilon: f64, inputs: &[Spec]) -> Result<Specs> {
    check_parameters(op, inputs)?;
    Axes::from(axes).among(op, inputs[0].rank())?;
    check_epsilon(op, epsilon)?;
    Ok(smallvec![inputs[0]])
}

/// A tensor brought to unit size, and the factor that did it, which has size 1 along the axes.
struct Unit {
    unit: Tensor,
    factor: Tensor,
}

impl Unit {
    fn of(x: &Tensor, axes: &[usize], epsilon: f64) -> Unit {
        let factor = (x.square().mean_axis(KeepDims(axes)) + epsilon).rsqrt();
        Unit { unit: x * &factor, factor }
    }

    /// The gradient of what was brought to unit size, from that of the result.
    ///
    /// That of the expansion has the third power of the factor, which overflows where this does not.
    fn back(&self, g: &Tensor, axes: &[usize]) -> Tensor {
        let along = times(g, &self.unit).mean_axis(KeepDims(axes));
        times(&(g - times(&along, &self.unit)), &self.factor)
    }
}

/// Zero mean, unit variance.
#[derive(Debug)]
struct LayerNorm {
    axes: kernels::Axes,
    epsilon: f64,
}

impl LayerNorm {
    fn unit(&self, x: &Tensor) -> Unit {
        Unit::of(&self.centred(x), &self.axes, self.epsilon)
    }

    fn centred(&self, x: &Tensor) -> Tensor {
        x - x.mean_axis(KeepDims(&self.axes[..]))
    }
}

impl Op for LayerNorm {
    fn name(&self) -> &'static str {
        "LayerNorm"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", &self.axes[..]).with("epsilon", self.epsilon)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        infer("layer_norm", &self.axes, self.epsilon, inputs)
    }

    pure!(Composite);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let (Some(g), [x, scale, offset]) = (&call.grads[0], call.inputs) else {
            return Gradient::None;
        };
        let unit = self.unit(x);
        let to_x = self.centred(&unit.back(&times(g, scale), &self.axes));
        let to_scale = sum_like(&times(g, &unit.unit), scale);
        Gradient::Inputs(vec![Some(to_x), Some(to_scale), Some(sum_like(g, offset))])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            vec![self.unit(&inputs[0]).unit * &inputs[1] + &inputs[2]]
        }))
    }
}

/// Unit mean square.
#[derive(Debug)]
struct RmsNorm {
    axes: kernels::Axes,
    epsilon: f64,
}

impl Op for RmsNorm {
    fn name(&self) -> &'static str {
        "RmsNorm"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", &self.axes[..]).with("epsilon", self.epsilon)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        infer("rms_norm", &self.axes, self.epsilon, inputs)
    }

    pure!(Composite);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let (Some(g), [x, scale]) = (&call.grads[0], call.inputs) else { return Gradient::None };
        let unit = Unit::of(x, &self.axes, self.epsilon);
        let to_x = unit.back(&times(g, scale), &self.axes);
        let to_scale = sum_like(&times(g, &unit.unit), scale);
        Gradient::Inputs(vec![Some(to_x), Some(to_scale)])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            vec![Unit::of(&inputs[0], &self.axes, self.epsilon).unit * &inputs[1]]
        }))
    }
}
