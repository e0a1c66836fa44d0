//! What is done before what, where no value says so. Knows no session.

use super::graph::building;
use crate::error::{Error, ErrorKind, Place};
use crate::graph::{
    NodeId, Operation, Ref, Tensor, TraceId, at_home, or_raise, raise, recorder, unique_name,
};
use std::cell::RefCell;

thread_local! {
    /// What the nodes that this thread adds to a graph wait for, innermost block last.
    static AWAITED: RefCell<Vec<(TraceId, Vec<NodeId>)>> = const { RefCell::new(Vec::new()) };
}

/// What a node waits for that this thread adds now.
pub(super) fn awaited(graph: TraceId) -> Vec<NodeId> {
    AWAITED.with_borrow(|blocks| {
        let here = blocks.iter().filter(|(of, _)| *of == graph);
        let mut all: Vec<NodeId> = here.flat_map(|(_, nodes)| nodes.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    })
}

/// Runs a block whose nodes wait until these operations are done, in every run that asks for one of both.
///
/// ```
/// use graphfn::prelude::*;
/// use graphfn::control_dependencies;
///
/// let graph = Graph::new();
/// let count = graph.get_variable("count", [], init::Zeros);
/// let more = count.assign_add(1.0);
/// let seen = control_dependencies([&more], || count.read());
/// let session = Session::new(&graph);
/// session.run(&graph.global_variables_initializer())?;
/// assert_eq!(session.run(&seen)?.item::<f32>(), 1.0);
/// # Ok::<(), Error>(())
/// ```
///
/// # Panics
/// Raises an error if they are not of one graph.
#[track_caller]
pub fn control_dependencies<O: Into<Operation>, R>(
    operations: impl IntoIterator<Item = O>,
    block: impl FnOnce() -> R,
) -> R {
    struct Back;
    impl Drop for Back {
        fn drop(&mut self) {
            AWAITED.with_borrow_mut(|blocks| blocks.pop());
        }
    }
    let operations: Vec<Operation> = operations.into_iter().map(Into::into).collect();
    let nodes = nodes(&operations);
    let Some((graph, _)) = nodes.first().copied() else { return block() };
    if nodes.iter().any(|(it, _)| *it != graph) {
        let message = "what is waited for is of several graphs";
        raise(Error::new(ErrorKind::Trace, message).with_help("let a graph wait for its own"));
    }
    let _home = at_home(operations.iter().filter_map(Operation::tensor));
    AWAITED.with_borrow_mut(|blocks| {
        blocks.push((graph, nodes.into_iter().map(|(_, node)| node).collect()));
    });
    let _back = Back;
    block()
}

/// One operation that does all of these.
///
/// # Panics
/// Raises an error outside of a graph.
#[track_caller]
pub fn group<O: Into<Operation>>(operations: impl IntoIterator<Item = O>) -> Operation {
    let operations: Vec<Operation> = operations.into_iter().map(Into::into).collect();
    let _home = at_home(operations.iter().filter_map(Operation::tensor));
    grouped(&operations, "group_deps", Place::caller())
}

/// An operation that does nothing but what its block waits for.
///
/// # Panics
/// Raises an error outside of a graph.
#[track_caller]
pub fn no_op() -> Operation {
    grouped(&[], "NoOp", Place::caller())
}

/// One node of the present graph that waits for operations.
#[track_caller]
pub(super) fn grouped(operations: &[Operation], label: &str, place: Place) -> Operation {
    let Some(recorder) = recorder() else {
        let message = "there is no graph to add an operation to";
        raise(
            Error::new(ErrorKind::Trace, message)
                .with_help("open one: `let _graph = graph.as_default();`"),
        );
    };
    let name = unique_name(label);
    let done = or_raise(recorder.group(&name, recorder.position(), None, place));
    let Some(done) = done else { return Operation::done() };
    building(&done, |state, id| {
        let mut waits = nodes(operations);
        waits.extend(awaited(state.builder.id()).into_iter().map(|it| (state.builder.id(), it)));
        state.builder.graph.controls.insert(id, waits.into_iter().map(|(_, id)| id).collect());
    });
    Operation::of(done)
}

/// The nodes that do something, each with its graph.
fn nodes(operations: &[Operation]) -> Vec<(TraceId, NodeId)> {
    let symbolic = operations.iter().filter_map(|it| it.tensor().and_then(Tensor::as_symbolic));
    let node = symbolic.filter_map(|it| match it.value {
        Ref::Node(id, _) => Some((it.trace, id)),
        _ => None,
    });
    node.collect()
}
