//! Normalisation by a mean and a variance that are given. Knows not where they come from: a layer keeps them.

use super::checks::{check_epsilon, check_parameters};
use crate::error::Result;
use crate::graph::{
    Attrs, Backward, Entry, Gradient, Lowered, Op, Sample, Specs, Tensor, apply, or_raise,
};
use crate::ops::forward::on_variables;
use crate::ops::operand::Operand;
use crate::ops::pure::pure;
use crate::ops::rows::sample;
use crate::ops::samples::{call, varied};
use crate::types::{DType, FLOATS, Spec};
use smallvec::smallvec;

impl Tensor {
    /// The elements less a mean and over the root of a variance, times a scale, plus an offset:
    /// `(x - mean) / sqrt(variance + epsilon) * scale + offset`.
    ///
    /// As `tf.nn.batch_normalization`, in its order of arguments. All four broadcast to the tensor; `0.0` leaves the
    /// offset out, and `1.0` the scale.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([[1.0f32, 10.0], [3.0, 30.0]]);
    /// let (mean, variance) = (x.mean_axis(0), x.var_axis(0));
    /// let y = x.batch_norm(mean, variance, 0.0, 1.0, 0.0);
    /// assert_eq!(y.to_vec::<f32>(), [-1.0, -1.0, 1.0, 1.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error for elements that are not floats, a parameter of another type or that does not broadcast, and an
    /// `epsilon` that is negative or not finite.
    #[track_caller]
    pub fn batch_norm(
        &self,
        mean: impl Operand,
        variance: impl Operand,
        offset: impl Operand,
        scale: impl Operand,
        epsilon: f64,
    ) -> Tensor {
        let mean = or_raise(mean.operand(self.dtype()));
        let variance = or_raise(variance.operand(self.dtype()));
        let offset = or_raise(offset.operand(self.dtype()));
        let scale = or_raise(scale.operand(self.dtype()));
        apply(BatchNorm { epsilon }, &[self, &mean, &variance, &offset, &scale], "batch_norm")
    }
}

on_variables![
    batch_norm(
        mean: impl Operand,
        variance: impl Operand,
        offset: impl Operand,
        scale: impl Operand,
        epsilon: f64
    ) -> Tensor,
];

pub(super) const OPS: &[Entry] = &[Entry {
    name: "BatchNorm",
    make: |attrs| Ok(BatchNorm { epsilon: attrs.float("epsilon")? }.into()),
    samples: || {
        let of_type = |dtype: DType| -> [Sample; 2] {
            let of = |sizes: &[usize]| varied(dtype, sizes);
            let variance = || sample(dtype, [0.0, 0.5, 4.0].into_iter());
            [
                call(
                    BatchNorm { epsilon: 0.1 },
                    [of(&[4, 3]), of(&[3]), variance(), of(&[3]), of(&[3])],
                ),
                call(
                    BatchNorm { epsilon: 1e-3 },
                    [of(&[2, 2, 3]), of(&[2, 1]), variance(), of(&[]), of(&[1])],
                ),
            ]
        };
        FLOATS.iter().flat_map(|dtype| of_type(*dtype)).collect()
    },
}];

/// Less a mean, over a root, times a scale, plus an offset.
#[derive(Debug)]
struct BatchNorm {
    epsilon: f64,
}

impl Op for BatchNorm {
    fn name(&self) -> &'static str {
        "BatchNorm"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("epsilon", self.epsilon)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        check_parameters("batch_norm", inputs)?;
        check_epsilon("batch_norm", self.epsilon)?;
        Ok(smallvec![inputs[0]])
    }

    pure!(Composite);

    fn grad(&self, _: &Backward<'_>) -> Gradient {
        Gradient::Expand
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            let [x, mean, variance, offset, scale] = inputs else {
                unreachable!("a batch norm has five inputs")
            };
            // One factor for each channel, not two for each element.
            let factor = (variance + self.epsilon).rsqrt() * scale;
            vec![(x - mean) * factor + offset]
        }))
    }
}
