//! Gradients that are made smaller where they are too large. Knows tensors, and no rule.

use crate::graph::Tensor;
use crate::types::DType;
use graphfn_macros::Tree;

/// How gradients are kept small, before a rule sees them.
///
/// The formulas are Keras's `clipvalue`, `clipnorm` and `global_clipnorm`. A norm is the root of the sum of squares; one
/// that is not finite makes what it clips NaN: nothing is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Tree)]
pub enum Clip {
    /// Each element is at least `-c` and at most `c`.
    Value(f64),
    /// Each gradient is multiplied by `c / max(norm, c)`, where `norm` is its own.
    Norm(f64),
    /// All gradients are multiplied by `c / max(norm, c)`, where `norm` is that of all of them together.
    GlobalNorm(f64),
}

impl Clip {
    /// Clips gradients that go together.
    #[track_caller]
    pub(super) fn clip(self, gradients: &mut [&mut Tensor]) {
        match self {
            Clip::Value(limit) => {
                for gradient in gradients {
                    **gradient = gradient.clamp(-limit, limit);
                }
            }
            Clip::Norm(limit) => {
                for gradient in gradients {
                    let factor = factor(&gradient.square().sum(), limit);
                    **gradient = &**gradient * factor;
                }
            }
            Clip::GlobalNorm(limit) => {
                let Some(squares) = squares(gradients) else { return };
                let factor = factor(&squares, limit);
                for gradient in gradients {
                    **gradient = &**gradient * factor.cast(gradient.dtype());
                }
            }
        }
    }
}

/// The sum of all squares, in the type that holds all of them.
#[track_caller]
fn squares(gradients: &[&mut Tensor]) -> Option<Tensor> {
    let is_wide = gradients.iter().any(|it| it.dtype() == DType::F64);
    let dtype = if is_wide { DType::F64 } else { DType::F32 };
    let mut total: Option<Tensor> = None;
    for gradient in gradients {
        let squares = gradient.square().sum().cast(dtype);
        total = Some(match total {
            Some(total) => total + squares,
            None => squares,
        });
    }
    total
}

/// What a gradient is multiplied by: 1 where its norm is small enough, for a number divided by itself is 1.
#[track_caller]
fn factor(squares: &Tensor, limit: f64) -> Tensor {
    limit / squares.sqrt().maximum(limit)
}
