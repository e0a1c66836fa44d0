//! A layer that brings each example to zero mean and unit variance. Knows its variables, and no model.

use super::parts::{Part, declared, fit};
use crate::error::Place;
use crate::graph::{Scope, Tensor, or_raise};
use crate::ops::initializer::{Ones, Zeros};
use crate::value::Variable;
use graphfn_macros::Tree;

/// Each vector along the last axis less its mean and over its standard deviation, times a weight, plus a bias, which are
/// learnt. See [`Tensor::layer_norm`].
///
/// As `LayerNormalization` of Keras, with its epsilon of 1e-3; that of PyTorch is 1e-5. The first input gives the layer
/// its width and its element type; then it makes its variables: a weight of ones and a bias of zeros.
///
/// ```
/// use graphfn::prelude::*;
///
/// let norm = LayerNorm::new().epsilon(0.0);
/// let x = Tensor::from([[1.0f32, 3.0], [10.0, 30.0]]);
/// assert_eq!(norm.call(&x).to_vec::<f32>(), [-1.0, 1.0, -1.0, 1.0]);
/// ```
#[derive(Clone, Debug, Tree)]
pub struct LayerNorm {
    scope: Scope,
    /// What the normalised inputs are multiplied by, `(width,)`; without a value until the first call.
    pub weight: Variable,
    /// What is added then, `(width,)`; without a value until the first call.
    pub bias: Variable,
    epsilon: f64,
}

impl LayerNorm {
    /// A layer that waits for its first input.
    #[allow(clippy::new_without_default, reason = "each layer has variables of its own")]
    #[track_caller]
    pub fn new() -> LayerNorm {
        LayerNorm {
            scope: Scope::new("layer_norm"),
            weight: declared("weight", &[None]),
            bias: declared("bias", &[None]),
            epsilon: 1e-3,
        }
    }

    /// The same layer with another number added to the variance.
    #[must_use]
    pub fn epsilon(self, epsilon: f64) -> LayerNorm {
        LayerNorm { epsilon, ..self }
    }

    /// The outputs for some inputs, whose last axis is the width of the layer.
    ///
    /// # Panics
    /// Raises an error for inputs of another width or element type than the first ones, and for an epsilon that is
    /// negative or not finite.
    #[track_caller]
    pub fn call(&self, inputs: &Tensor) -> Tensor {
        let _entered = self.scope.open();
        let parts = [
            Part { variable: &self.weight, sizes: &[None], initializer: &Ones },
            Part { variable: &self.bias, sizes: &[None], initializer: &Zeros },
        ];
        or_raise(fit(&self.scope, inputs.spec(), &parts, Place::caller()));
        inputs.layer_norm(self.weight.read(), self.bias.read(), -1, self.epsilon)
    }
}
