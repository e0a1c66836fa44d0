//! The graph that ops go to while it is the default. Knows threads.

use super::graph::Graph;
use crate::graph::AtHome;
use std::cell::RefCell;
use std::marker::PhantomData;

thread_local! {
    /// The graphs that were made the default, innermost last.
    static DEFAULTS: RefCell<Vec<Graph>> = const { RefCell::new(Vec::new()) };
    /// The one that is it where none was.
    static OWN: RefCell<Option<Graph>> = const { RefCell::new(None) };
}

/// The default graph of this thread: that of the innermost [`Graph::as_default`], or else one of the thread's own.
///
/// Ops go to it while an `as_default` is in force; without one they run at once, and only what is asked of the graph
/// itself, such as `default_graph().placeholder::<f32>([])`, and ops on such tensors are added to it.
pub fn default_graph() -> Graph {
    DEFAULTS
        .with_borrow(|graphs| graphs.last().cloned())
        .unwrap_or_else(|| OWN.with_borrow_mut(|own| own.get_or_insert_with(Graph::new).clone()))
}

/// While it lives, ops of this thread go to a graph.
#[must_use = "ops go to the graph while this lives: `let _graph = graph.as_default();`"]
pub struct AsDefault {
    _home: AtHome,
    /// It belongs to its thread.
    _thread: PhantomData<*const ()>,
}

impl AsDefault {
    pub(super) fn new(graph: &Graph) -> AsDefault {
        DEFAULTS.with_borrow_mut(|graphs| graphs.push(graph.clone()));
        AsDefault { _home: graph.enter(), _thread: PhantomData }
    }
}

impl Drop for AsDefault {
    fn drop(&mut self) {
        drop(DEFAULTS.with_borrow_mut(|graphs| graphs.pop()));
    }
}
