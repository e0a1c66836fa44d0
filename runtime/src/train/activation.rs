//! The functions that layers apply to what they compute. Knows their names; what they compute, the ops know.

use crate::graph::Tensor;
use graphfn_macros::Tree;

/// A function that a layer applies to what it computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Tree)]
pub enum Activation {
    /// [`Tensor::relu`].
    Relu,
    /// [`Tensor::sigmoid`].
    Sigmoid,
    /// [`Tensor::tanh`].
    Tanh,
    /// [`Tensor::gelu`].
    Gelu,
    /// [`Tensor::silu`].
    Silu,
}

impl Activation {
    /// The function of a tensor.
    #[track_caller]
    pub fn of(self, x: &Tensor) -> Tensor {
        match self {
            Activation::Relu => x.relu(),
            Activation::Sigmoid => x.sigmoid(),
            Activation::Tanh => x.tanh(),
            Activation::Gelu => x.gelu(),
            Activation::Silu => x.silu(),
        }
    }
}
