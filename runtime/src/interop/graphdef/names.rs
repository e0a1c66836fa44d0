//! What nodes and constants are called in TensorFlow, where that is not what they are called here. Knows graphs, and no op
//! but by its name.

use super::built::first;
use super::writer::Writer;
use crate::graph::{Graph, Node, NodeId, NodeKind, Ref};

/// The names that the nodes of a graph get in TensorFlow, when nothing else has been written before.
pub(in crate::interop) fn node_names(graph: &Graph) -> Vec<String> {
    names_in(&mut Writer::default(), graph)
}

/// The names of the nodes of a graph, which are taken from now on.
pub(super) fn names_in(writer: &mut Writer, graph: &Graph) -> Vec<String> {
    graph.iter().map(|(id, node)| writer.unique(&node_name(graph, id, node))).collect()
}

/// The name of a node: a variable that is read for an op is read in the op's name, as in TensorFlow.
fn node_name(graph: &Graph, id: NodeId, node: &Node) -> String {
    let label = node.name.rsplit('/').next().unwrap_or_default();
    let is_plain = matches!(node.kind, NodeKind::Read(_)) && label.starts_with("ReadVariableOp");
    let user = || graph.nodes.iter().find(|user| user.inputs.contains(&Ref::node(id)));
    match user().filter(|_| is_plain) {
        Some(user) => format!("{}/ReadVariableOp", user.name),
        None if node.kind.op().is_some_and(|op| op.name() == "Initializer") => {
            format!("{}/{}", node.name, first::label(node))
        }
        None => node.name.to_string(),
    }
}

/// The name of a constant, by the node that uses it first and its place there; those of gradients are called `Const`.
pub(super) fn constant_name(user: &str, place: usize) -> String {
    match user.rsplit_once('/') {
        Some((scope, node)) if scope.ends_with("_grad") && !node.is_empty() => {
            format!("{scope}/Const")
        }
        Some((_, node)) if node.starts_with("grad_ys_") => format!("{user}/Const"),
        _ => {
            let label = ["x", "y", "z"].get(place).copied().unwrap_or("Const");
            format!("{user}/{label}")
        }
    }
}

/// The name of a constant that holds an attribute of a node; the sizes of what gradients begin with stand beside it.
pub(super) fn attribute_name(node: &str, label: &str) -> String {
    match node.rsplit_once('/') {
        Some((scope, name)) if name.starts_with("grad_ys_") && label == "shape" => {
            format!("{scope}/Shape")
        }
        _ => format!("{node}/{label}"),
    }
}
