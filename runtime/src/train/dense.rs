//! A layer of which each output is a weighted sum of all inputs. Knows its variables, and no model.

use super::Activation;
use super::parts::{Part, declared, fit};
use crate::error::Place;
use crate::graph::{Scope, Tensor, or_raise};
use crate::ops::initializer::{GlorotUniform, Zeros};
use crate::value::Variable;
use graphfn_macros::Tree;

/// `x @ weight + bias`: each output is a weighted sum of all inputs, along the last axis.
///
/// The first input gives the layer its width and its element type; then it makes its variables, eagerly or while a
/// function is traced: a Glorot-uniform weight `(width, units)` and a bias of zeros. In a model they are named by the
/// field that holds the layer.
///
/// ```
/// use graphfn::prelude::*;
///
/// #[derive(Tree)]
/// struct Model {
///     dense1: Dense,
///     dense2: Dense,
/// }
///
/// impl Model {
///     #[graph_fn]
///     fn call(&self, x: &Tensor) -> Tensor {
///         self.dense2.call(&self.dense1.call(x).relu())
///     }
/// }
///
/// let model = Model { dense1: Dense::new(10), dense2: Dense::new(3) };
/// let concrete = model.call_concrete_function(&Tensor::ones::<f32>([5, 32]))?;
/// let weight = "<Variable 'dense1/weight:0' shape=(32, 10) dtype=float32>";
/// assert_eq!(format!("{:?}", concrete.variables()[0]), weight);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Tree)]
pub struct Dense {
    scope: Scope,
    /// The weights, `(width, units)`; without a value until the first call.
    pub weight: Variable,
    /// What is added to each output, `(units,)`; without a value until the first call.
    pub bias: Variable,
    units: usize,
    activation: Option<Activation>,
}

impl Dense {
    /// A layer of this many outputs.
    #[track_caller]
    pub fn new(units: usize) -> Dense {
        Dense {
            scope: Scope::new("dense"),
            weight: declared("weight", &[None, Some(units)]),
            bias: declared("bias", &[Some(units)]),
            units,
            activation: None,
        }
    }

    /// The same layer with a function applied to its outputs.
    #[must_use]
    pub fn activation(self, activation: Activation) -> Dense {
        Dense { activation: Some(activation), ..self }
    }

    /// How many outputs it has.
    pub fn units(&self) -> usize {
        self.units
    }

    /// The outputs for some inputs, whose last axis is the width of the layer.
    ///
    /// # Panics
    /// Raises an error for inputs of another width or element type than the first ones.
    #[track_caller]
    pub fn call(&self, inputs: &Tensor) -> Tensor {
        let _entered = self.scope.open();
        let parts = [
            Part {
                variable: &self.weight,
                sizes: &[None, Some(self.units)],
                initializer: &GlorotUniform,
            },
            Part { variable: &self.bias, sizes: &[Some(self.units)], initializer: &Zeros },
        ];
        or_raise(fit(&self.scope, inputs.spec(), &parts, Place::caller()));
        let sums = inputs.matmul(self.weight.read()) + self.bias.read();
        match self.activation {
            Some(activation) => activation.of(&sums),
            None => sums,
        }
    }
}
