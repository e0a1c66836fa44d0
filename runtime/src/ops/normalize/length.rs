//! Vectors brought to unit length. Knows axes.

use super::checks::{check_epsilon, check_parameters};
use crate::error::Result;
use crate::graph::{
    Attrs, Backward, Entry, Gradient, Lowered, Op, Sample, Specs, Tensor, apply, or_raise,
};
use crate::kernels;
use crate::ops::axes::{self, Axes};
use crate::ops::forward::on_variables;
use crate::ops::pure::pure;
use crate::ops::reduce::KeepDims;
use crate::ops::samples::{call, varied};
use crate::ops::times;
use crate::types::{DType, FLOATS, Spec};
use smallvec::smallvec;

impl Tensor {
    /// The vectors along some axes brought to length 1: `x / sqrt(max(sum(x^2), epsilon))`.
    ///
    /// As `l2_normalize` of TensorFlow, where `epsilon` is 1e-12: vectors that are shorter than its root stay shorter
    /// than 1, and a vector of zeros stays one.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([[0.75f32, 1.0], [0.0, 0.0]]);
    /// assert_eq!(x.l2_normalize(-1, 1e-12).to_vec::<f32>(), [0.6, 0.8, 0.0, 0.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error for elements that are not floats, an axis out of range, and an `epsilon` that is negative or not
    /// finite.
    #[track_caller]
    pub fn l2_normalize(&self, axes: impl Into<Axes>, epsilon: f64) -> Tensor {
        let axes = or_raise(axes.into().ascending("l2_normalize", self.rank()));
        apply(UnitLength { axes, epsilon }, &[self], "l2_normalize")
    }
}

on_variables![l2_normalize(axes: impl Into<Axes>, epsilon: f64) -> Tensor];

pub(super) const OPS: &[Entry] = &[Entry {
    name: "L2Normalize",
    make: |attrs| {
        let axes = axes::parsed(attrs, "axis")?;
        Ok(UnitLength { axes, epsilon: attrs.float("epsilon")? }.into())
    },
    samples: || {
        let op = |axes: &[usize], epsilon| UnitLength { axes: axes.into(), epsilon };
        let of_type = |dtype: DType| -> [Sample; 3] {
            [
                call(op(&[1], 1e-12), [varied(dtype, &[2, 5])]),
                call(op(&[0, 2], 1e-12), [varied(dtype, &[2, 3, 2])]),
                // All vectors are shorter than this.
                call(op(&[0], 1e4), [varied(dtype, &[3, 2])]),
            ]
        };
        FLOATS.iter().flat_map(|dtype| of_type(*dtype)).collect()
    },
}];

/// Vectors of unit length.
#[derive(Debug)]
struct UnitLength {
    axes: kernels::Axes,
    epsilon: f64,
}

impl UnitLength {
    /// The square of each vector's length.
    fn square(&self, x: &Tensor) -> Tensor {
        x.square().sum_axis(KeepDims(&self.axes[..]))
    }
}

impl Op for UnitLength {
    fn name(&self) -> &'static str {
        "L2Normalize"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", &self.axes[..]).with("epsilon", self.epsilon)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        check_parameters("l2_normalize", inputs)?;
        Axes::from(&self.axes[..]).among("l2_normalize", inputs[0].rank())?;
        check_epsilon("l2_normalize", self.epsilon)?;
        Ok(smallvec![inputs[0]])
    }

    pure!(Composite);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let (Some(g), [x], [y]) = (&call.grads[0], call.inputs, call.outputs) else {
            return Gradient::None;
        };
        // That of the expansion has the third power of the factor, which overflows where this does not.
        let square = self.square(x);
        let along = times(g, y).sum_axis(KeepDims(&self.axes[..]));
        let turning = square.greater(self.epsilon).select(along, 0.0);
        let factor = square.maximum(self.epsilon).rsqrt();
        Gradient::Inputs(vec![Some(times(&(g - times(&turning, y)), factor))])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            vec![&inputs[0] * self.square(&inputs[0]).maximum(self.epsilon).rsqrt()]
        }))
    }
}
