//! Adam: steps from running means of gradients and of their squares. Knows one formula.

use super::{Optimizer, Rate, Role, Settings, Update, Updated};
use graphfn_macros::Tree;

/// Adam (Kingma and Ba, ICLR 2015): each element goes down the mean of its gradients, in steps of a size that the mean
/// of their squares sets.
///
/// ```text
/// m     := m + (gradient - m) * (1 - beta1)
/// v     := v + (gradient^2 - v) * (1 - beta2)
/// value := value - m * (rate * sqrt(1 - beta2^t) / (1 - beta1^t)) / (sqrt(v) + epsilon)
/// ```
///
/// `t` is the number of the step, from 1. As `keras.optimizers.Adam`: epsilon stands outside of the root, of which the
/// bias is not corrected (the paper's epsilon hat); [`corrected_epsilon`](Adam::corrected_epsilon) puts it where
/// `torch.optim.Adam` and `optax.adam` have it. It remembers `m` and `v`, at first 0.
///
/// ```
/// use graphfn::prelude::*;
///
/// let w = Variable::new("w", 1.0f32);
/// let optimizer = Adam::new(0.1).betas(0.9, 0.99);
/// let loss = optimizer.minimize(|| w.square());
/// assert_eq!(loss.item::<f32>(), 1.0);
/// assert!((w.read().item::<f32>() - 0.9).abs() < 1e-6);
/// assert_eq!(format!("{:?}", optimizer.variables()[1]), "<Variable 'Adam/w/m:0' shape=() dtype=float32>");
/// ```
#[derive(Clone, Debug, Tree)]
pub struct Adam {
    settings: Settings,
    beta1: f64,
    beta2: f64,
    epsilon: Epsilon,
}

/// The number that keeps the divisor from zero, and where it stands.
#[derive(Clone, Copy, Debug, Tree)]
enum Epsilon {
    /// Beside the root of `v` as it is.
    Plain(f64),
    /// Beside the root of `v / (1 - beta2^t)`.
    Corrected(f64),
}

impl Adam {
    /// The rule with this learning rate, usually 0.001; `beta1` is 0.9, `beta2` 0.999 and epsilon 1e-7.
    #[track_caller]
    pub fn new(rate: impl Into<Rate>) -> Adam {
        Adam::called("Adam", rate.into())
    }

    #[track_caller]
    pub(super) fn called(name: &str, rate: Rate) -> Adam {
        Adam {
            settings: Settings::new(name, rate),
            beta1: 0.9,
            beta2: 0.999,
            epsilon: Epsilon::Plain(1e-7),
        }
    }

    /// The same rule with other parts of the two means that stay at each step.
    #[must_use]
    pub fn betas(self, beta1: f64, beta2: f64) -> Adam {
        Adam { beta1, beta2, ..self }
    }

    /// The same rule with another number that keeps the divisor from zero.
    #[must_use]
    pub fn epsilon(self, epsilon: f64) -> Adam {
        Adam { epsilon: Epsilon::Plain(epsilon), ..self }
    }

    /// The same rule with an epsilon beside the corrected root, `sqrt(v / (1 - beta2^t)) + epsilon`, as in
    /// `torch.optim.Adam` and `optax.adam`, where it is 1e-8.
    #[must_use]
    pub fn corrected_epsilon(self, epsilon: f64) -> Adam {
        Adam { epsilon: Epsilon::Corrected(epsilon), ..self }
    }
}

impl Optimizer for Adam {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    fn roles(&self) -> Vec<Role> {
        vec![Role { name: "m", first: 0.0 }, Role { name: "v", first: 0.0 }]
    }

    #[track_caller]
    fn update(&self, update: &Update<'_>) -> Updated {
        let step = update.step();
        let [m, v] = update.remembered else { unreachable!("Adam remembers two tensors") };
        let kept = |beta: f64| update.number(beta).pow(&step);
        let correction = (1.0 - kept(self.beta2)).sqrt();
        let rate = update.rate * &correction / (1.0 - kept(self.beta1));
        let epsilon = match self.epsilon {
            Epsilon::Plain(epsilon) => update.number(epsilon),
            Epsilon::Corrected(epsilon) => correction * epsilon,
        };
        let m = m + (update.gradient - m) * (1.0 - self.beta1);
        let v = v + (update.gradient.square() - v) * (1.0 - self.beta2);
        let value = update.value - &m * rate / (v.sqrt() + epsilon);
        Updated { value, remembered: vec![m, v] }
    }
}
