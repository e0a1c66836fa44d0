//! A layer that leaves out some of its inputs while a model learns. Knows no variable and no model.

use super::Phase;
use super::parts::refused;
use crate::error::ErrorKind;
use crate::graph::{Scope, Tensor, or_raise, raise};
use crate::ops::check_rate;
use graphfn_macros::Tree;

/// In training each input is replaced by 0 with some probability, and the others grow so that the mean stays; else
/// inputs pass unchanged. See [`Tensor::dropout`].
///
/// ```
/// use graphfn::prelude::*;
///
/// let (dropout, x) = (Dropout::new(0.5), Tensor::ones::<f32>([100]));
/// let y = dropout.call(&x, Phase::Train).to_vec::<f32>();
/// assert!(y.iter().all(|it| *it == 0.0 || *it == 2.0));
/// assert_eq!(dropout.call(&x, Phase::Eval).to_vec::<f32>(), [1.0; 100]);
/// ```
#[derive(Clone, Debug, Tree)]
pub struct Dropout {
    scope: Scope,
    rate: f64,
}

impl Dropout {
    /// A layer that leaves out this share: 0.1 a tenth.
    ///
    /// # Panics
    /// Raises an error unless `0 <= rate < 1`.
    #[track_caller]
    pub fn new(rate: f64) -> Dropout {
        or_raise(check_rate(rate));
        Dropout { scope: Scope::new("dropout"), rate }
    }

    /// The share that is left out.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The inputs, thinned in training. What is left out is drawn from the default generator, anew at each call.
    ///
    /// # Panics
    /// Raises an error for inputs that are not floats.
    #[track_caller]
    pub fn call(&self, inputs: &Tensor, phase: Phase) -> Tensor {
        let _entered = self.scope.open();
        if !inputs.dtype().is_float() {
            let help = "convert them first: `x.cast(DType::F32)`";
            raise(refused(&self.scope, ErrorKind::Type, "needs floats", inputs.spec(), help));
        }
        match phase {
            // A rate of nothing draws nothing.
            Phase::Train if self.rate > 0.0 => inputs.dropout(self.rate),
            Phase::Train | Phase::Eval => inputs.clone(),
        }
    }
}
