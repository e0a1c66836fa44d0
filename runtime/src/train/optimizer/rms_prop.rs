//! RMSProp: steps from a running mean of squared gradients. Knows one formula.

use super::{Optimizer, Rate, Role, Settings, Update, Updated};
use graphfn_macros::Tree;

/// RMSProp (Tieleman and Hinton, lecture 6.5 of "Neural networks for machine learning", 2012): each element goes down
/// its gradient, divided by the root of the mean of earlier squares.
///
/// ```text
/// v     := rho * v + (1 - rho) * gradient^2
/// value := value - rate * gradient / sqrt(v + epsilon)
/// ```
///
/// As `keras.optimizers.RMSprop`: epsilon stands inside the root; in PyTorch it stands outside. It remembers `v`, at
/// first 0.
#[derive(Clone, Debug, Tree)]
pub struct RmsProp {
    settings: Settings,
    rho: f64,
    epsilon: f64,
}

impl RmsProp {
    /// The rule with this learning rate, usually 0.001; `rho` is 0.9 and epsilon 1e-7.
    #[track_caller]
    pub fn new(rate: impl Into<Rate>) -> RmsProp {
        RmsProp { settings: Settings::new("RMSProp", rate.into()), rho: 0.9, epsilon: 1e-7 }
    }

    /// The same rule with another part of the mean that stays at each step.
    #[must_use]
    pub fn rho(self, rho: f64) -> RmsProp {
        RmsProp { rho, ..self }
    }

    /// The same rule with another number that keeps the divisor from zero.
    #[must_use]
    pub fn epsilon(self, epsilon: f64) -> RmsProp {
        RmsProp { epsilon, ..self }
    }
}

impl Optimizer for RmsProp {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    fn roles(&self) -> Vec<Role> {
        vec![Role { name: "v", first: 0.0 }]
    }

    #[track_caller]
    fn update(&self, update: &Update<'_>) -> Updated {
        let v = &update.remembered[0] * self.rho + update.gradient.square() * (1.0 - self.rho);
        let value = update.value - update.rate * update.gradient / (&v + self.epsilon).sqrt();
        Updated { value, remembered: vec![v] }
    }
}
