//! Squares of small differences, and sizes of large ones. Knows where one becomes the other.

use super::pairs::{check_pair, mean_of_examples, of_examples};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Attrs, Backward, Entry, Gradient, Lowered, Op, Specs, Tensor, apply, or_raise};
use crate::ops::operand::Operand;
use crate::ops::pure::pure;
use crate::ops::samples::{call, shaped};
use crate::types::{DType, FLOATS, Spec};
use smallvec::smallvec;

/// The mean along the last axis of half the squares of the differences, where these are at most `delta`, and else of
/// `delta * (|difference| - delta / 2)`: an outlier pulls no harder than `delta`.
///
/// As `huber` of Keras, which takes the targets first (`delta` is 1 there); its `.mean()` is `huber_loss` of PyTorch.
///
/// ```
/// use graphfn::{loss, prelude::*};
///
/// let (predictions, targets) = (Tensor::from([[0.5f32], [10.0]]), Tensor::from([[0.0f32], [0.0]]));
/// assert_eq!(loss::huber(&predictions, &targets, 1.0).to_vec::<f32>(), [0.125, 9.5]);
/// ```
///
/// # Panics
/// Raises an error if the two are not floats of one type and one shape, and unless `delta > 0` and finite.
#[track_caller]
pub fn huber(predictions: &Tensor, targets: impl Operand, delta: f64) -> Tensor {
    let targets = or_raise(targets.operand(predictions.dtype()));
    apply(Huber { delta }, &[predictions, &targets], "huber")
}

pub(super) const OPS: &[Entry] = &[Entry {
    name: "Huber",
    make: |attrs| Ok(Huber { delta: attrs.float("delta")? }.into()),
    samples: || {
        let x = [0.0, 1.5, -3.0, 2.0, 1e3, -0.2];
        let t = [0.0, 1.0, 2.0, 1.0, 0.0, 0.1];
        let of_type = |dtype: DType| {
            let pair = || [x, t].map(|numbers| shaped(dtype, &[2, 3], numbers));
            [1.0, 0.25].map(|delta| call(Huber { delta }, pair()))
        };
        FLOATS.iter().flat_map(|dtype| of_type(*dtype)).collect()
    },
}];

/// Half the squares of small differences, and the sizes of large ones.
#[derive(Debug)]
struct Huber {
    delta: f64,
}

impl Op for Huber {
    fn name(&self) -> &'static str {
        "Huber"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("delta", self.delta)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        check_pair("huber", ["predictions", "targets"], inputs)?;
        if !(self.delta > 0.0 && self.delta.is_finite()) {
            let message = format!("`huber` needs a finite delta above 0, found {:?}", self.delta);
            return Err(Error::new(ErrorKind::Value, message)
                .with_help("it is the difference from which on the loss is a straight line"));
        }
        Ok(smallvec![inputs[0].with_shape(of_examples(inputs[0].shape()))])
    }

    pure!(Composite);

    fn grad(&self, _: &Backward<'_>) -> Gradient {
        Gradient::Expand
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            let difference = &inputs[0] - &inputs[1];
            // The gradient of this product is the clamped difference, at the seam and at 0 too.
            let near = difference.clamp(-self.delta, self.delta);
            vec![mean_of_examples(&(&near * (difference - &near * 0.5)))]
        }))
    }
}
