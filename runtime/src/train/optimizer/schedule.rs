//! Learning rates that follow the number of steps. Knows formulas, and not who counts.

use crate::graph::Tensor;
use graphfn_macros::Tree;

/// A rate that falls by the same factor in equal numbers of steps.
///
/// ```text
/// rate * factor^(step / steps)
/// ```
///
/// `step` is the number of steps done before. As `keras.optimizers.schedules.ExponentialDecay`.
///
/// ```
/// use graphfn::optimizer::ExponentialDecay;
/// use graphfn::prelude::*;
///
/// let w = Variable::new("w", 1.0f32);
/// let optimizer = GradientDescent::new(ExponentialDecay::new(0.5, 0.5, 1).staircase());
/// optimizer.minimize(|| w.square() * 0.5); // w := 1 - 0.5 * 1
/// optimizer.minimize(|| w.square() * 0.5); // w := 0.5 - 0.25 * 0.5
/// assert_eq!(w.read().item::<f32>(), 0.375);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Tree)]
pub struct ExponentialDecay {
    rate: f64,
    factor: f64,
    steps: u64,
    is_staircase: bool,
}

impl ExponentialDecay {
    /// From a first rate, a factor for each this many steps.
    pub fn new(rate: f64, factor: f64, steps: u64) -> ExponentialDecay {
        ExponentialDecay { rate, factor, steps, is_staircase: false }
    }

    /// The same, which falls at once after each so many steps, and stays in between.
    #[must_use]
    pub fn staircase(self) -> ExponentialDecay {
        ExponentialDecay { is_staircase: true, ..self }
    }

    #[track_caller]
    fn at(self, step: &Tensor) -> Tensor {
        let parts = step / self.steps as f64;
        let parts = if self.is_staircase { parts.floor() } else { parts };
        step.full_like(self.factor).pow(parts) * self.rate
    }
}

/// A rate that falls along half a cosine, perhaps after it has risen along a line.
///
/// ```text
/// rate * ((1 - end) * (1 + cos(pi * step / steps)) / 2 + end)
/// ```
///
/// `step` is the number of steps done before, and `end` the part of the rate at which it stays in the end. As
/// `keras.optimizers.schedules.CosineDecay`, with its `warmup_target` and `warmup_steps` (Loshchilov and Hutter, ICLR
/// 2017).
///
/// ```
/// use graphfn::optimizer::CosineDecay;
/// use graphfn::prelude::*;
///
/// // From 0 to 0.1 in 100 steps, and down to 0.001 in 1,000 more.
/// let optimizer = Adam::new(CosineDecay::new(0.1, 1000).warm_up(0.0, 100).end(0.01));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Tree)]
pub struct CosineDecay {
    rate: f64,
    steps: u64,
    end: f64,
    /// The first rate, and how many steps it takes from there.
    warm_up: Option<(f64, u64)>,
}

impl CosineDecay {
    /// From this rate down in this many steps.
    pub fn new(rate: f64, steps: u64) -> CosineDecay {
        CosineDecay { rate, steps, end: 0.0, warm_up: None }
    }

    /// The same, which stays at this part of the rate in the end.
    #[must_use]
    pub fn end(self, end: f64) -> CosineDecay {
        CosineDecay { end, ..self }
    }

    /// The same, after it has risen along a line from a first rate in some steps.
    #[must_use]
    pub fn warm_up(self, from: f64, steps: u64) -> CosineDecay {
        CosineDecay { warm_up: Some((from, steps)), ..self }
    }

    #[track_caller]
    fn at(self, step: &Tensor) -> Tensor {
        match self.warm_up {
            None | Some((_, 0)) => self.falling(step),
            Some((from, steps)) => {
                let steps = steps as f64;
                let rising = step * ((self.rate - from) / steps) + from;
                step.less(steps).select(rising, self.falling(&(step - steps)))
            }
        }
    }

    #[track_caller]
    fn falling(self, step: &Tensor) -> Tensor {
        let steps = self.steps as f64;
        let turned = step.minimum(steps) * (std::f64::consts::PI / steps);
        ((turned.cos() + 1.0) * (0.5 * (1.0 - self.end)) + self.end) * self.rate
    }
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Tree)]
pub enum Schedule {
    /// Exponential decay.
    Exponential(ExponentialDecay),
    /// Cosine decay.
    Cosine(CosineDecay),
}

impl Schedule {
    /// The rate after so many steps, which are a float.
    #[track_caller]
    pub(super) fn at(self, step: &Tensor) -> Tensor {
        match self {
            Schedule::Exponential(schedule) => schedule.at(step),
            Schedule::Cosine(schedule) => schedule.at(step),
        }
    }
}
