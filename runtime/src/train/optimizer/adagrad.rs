//! Adagrad: steps from the sum of squared gradients. Knows one formula.

use super::{Optimizer, Rate, Role, Settings, Update, Updated};
use graphfn_macros::Tree;

/// Adagrad (Duchi, Hazan and Singer, JMLR 12, 2011): each element goes down its gradient, divided by the root of the sum
/// of all squares so far.
///
/// ```text
/// accumulator := accumulator + gradient^2
/// value       := value - rate * gradient / sqrt(accumulator + epsilon)
/// ```
///
/// As `keras.optimizers.Adagrad`: epsilon stands inside the root; in PyTorch it stands outside. It remembers the
/// `accumulator`, at first 0.1.
#[derive(Clone, Debug, Tree)]
pub struct Adagrad {
    settings: Settings,
    first: f64,
    epsilon: f64,
}

impl Adagrad {
    /// The rule with this learning rate, usually 0.001; the sum begins with 0.1, and epsilon is 1e-7.
    #[track_caller]
    pub fn new(rate: impl Into<Rate>) -> Adagrad {
        Adagrad { settings: Settings::new("Adagrad", rate.into()), first: 0.1, epsilon: 1e-7 }
    }

    /// The same rule with another number that the sums begin with.
    #[must_use]
    pub fn first_accumulator(self, first: f64) -> Adagrad {
        Adagrad { first, ..self }
    }

    /// The same rule with another number that keeps the divisor from zero.
    #[must_use]
    pub fn epsilon(self, epsilon: f64) -> Adagrad {
        Adagrad { epsilon, ..self }
    }
}

impl Optimizer for Adagrad {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    fn roles(&self) -> Vec<Role> {
        vec![Role { name: "accumulator", first: self.first }]
    }

    #[track_caller]
    fn update(&self, update: &Update<'_>) -> Updated {
        let accumulator = &update.remembered[0] + update.gradient.square();
        let value =
            update.value - update.rate * update.gradient / (&accumulator + self.epsilon).sqrt();
        Updated { value, remembered: vec![accumulator] }
    }
}
