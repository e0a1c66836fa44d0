//! What a traced body returned, to be filled with the results of each call. Knows bindings, and no cache.

use super::concrete::Binding;
use crate::graph::{Key, Leaf, Mapping, Tensor, Tree, standing_for};
use crate::value::{Value, Variable};
use std::cell::RefCell;

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
        let outputs = RefCell::new(outputs.into_iter());
        let next = || -> Tensor {
            let output = outputs.borrow_mut().next();
            output.expect("a trace has an output for each tensor of its result").into()
        };
        let mut sources = self.variables.iter();
        self.value.map(&mut Mapping {
            tensor: &mut |_| next(),
            variable: &mut |variable| match sources
                .next()
                .expect("each variable of a result has a source")
            {
                Binding::Output => standing_for(variable.name(), next()),
                Binding::Kept(_) => unreachable!("what one variable keeps for another is a slot"),
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
