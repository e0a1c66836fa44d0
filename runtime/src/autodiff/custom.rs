//! A function with a gradient of the user's. Knows how to cut the path through the function, and no rule.
//!
//! The function is recorded as it is. One node then takes what it gave and what it was given: it gives the former on, and
//! its rule takes gradients to the latter, past the function.

use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{
    Attr, Attrs, Backward, Effects, Gradient, Key, Kind, Leaf, Lowered, Mapping, Op, Specs, Tensor,
    Tree, apply_at, or_raise, raise,
};
use crate::ops::{ClosureType, alias, closure_number};
use crate::types::Spec;
use crate::value::Variable;
use std::fmt;
use std::sync::Arc;

/// A gradient rule: the gradient of each input, `None` for those that have none.
pub type Rule = dyn Fn(&Backward<'_>) -> Vec<Option<Tensor>> + Send + Sync;

/// A function with a gradient rule of one's own, as `tf.custom_gradient` and `jax.custom_vjp` make it: where the derivative
/// of what is computed is not stable, or not the one that is wanted.
///
/// The arguments and the result may be any [`Tree`]. The rule is given their tensors, in order, and the gradients that
/// come to those of the result, and gives the gradient of each argument; a variable among the arguments counts as what it
/// holds. What the function captures gets no gradient. The rule is made of ops, and is differentiated again.
///
/// ```
/// use graphfn::{custom_gradient, prelude::*, times};
///
/// // ln(1 + e^x) overflows for large x, and so would its derivative.
/// let log1pexp = custom_gradient(
///     |x: &Tensor| (1.0 + x.exp()).log(),
///     |call| vec![call.grads[0].as_ref().map(|g| times(g, call.inputs[0].sigmoid()))],
/// );
/// assert_eq!(grad(log1pexp)(&Tensor::from(100.0f32)).item::<f32>(), 1.0);
/// ```
///
/// # Panics
/// A gradient raises an error if the rule gives not one for each tensor of the arguments.
#[track_caller]
pub fn custom_gradient<A: Tree, R: Tree, F>(function: impl Fn(&A) -> R, rule: F) -> impl Fn(&A) -> R
where
    F: Fn(&Backward<'_>) -> Vec<Option<Tensor>> + Send + Sync + 'static,
{
    let (id, rule) = (closure_number("", &[ClosureType::of::<F>()]), Arc::new(rule));
    // A closure has no line of its caller's: the node has that where it was made.
    let place = Place::caller();
    move |arguments: &A| {
        let result = function(arguments);
        let outputs = tensors(&result, |_| None);
        let inputs = tensors(arguments, |variable| Some(variable.read()));
        let op = CustomGradient { id, outputs: outputs.len(), rule: rule.clone(), place };
        let all: Vec<&Tensor> = outputs.iter().chain(&inputs).collect();
        let mut made = or_raise(apply_at(op, &all, "CustomGradient", place)).into_iter();
        let mut next =
            |_: &Tensor| made.next().expect("the node has an output for each tensor of the result");
        result.map(&mut Mapping { tensor: &mut next, variable: &mut Variable::clone })
    }
}

/// The tensors of a tree, and what is taken for its variables.
fn tensors(tree: &impl Tree, of: impl Fn(&Variable) -> Option<Tensor>) -> Vec<Tensor> {
    let mut key = Key::new();
    tree.key(&mut key);
    let tensor = |leaf: &Leaf<'_>| match leaf {
        Leaf::Tensor(tensor) => Some((*tensor).clone()),
        Leaf::Variable(variable) => of(variable),
    };
    key.leaves().iter().filter_map(tensor).collect()
}

/// Gives its first inputs on, and the gradients that come to them to the others.
#[derive(Clone)]
struct CustomGradient {
    /// Which rule it is.
    id: u64,
    /// How many inputs are outputs of the function.
    outputs: usize,
    rule: Arc<Rule>,
    /// Where the user made it.
    place: Place,
}

impl fmt::Debug for CustomGradient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CustomGradient{}", self.attrs())
    }
}

impl Op for CustomGradient {
    fn name(&self) -> &'static str {
        "CustomGradient"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("outputs", self.outputs).with("id", Attr::Opaque(self.id))
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        Ok(inputs[..self.outputs].into())
    }

    fn kind(&self) -> Kind {
        Kind::Composite
    }

    fn effects(&self, _: &[Spec]) -> Effects {
        Effects::NONE
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let inputs = &call.inputs[self.outputs..];
        let found = (self.rule)(&Backward { inputs, ..*call });
        if found.len() != inputs.len() {
            let message = format!(
                "a custom gradient gives {} gradients, and the function has {} tensors as arguments",
                found.len(),
                inputs.len()
            );
            let help = "give one for each, `None` for an argument without a gradient";
            raise(Error::new(ErrorKind::Value, message).with_help(help).at(self.place));
        }
        let none = std::iter::repeat_n(None, self.outputs);
        Gradient::Inputs(none.chain(found).collect())
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| inputs[..self.outputs].iter().map(alias).collect()))
    }
}
