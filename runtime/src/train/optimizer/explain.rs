//! The complaint that nothing can be trained, and why. Knows what blocks gradients.

use super::update::full_name;
use crate::error::{Error, ErrorKind};
use crate::graph::Tensor;
use crate::value::{Described, Variable};

/// The complaint that no variable has a gradient.
pub(super) fn no_gradients(
    variables: &[&Variable],
    loss: Option<&Tensor>,
    reasons: &[String],
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
    let loss_text = match loss {
        None => String::new(),
        Some(loss) if loss.is_symbolic() => format!(" and loss {loss}"),
        Some(loss) => format!(" and loss {loss:?}"),
    };
    // TensorFlow's sentence, by which people search for it.
    let message = format!(
        "No gradients provided for any variable, check your graph for ops that do not support gradients, between \
         variables [{}]{loss_text}.",
        list.join(", ")
    );
    Error::new(ErrorKind::Variable, message).with_help(help(reasons))
}

/// What to do about it, and why no gradient comes from the loss to the variables, where that is known.
fn help(reasons: &[String]) -> String {
    let advice = "compute the loss from the variables by ops that have gradients";
    match reasons {
        [] => format!("{advice}: `explain_gradient` says what blocks one"),
        reasons => format!("{advice}; there is {}", reasons.join("; there is ")),
    }
}
