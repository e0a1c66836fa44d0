//! The variables of a model, or of a list, each once and by name. Knows no files.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Key, Leaf, Named, Names, Tree, is_recording};
use crate::value::Variable;
use std::collections::{HashMap, HashSet};

/// Variables by name, each once, in order.
pub(super) type NamedVariables = Vec<(String, Variable)>;

/// The variables of a model under the paths of their fields. One that stands in several places has the name of the
/// first; one that is the model itself has its own, as has what an optimiser remembers of variables.
pub(super) fn of_model(model: &impl Tree) -> Result<NamedVariables> {
    let mut key = Key::new();
    model.key(&mut key);
    let (mut found, mut arguments) = (Vec::new(), Vec::new());
    model.leaves(&mut Names::new(&mut found, &mut arguments));
    let paths = found.into_iter().filter_map(|it| match it {
        Named::Tensor(path) | Named::Variable(path) | Named::State(path) => Some(path),
        Named::Scope(..) | Named::Static(..) => None,
    });
    let mut seen = HashSet::new();
    let mut variables = NamedVariables::new();
    for (path, leaf) in paths.zip(key.leaves()) {
        let Leaf::Variable(variable) = leaf else { continue };
        let own = |variable: &Variable| variable.name().to_string();
        let path = if path.is_empty() { own(variable) } else { path };
        let kept = variable.companions().into_iter().map(|it| (own(&it), it));
        let all = std::iter::once((path, (*variable).clone())).chain(kept);
        variables.extend(all.filter(|(_, variable)| seen.insert(variable.id())));
    }
    checked(variables)
}

/// A list of variables and their names.
pub(super) fn of_list<'v, N: AsRef<str>>(
    variables: impl IntoIterator<Item = (N, &'v Variable)>,
) -> Result<NamedVariables> {
    let named = variables.into_iter().map(|(name, it)| (name.as_ref().to_string(), it.clone()));
    checked(named.collect())
}

/// Complains of lists that no file can hold, and of calls while a function is traced, when values are not known.
fn checked(variables: NamedVariables) -> Result<NamedVariables> {
    if is_recording() {
        let message = "a checkpoint is saved or loaded while a function is traced";
        return Err(Error::new(ErrorKind::Trace, message).with_help(
            "do it between calls of the function: there it would be done once a trace",
        ));
    }
    if variables.is_empty() {
        let message = "a checkpoint is of variables, and there are none";
        return Err(Error::new(ErrorKind::Variable, message)
            .with_help("give a model with fields that hold variables, or a list of variables"));
    }
    let (mut names, mut ids) = (HashSet::new(), HashMap::new());
    for (name, variable) in &variables {
        if !names.insert(name) {
            let message = format!("two variables have the name `{name}`");
            return Err(Error::new(ErrorKind::Variable, message)
                .with_help("a file holds one value under a name: rename one of them"));
        }
        if let Some(first) = ids.insert(variable.id(), name) {
            let message = format!("one variable has the names `{first}` and `{name}`");
            return Err(Error::new(ErrorKind::Variable, message)
                .with_help("list it under one name: a file would give it two values"));
        }
    }
    Ok(variables)
}
