//! The place of a layer in a model: what it and its variables are called. Knows no layer.

use super::scope::{Entered, name_scope, with_current};
use crate::value::Variable;
use once_cell::sync::Lazy;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The place of a layer in a model: its names. A field of a `#[derive(Tree)]` layer; the path is that of the field.
///
/// ```
/// use graphfn::prelude::*;
///
/// #[derive(Tree)]
/// struct Shift { scope: Scope, by: Variable }
///
/// impl Shift {
///     fn call(&self, x: &Tensor) -> Tensor {
///         self.scope.enter(|| x + &self.by)
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Scope {
    id: u64,
    /// What the layer is called when it stands in no model.
    default: Arc<str>,
    /// How many layers of this default name were made before.
    number: usize,
}

impl Scope {
    /// A scope of its own; `default` names it where no field does.
    pub fn new(default: &str) -> Scope {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = next_number(default);
        Scope { id: NEXT.fetch_add(1, Ordering::Relaxed), default: default.into(), number }
    }

    /// A number that is this scope's own.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// What it is called where no field names it.
    pub fn default_name(&self) -> &str {
        &self.default
    }

    /// Runs a block in the scope: ops in it are named after the layer.
    pub fn enter<R>(&self, block: impl FnOnce() -> R) -> R {
        let _entered = self.open();
        block()
    }

    /// As [`Scope::enter`], until what it gives is dropped.
    pub(crate) fn open(&self) -> Entered {
        match self.path() {
            Some(path) if !path.is_empty() => name_scope(&path).open(),
            _ => Entered(None),
        }
    }

    /// The path in the arguments of the function being run; if it stands in none of them, the default name, with a
    /// number from the second such layer of the function on. `None` outside of any function.
    pub fn path(&self) -> Option<String> {
        with_current(|names| names.path(self))
    }

    /// What the layer is called here: its path. Outside of any function it is the default name, and layers of one
    /// default name are numbered in the order in which they were made. Empty for a layer that is the model itself.
    pub fn name(&self) -> String {
        self.path().unwrap_or_else(|| match self.number {
            0 => self.default.to_string(),
            number => format!("{}_{number}", self.default),
        })
    }

    /// The full name of a variable of this layer, such as `dense1/weight`; a trace knows it by that from here on, if it
    /// stands in no argument.
    pub fn name_of(&self, variable: &Variable) -> String {
        let full = match &*self.name() {
            "" => variable.name().to_string(),
            name => format!("{name}/{}", variable.name()),
        };
        with_current(|names| names.owned.insert(variable.id(), full.clone()));
        full
    }
}

/// How many scopes of this default name the process has made before.
fn next_number(default: &str) -> usize {
    static MADE: Lazy<Mutex<HashMap<String, usize>>> = Lazy::new(Mutex::default);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let next = made.entry(default.to_string()).or_insert(0);
    std::mem::replace(next, *next + 1)
}
