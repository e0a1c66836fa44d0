//! Graphs that live on beside the code that builds them: an op on one of their tensors goes to them, also where nothing
//! is recorded. Knows no particular graph.

use super::recorder::{Recorder, Recording, is_recording};
use super::scope::{Names, Naming};
use super::tensor::{Tensor, TraceId};
use crate::error::{Error, ErrorKind, Result};
use crate::value::Variable;
use once_cell::sync::Lazy;
use parking_lot::RwLock;
use std::any::Any;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Weak};

/// A graph under construction that tensors and variables belong to.
pub trait Home: Send + Sync {
    /// Who takes its ops on this thread.
    fn recorder(self: Arc<Self>) -> Rc<dyn Recorder>;

    /// Where the names of its nodes come from.
    fn names(&self) -> &Names;

    /// The graph as what it is.
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

static HOMES: Lazy<RwLock<HashMap<TraceId, Weak<dyn Home>>>> = Lazy::new(RwLock::default);

/// While it lives, ops of this thread go to a graph.
pub struct AtHome {
    _recording: Recording,
    _naming: Naming,
}

impl AtHome {
    /// In this graph.
    pub fn of(home: Arc<dyn Home>) -> AtHome {
        let naming = Naming::share(home.names());
        AtHome { _recording: Recording::to(home.recorder()), _naming: naming }
    }
}

/// From now on, a graph is the home of its tensors.
pub fn settle(id: TraceId, home: Weak<dyn Home>) {
    let mut homes = HOMES.write();
    homes.retain(|_, home| home.strong_count() > 0);
    homes.insert(id, home);
}

/// The graph of this number, if it is one that lives on.
pub fn home(id: TraceId) -> Option<Arc<dyn Home>> {
    HOMES.read().get(&id)?.upgrade()
}

/// Goes to the graph that one of these tensors belongs to, unless something is recorded already.
pub fn at_home<'t>(tensors: impl IntoIterator<Item = &'t Tensor>) -> Option<AtHome> {
    if is_recording() {
        return None;
    }
    tensors.into_iter().find_map(|it| home(it.as_symbolic()?.trace)).map(AtHome::of)
}

/// Goes to the graph that a variable belongs to, unless something is recorded already.
///
/// # Errors
/// If the graph is gone.
pub fn at_home_of(variable: &Variable) -> Result<Option<AtHome>> {
    let Some(id) = variable.home().filter(|_| !is_recording()) else { return Ok(None) };
    match home(TraceId(id)) {
        Some(home) => Ok(Some(AtHome::of(home))),
        None => {
            let message = format!("the graph of variable `{}` is gone", variable.name());
            Err(Error::new(ErrorKind::Variable, message)
                .with_help("keep the `Graph` as long as its variables"))
        }
    }
}
