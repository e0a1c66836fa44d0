//! Variables that one variable keeps for another, in a trace and at its calls: what stands in the place of the two
//! decides which it is. Knows no optimiser.

use super::concrete::{Binding, Concrete};
use crate::error::Result;
use crate::graph::{Companion, Key, Role, owned_name};
use crate::ops;
use crate::value::Variable;
use std::sync::Arc;

/// What a slot of a graph is bound to, if one variable keeps it for another.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub keeper: Binding,
    pub of: Binding,
    pub role: Role,
    pub name: Arc<str>,
}

impl Kept {
    /// The binding of a companion, given those of the two that it depends on.
    pub fn new(companion: &Companion, mut bind: impl FnMut(&Variable) -> Binding) -> Kept {
        let Companion { keeper, of, role, name, .. } = companion;
        Kept { keeper: bind(keeper), of: bind(of), role: *role, name: name.clone() }
    }

    /// The variable at a call; one that is not there yet is made.
    ///
    /// # Errors
    /// If the variable that it is for has no value.
    pub fn find(&self, concrete: &Concrete, key: &Key<'_>) -> Result<Variable> {
        let [keeper, of] = [&self.keeper, &self.of].map(|it| concrete.bound(it, key, &[]));
        Ok(ops::kept(keeper, of, self.role, &self.name)?.0)
    }
}

/// The name of a variable that stands in no argument: its layer's and its own, with a number where that is taken.
pub(super) fn name_of_captured(
    companion: Option<&Companion>,
    variable: &Variable,
    is_taken: impl Fn(&str) -> bool,
) -> Arc<str> {
    let own = match companion {
        Some(companion) => companion.name.to_string(),
        None => owned_name(variable).unwrap_or_else(|| variable.name().to_string()),
    };
    let numbered = (1..).map(|number| format!("{own}_{number}"));
    let mut names = std::iter::once(own.clone()).chain(numbered);
    names.find(|name| !is_taken(name)).expect("there are more numbers than variables").into()
}
