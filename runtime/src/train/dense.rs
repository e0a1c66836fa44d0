//! A layer of which each output is a weighted sum of all inputs. Knows its variables, and no model.

use super::Activation;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{Creation, Scope, Tensor, is_recording, or_raise};
use crate::ops::created;
use crate::ops::initializer::{GlorotUniform, Initializer, Zeros, first_value};
use crate::types::Spec;
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
            weight: Variable::unbuilt_of("weight", &[None, Some(units)]),
            bias: Variable::unbuilt_of("bias", &[Some(units)]),
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
        or_raise(self.fit(inputs.spec(), Place::caller()));
        let sums = inputs.matmul(self.weight.read()) + self.bias.read();
        match self.activation {
            Some(activation) => activation.of(&sums),
            None => sums,
        }
    }

    /// Makes the variables if there are none, and else checks that the inputs fit them.
    fn fit(&self, inputs: Spec, place: Place) -> Result<()> {
        let Some(width) = inputs.shape().dims().last() else {
            let help = "the last axis is the width of the layer";
            return Err(self.complaint(
                ErrorKind::Shape,
                "needs inputs that have axes",
                inputs,
                help,
            ));
        };
        if let Some(weight) = self.weight.spec() {
            if is_recording() {
                for variable in [&self.weight, &self.bias] {
                    self.scope.name_of(variable);
                }
            }
            if weight.shape()[0] == *width {
                return Ok(());
            }
            let what = format!("was built for inputs of width {}", weight.shape()[0]);
            let help =
                "the first input gives a layer its width: use another layer for other widths";
            return Err(self.complaint(ErrorKind::Shape, &what, inputs, help));
        }
        let Some(width) = width.known() else {
            let what = "needs inputs whose last size is known";
            let help = "declare the width as a number, as in `signature(x: f32[?, 32])`";
            return Err(self.complaint(ErrorKind::Shape, what, inputs, help));
        };
        if !inputs.dtype().is_float() {
            let help = "convert them first: `x.cast(DType::F32)`";
            return Err(self.complaint(ErrorKind::Type, "needs floats", inputs, help));
        }
        self.make(&self.weight, inputs.with_shape([width, self.units]), &GlorotUniform, place)?;
        self.make(&self.bias, inputs.with_shape([self.units]), &Zeros, place)
    }

    fn make(
        &self,
        variable: &Variable,
        spec: Spec,
        initializer: &dyn Initializer,
        place: Place,
    ) -> Result<()> {
        let value = first_value(initializer, spec, &self.scope.name_of(variable))?;
        match variable.build(value) {
            Ok(()) => {
                created(variable.clone(), Creation::Kept, place);
                Ok(())
            }
            // Another thread has built it meanwhile.
            Err(_) if variable.spec() == Some(spec) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn complaint(&self, kind: ErrorKind, what: &str, inputs: Spec, help: &str) -> Error {
        let name = match self.scope.name() {
            name if name.is_empty() => self.scope.default_name().to_string(),
            name => name,
        };
        Error::new(kind, format!("layer `{name}` {what}, found {inputs}")).with_help(help)
    }
}
