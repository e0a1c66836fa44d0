//! The variables that one function makes: by name, and by the line that made them. Knows no scopes and no initialisers.

use crate::error::{Error, ErrorKind, Place, Result};
use crate::value::Variable;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What get_variable does about a name that exists, or does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reuse {
    /// Names must be new.
    #[default]
    Never,
    /// Names must exist.
    Always,
    /// Either is fine.
    Auto,
}

/// The variables of one function.
#[derive(Debug, Default)]
pub struct Store(Mutex<Variables>);

#[derive(Debug, Default)]
struct Variables {
    /// Those of `get_variable`, by their full names.
    named: BTreeMap<String, (Variable, Place)>,
    /// The lines that made one by `Variable::new`, and its id.
    plain: HashMap<Place, u64>,
}

impl Store {
    /// The variable of this name and where it was made.
    pub fn get(&self, name: &str) -> Option<(Variable, Place)> {
        self.lock().named.get(name).cloned()
    }

    /// Keeps a variable under its name; gives the one that another thread has kept there meanwhile, if there is one.
    pub fn insert(&self, name: &str, variable: Variable, place: Place) -> Variable {
        self.lock().named.entry(name.to_string()).or_insert((variable, place)).0.clone()
    }

    /// Notes that a line makes a variable by `Variable::new`.
    ///
    /// # Errors
    /// If it has made one before: a second trace would go on with another variable than the first.
    pub fn note(&self, variable: &Variable, place: Place) -> Result<()> {
        if let Entry::Vacant(free) = self.lock().plain.entry(place) {
            free.insert(variable.id());
            return Ok(());
        }
        let name = variable.name();
        let message = format!(
            "variable `{name}` is made a second time at {place}: a traced function makes a variable once"
        );
        Err(Error::new(ErrorKind::Variable, message).with_help(format!(
            "make it outside the function or as a field of a model, or ask for it by name: `get_variable({name:?}, ..)`"
        )))
    }

    /// Forgets a variable that a failed trace made.
    pub fn remove(&self, id: u64) {
        let mut variables = self.lock();
        variables.named.retain(|_, (variable, _)| variable.id() != id);
        variables.plain.retain(|_, made| *made != id);
    }

    /// Forgets which lines made variables, when the traces that went on with those are forgotten.
    pub fn forget_plain(&self) {
        self.lock().plain.clear();
    }

    /// The variables that have names here, by name.
    pub fn variables(&self) -> Vec<Variable> {
        self.lock().named.values().map(|(variable, _)| variable.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Variables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
