//! A layer that brings each feature to zero mean and unit variance over a batch. Knows its variables, and no model.

use super::Phase;
use super::parts::{Part, declared, fit, refused};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{Scope, Tensor, or_raise};
use crate::ops::initializer::{Ones, Zeros};
use crate::types::Spec;
use crate::value::Variable;
use graphfn_macros::Tree;

/// Each feature along the last axis less its mean and over its standard deviation, times a weight, plus a bias, which are
/// learnt. See [`Tensor::batch_norm`].
///
/// In training mean and variance are those of the batch, over all axes but the last, and running ones follow them:
/// `running = momentum * running + (1 - momentum) * batch`. Else the running ones are used, and nothing changes.
///
/// As `BatchNormalization` of Keras: the momentum is 0.99, epsilon is 1e-3, and the running variance is that of the
/// batch, not corrected (`ddof = 0`). PyTorch's momentum is what Keras takes from 1 (0.1 there is 0.9 here), its epsilon
/// 1e-5, and it corrects the running variance (`ddof = 1`).
///
/// The first input gives the layer its width and its element type; then it makes its variables.
///
/// ```
/// use graphfn::prelude::*;
///
/// let norm = BatchNorm::new().epsilon(0.0);
/// let x = Tensor::from([[1.0f32, 10.0], [3.0, 30.0]]);
/// assert_eq!(norm.call(&x, Phase::Train).to_vec::<f32>(), [-1.0, -1.0, 1.0, 1.0]);
/// assert_eq!(format!("{:.2}", norm.running_mean), "[0.02, 0.20]");
/// ```
#[derive(Clone, Debug, Tree)]
pub struct BatchNorm {
    scope: Scope,
    /// What the normalised inputs are multiplied by, `(width,)`; without a value until the first call.
    pub weight: Variable,
    /// What is added then, `(width,)`; without a value until the first call.
    pub bias: Variable,
    /// The mean of past batches, `(width,)`, which optimisers leave alone; without a value until the first call.
    pub running_mean: Variable,
    /// The variance of past batches, `(width,)`, which optimisers leave alone; without a value until the first call.
    pub running_variance: Variable,
    momentum: f64,
    epsilon: f64,
}

impl BatchNorm {
    /// A layer that waits for its first input.
    #[allow(clippy::new_without_default, reason = "each layer has variables of its own")]
    #[track_caller]
    pub fn new() -> BatchNorm {
        BatchNorm {
            scope: Scope::new("batch_norm"),
            weight: declared("weight", &[None]),
            bias: declared("bias", &[None]),
            running_mean: declared("running_mean", &[None]).untrainable(),
            running_variance: declared("running_variance", &[None]).untrainable(),
            momentum: 0.99,
            epsilon: 1e-3,
        }
    }

    /// The same layer with another share of the running statistics that stays at each batch.
    ///
    /// # Panics
    /// Raises an error unless it is from 0 to 1.
    #[must_use]
    #[track_caller]
    pub fn momentum(self, momentum: f64) -> BatchNorm {
        or_raise(check_momentum(momentum));
        BatchNorm { momentum, ..self }
    }

    /// The same layer with another number added to the variance.
    #[must_use]
    pub fn epsilon(self, epsilon: f64) -> BatchNorm {
        BatchNorm { epsilon, ..self }
    }

    /// The outputs for some inputs, whose last axis is the width of the layer.
    ///
    /// # Panics
    /// Raises an error for inputs of another width or element type than the first ones, for an epsilon that is negative
    /// or not finite, and in training for inputs without a batch: of less than two axes, or without elements.
    #[track_caller]
    pub fn call(&self, inputs: &Tensor, phase: Phase) -> Tensor {
        let _entered = self.scope.open();
        let part = |variable, initializer| Part { variable, sizes: &[None], initializer };
        let parts = [
            part(&self.weight, &Ones),
            part(&self.bias, &Zeros),
            part(&self.running_mean, &Zeros),
            part(&self.running_variance, &Ones),
        ];
        or_raise(fit(&self.scope, inputs.spec(), &parts, Place::caller()));
        let (mean, variance) = match phase {
            Phase::Eval => (self.running_mean.read(), self.running_variance.read()),
            Phase::Train => {
                or_raise(self.has_batch(inputs.spec()));
                let axes: Vec<isize> = (0..inputs.rank().cast_signed() - 1).collect();
                let (mean, variance) = (inputs.mean_axis(&axes[..]), inputs.var_axis(&axes[..]));
                self.follow(&self.running_mean, &mean);
                self.follow(&self.running_variance, &variance);
                (mean, variance)
            }
        };
        inputs.batch_norm(mean, variance, self.bias.read(), self.weight.read(), self.epsilon)
    }

    /// Moves a running statistic towards that of a batch.
    #[track_caller]
    fn follow(&self, running: &Variable, batch: &Tensor) {
        running.assign(running.read() * self.momentum + batch * (1.0 - self.momentum));
    }

    /// Whether there is something to take a mean of.
    fn has_batch(&self, inputs: Spec) -> Result<()> {
        if inputs.rank() > 1 && !inputs.is_empty() {
            return Ok(());
        }
        let help = "give it a batch of examples, or call it with `Phase::Eval`";
        Err(refused(&self.scope, ErrorKind::Shape, "learns from batches", inputs, help))
    }
}

fn check_momentum(momentum: f64) -> Result<()> {
    if (0.0..=1.0).contains(&momentum) {
        return Ok(());
    }
    let message = format!("`batch_norm` needs a momentum from 0 to 1, found {momentum:?}");
    Err(Error::new(ErrorKind::Value, message)
        .with_help("it is the share of the running statistics that stays: 0.99, for example"))
}
