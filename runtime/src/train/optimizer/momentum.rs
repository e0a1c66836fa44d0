//! Gradient descent with momentum. Knows one formula, and its variant by Nesterov.

use super::{Optimizer, Rate, Role, Settings, Update, Updated};
use graphfn_macros::Tree;

/// Which momentum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Tree)]
pub enum Kind {
    /// The variable moves by the velocity (Polyak, 1964).
    #[default]
    Plain,
    /// The variable moves by what the velocity will be after the same gradient once more (Nesterov, 1983; in this form
    /// Sutskever et al., ICML 2013).
    Nesterov,
}

/// Gradient descent with momentum: a velocity gathers the gradients.
///
/// ```text
/// velocity := momentum * velocity - rate * gradient
/// value    := value + velocity                                          plain
/// value    := value + momentum * velocity - rate * gradient             Nesterov
/// ```
///
/// As `keras.optimizers.SGD` with `momentum` and `nesterov`: the rate is inside the velocity, so a rate that changes
/// counts for the gradients from then on. It remembers the `velocity`, at first 0.
#[derive(Clone, Debug, Tree)]
pub struct Momentum {
    settings: Settings,
    momentum: f64,
    kind: Kind,
}

impl Momentum {
    /// The rule with this learning rate and this part of the velocity that stays, usually 0.9.
    #[track_caller]
    pub fn new(rate: impl Into<Rate>, momentum: f64) -> Momentum {
        let settings = Settings::new("Momentum", rate.into());
        Momentum { settings, momentum, kind: Kind::Plain }
    }

    /// The same rule with another kind of momentum.
    ///
    /// ```
    /// use graphfn::optimizer::Kind;
    /// use graphfn::prelude::*;
    ///
    /// let w = Variable::new("w", 1.0f32);
    /// Momentum::new(0.25, 0.5).kind(Kind::Nesterov).minimize(|| w.square());
    /// // The velocity is -0.25 * 2; the value moves by 0.5 * -0.5 - 0.5.
    /// assert_eq!(w.read().item::<f32>(), 0.25);
    /// ```
    #[must_use]
    pub fn kind(self, kind: Kind) -> Momentum {
        Momentum { kind, ..self }
    }
}

impl Optimizer for Momentum {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    fn roles(&self) -> Vec<Role> {
        vec![Role { name: "velocity", first: 0.0 }]
    }

    #[track_caller]
    fn update(&self, update: &Update<'_>) -> Updated {
        let step = update.rate * update.gradient;
        let velocity = &update.remembered[0] * self.momentum - &step;
        let value = match self.kind {
            Kind::Plain => update.value + &velocity,
            Kind::Nesterov => update.value + (&velocity * self.momentum - &step),
        };
        Updated { value, remembered: vec![velocity] }
    }
}
