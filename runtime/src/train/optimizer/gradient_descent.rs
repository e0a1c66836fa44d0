//! Stochastic gradient descent. Knows one formula.

use super::{Optimizer, Rate, Role, Settings, Update, Updated};
use graphfn_macros::Tree;

/// Gradient descent: each variable goes down its gradient.
///
/// ```text
/// value := value - rate * gradient
/// ```
///
/// As `keras.optimizers.SGD` without momentum, and `GradientDescentOptimizer` of TensorFlow 1. It remembers nothing.
///
/// ```
/// use graphfn::prelude::*;
///
/// #[graph_fn]
/// fn train(w: &Variable, optimizer: &GradientDescent) -> Tensor {
///     optimizer.minimize(&(w - 3.0).square())
/// }
/// let w = Variable::new("w", 0.0f32);
/// let optimizer = GradientDescent::new(0.25);
/// assert_eq!(train(&w, &optimizer).item::<f32>(), 9.0);
/// assert_eq!(w.read().item::<f32>(), 1.5);
/// ```
#[derive(Clone, Debug, Tree)]
pub struct GradientDescent {
    settings: Settings,
}

impl GradientDescent {
    /// The rule with this learning rate.
    #[track_caller]
    pub fn new(rate: impl Into<Rate>) -> GradientDescent {
        GradientDescent { settings: Settings::forgetful("GradientDescent", rate.into()) }
    }
}

impl Optimizer for GradientDescent {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    fn roles(&self) -> Vec<Role> {
        Vec::new()
    }

    #[track_caller]
    fn update(&self, update: &Update<'_>) -> Updated {
        Updated { value: update.value - update.rate * update.gradient, remembered: Vec::new() }
    }
}
