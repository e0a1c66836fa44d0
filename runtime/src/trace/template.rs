//! What a traced body returned, to be filled with the results of each call. Knows bindings, and no cache.

use super::concrete::Binding;
use crate::graph::{Key, Leaf, Mapping, Tree};
use crate::value::{Value, Variable};

/// What a body returned while it was traced, and where its variables come from.
pub(super) struct Template<R> {
    /// The value, with symbolic tensors.
    pub(super) value: R,
    /// Where each variable of it comes from.
    pub(super) variables: Vec<Binding>,
    /// The variables that the trace captured.
    pub(super) captured: Vec<Variable>,
}

impl<R: Tree> Template<R> {
    #[inline]
    pub(super) fn filled(&self, outputs: impl IntoIterator<Item = Value>, key: &Key<'_>) -> R {
        let mut outputs = outputs.into_iter();
        let mut sources = self.variables.iter();
        self.value.map(&mut Mapping {
            tensor: &mut |_| {
                outputs.next().expect("a trace has an output for each tensor of its result").into()
            },
            variable: &mut |_| match sources.next().expect("each variable of a result has a source")
            {
                Binding::Captured(at) => self.captured[*at].clone(),
                Binding::Leaf(at) => match key.leaves()[*at] {
                    Leaf::Variable(variable) => variable.clone(),
                    Leaf::Tensor(_) => unreachable!(
                        "a key with the same words has its variables at the same leaves"
                    ),
                },
            },
        })
    }
}
