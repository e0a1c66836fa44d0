//! Something that a graph does, rather than a value that it computes. Knows no graph.

use super::Tensor;

/// Something that a run of a graph can be asked to do: an update, an initialisation, a group of both.
///
/// In a function that is traced, and where ops run at once, it is done already where it is asked for; then there is
/// nothing to run.
#[derive(Clone, Debug)]
pub struct Operation(Option<Tensor>);

impl Operation {
    /// What is done when this tensor is computed.
    pub fn of(tensor: Tensor) -> Operation {
        Operation(Some(tensor))
    }

    /// What is done already.
    pub fn done() -> Operation {
        Operation(None)
    }

    /// The tensor that is computed when it is done; `None` if it is done already.
    pub fn tensor(&self) -> Option<&Tensor> {
        self.0.as_ref()
    }

    /// The name of its node: `GradientDescent`; empty if it is done already.
    pub fn name(&self) -> &str {
        let symbolic = self.0.as_ref().and_then(Tensor::as_symbolic);
        symbolic.map_or("", |it| it.origin.name.trim_end_matches(":0"))
    }

    /// Gives its node another name.
    ///
    /// # Panics
    /// As [`Tensor::named`].
    #[track_caller]
    #[must_use]
    pub fn named(&self, name: &str) -> Operation {
        match &self.0 {
            Some(tensor) => Operation(Some(tensor.named(name))),
            None => Operation(None),
        }
    }
}

impl From<&Tensor> for Operation {
    fn from(tensor: &Tensor) -> Operation {
        Operation(Some(tensor.clone()))
    }
}

impl From<&Operation> for Operation {
    fn from(operation: &Operation) -> Operation {
        operation.clone()
    }
}
