//! Drops what nobody sees: nodes, constants. Inputs and variables stay, for they are the graph's face. Knows effects.

use crate::error::Result;
use crate::graph::{ConstantId, Graph, Node, NodeId, Ref};
use crate::types::Spec;
use smallvec::SmallVec;

/// Keeps the nodes that an output, a variable's final value, or an effect needs, and the constants that those use.
pub fn prune(graph: &Graph) -> Result<Graph> {
    let live = live_nodes(graph);
    let mut pruned = graph.without_nodes();
    pruned.constants.clear();
    let mut renumbered = Renumbered {
        nodes: vec![None; graph.nodes.len()],
        constants: vec![None; graph.constants.len()],
    };
    for (id, node) in graph.iter().filter(|(id, _)| live[id.index()]) {
        let mut node = node.clone();
        node.inputs
            .iter_mut()
            .for_each(|value| *value = renumbered.value(graph, &mut pruned, *value));
        renumbered.nodes[id.index()] = Some(pruned.add_node(node));
    }
    for output in &graph.outputs {
        let value = renumbered.value(graph, &mut pruned, output.value);
        pruned.outputs.push(crate::graph::Output { value, ..output.clone() });
    }
    for (slot, value) in &graph.finals {
        let value = renumbered.value(graph, &mut pruned, *value);
        pruned.finals.push((*slot, value));
    }
    Ok(pruned)
}

fn live_nodes(graph: &Graph) -> Vec<bool> {
    let mut live = vec![false; graph.nodes.len()];
    let mark = |value: Ref, live: &mut Vec<bool>| {
        if let Ref::Node(id, _) = value {
            live[id.index()] = true;
        }
    };
    graph.results().for_each(|value| mark(value, &mut live));
    for (id, node) in graph.iter().rev() {
        if has_effect(graph, node) || live[id.index()] {
            live[id.index()] = true;
            node.inputs.iter().for_each(|value| mark(*value, &mut live));
        }
    }
    live
}

/// Whether a node does more than compute its outputs, in a region of it too.
fn has_effect(graph: &Graph, node: &Node) -> bool {
    let specs: SmallVec<[Spec; 4]> = node.inputs.iter().map(|value| graph.spec(*value)).collect();
    let regions = node.kind.regions();
    match node.kind.op() {
        Some(op) => !op.effects(&specs).is_pure(),
        None if regions.is_empty() => true,
        None => regions.iter().any(|(_, it)| it.nodes.iter().any(|node| has_effect(it, node))),
    }
}

struct Renumbered {
    nodes: Vec<Option<NodeId>>,
    constants: Vec<Option<Ref>>,
}

impl Renumbered {
    fn value(&mut self, from: &Graph, to: &mut Graph, value: Ref) -> Ref {
        match value {
            Ref::Node(id, output) => {
                Ref::Node(self.nodes[id.index()].expect("what a live node uses is live"), output)
            }
            Ref::Constant(id) => *self.constants[id.index()]
                .get_or_insert_with(|| to.add_constant(from.constant(ConstantId::new(id.index())))),
            other => other,
        }
    }
}
