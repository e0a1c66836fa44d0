//! Adam with weight decay. Knows Adam.

use super::{Adam, Optimizer, Rate, Role, Settings, Update, Updated};
use graphfn_macros::Tree;

/// AdamW (Loshchilov and Hutter, ICLR 2019): [`Adam`] with weight decay that is no part of the gradient.
///
/// ```text
/// value := value - value * decay * rate
/// value := as Adam has it
/// ```
///
/// As `keras.optimizers.AdamW`; the decay is 0.004, as there, unless [`weight_decay`](Optimizer::weight_decay) sets it.
#[derive(Clone, Debug, Tree)]
pub struct AdamW {
    adam: Adam,
}

impl AdamW {
    /// The rule with this learning rate, usually 0.001; all else is as in [`Adam::new`].
    #[track_caller]
    pub fn new(rate: impl Into<Rate>) -> AdamW {
        AdamW { adam: Adam::called("AdamW", rate.into()).weight_decay(0.004) }
    }

    /// As [`Adam::betas`].
    #[must_use]
    pub fn betas(self, beta1: f64, beta2: f64) -> AdamW {
        AdamW { adam: self.adam.betas(beta1, beta2) }
    }

    /// As [`Adam::epsilon`].
    #[must_use]
    pub fn epsilon(self, epsilon: f64) -> AdamW {
        AdamW { adam: self.adam.epsilon(epsilon) }
    }

    /// As [`Adam::corrected_epsilon`].
    #[must_use]
    pub fn corrected_epsilon(self, epsilon: f64) -> AdamW {
        AdamW { adam: self.adam.corrected_epsilon(epsilon) }
    }
}

impl Optimizer for AdamW {
    fn settings(&self) -> &Settings {
        self.adam.settings()
    }

    fn settings_mut(&mut self) -> &mut Settings {
        self.adam.settings_mut()
    }

    fn roles(&self) -> Vec<Role> {
        self.adam.roles()
    }

    #[track_caller]
    fn update(&self, update: &Update<'_>) -> Updated {
        self.adam.update(update)
    }
}
