//! Copying a graph node by node: what every pass does with what it does not change. Knows no op.

use crate::graph::{Graph, Node, Output, Ref};
use smallvec::SmallVec;

/// What a node's outputs are in the copy.
pub type Values = SmallVec<[Ref; 1]>;

/// Copies a graph. `visit` gets the copy so far and each node with its inputs mapped; what it returns stands for the
/// node's outputs from there on, and with `None` the node is copied as it is.
pub fn copy(graph: &Graph, mut visit: impl FnMut(&mut Graph, &Node) -> Option<Values>) -> Graph {
    let mut copy = graph.without_nodes();
    copy.nodes.reserve(graph.nodes.len());
    let mut values: Vec<Values> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let inputs = node.inputs.iter().map(|value| mapped(&values, *value)).collect();
        let node = Node { inputs, ..node.clone() };
        let outputs = visit(&mut copy, &node).unwrap_or_else(|| add(&mut copy, node));
        values.push(outputs);
    }
    with_results_of(graph, copy, &values)
}

/// The copy with the results of the graph, whose nodes' outputs are these values in it.
pub fn with_results_of(graph: &Graph, copy: Graph, values: &[Values]) -> Graph {
    let output = |it: &Output| Output { value: mapped(values, it.value), ..it.clone() };
    Graph {
        outputs: graph.outputs.iter().map(output).collect(),
        finals: graph.finals.iter().map(|(slot, value)| (*slot, mapped(values, *value))).collect(),
        ..copy
    }
}

/// Adds a node and gives its outputs.
pub fn add(graph: &mut Graph, node: Node) -> Values {
    let outputs = node.outputs.len();
    let id = graph.add_node(node);
    (0..outputs).map(|output| Ref::Node(id, output as u16)).collect()
}

/// What a value is in the copy.
pub fn mapped(values: &[Values], value: Ref) -> Ref {
    match value {
        Ref::Node(id, output) => values[id.index()][output as usize],
        other => other,
    }
}
