//! The complaint that nothing can be trained, and why. Knows what blocks gradients.

use super::update::full_name;
use crate::error::{Error, ErrorKind};
use crate::graph::Tensor;
use crate::value::{Described, Variable};

/// The complaint that no variable has a gradient.
pub(super) fn no_gradients(
    variables: &[&Variable],
    loss: Option<(&Tensor, Option<String>)>,
) -> Error {
    if variables.is_empty() {
        return Error::new(ErrorKind::Variable, "there is no trainable variable to minimise the loss over")
            .with_help("compute the loss from variables of floats, which are read before the optimiser is called");
    }
    let described = |variable: &&Variable| {
        let path = full_name(variable, None);
        format!("{:?}", Described { path: &path, variable })
    };
    let list: Vec<String> = variables.iter().map(described).collect();
    let (loss, why) = loss.map_or((None, None), |(loss, why)| (Some(loss), why));
    let loss_text = loss.map_or_else(String::new, |loss| format!(" and loss {loss:?}"));
    // TensorFlow's sentence, by which people search for it.
    let message = format!(
        "No gradients provided for any variable, check your graph for ops that do not support gradients, between \
         variables [{}]{loss_text}.",
        list.join(", ")
    );
    let help = match why {
        Some(why) => format!("give it a gradient, or compute the loss without it: {why}"),
        None => "compute the loss from the variables by ops that have gradients: integers, comparisons, rounding and \
                 `stop_gradient` let none through"
            .to_string(),
    };
    Error::new(ErrorKind::Variable, message).with_help(help)
}
