//! Replaces composite ops by the smaller ops that they are functions of. Knows the kind of an op, not which it is.

use super::walk;
use crate::error::{Error, Result};
use crate::graph::{Builder, Graph, Insertion, Kind, Node, OpRef, Recording, Ref, Tensor};
use crate::types::Spec;
use smallvec::SmallVec;
use std::rc::Rc;

/// Expands composite ops until none is left.
pub fn expand(graph: &Graph) -> Result<Graph> {
    expand_where(graph, |_| true)
}

/// Expands composite ops until none is left but those that are not wanted.
///
/// # Errors
/// What an expansion refuses.
pub fn expand_where(graph: &Graph, is_wanted: impl Fn(&OpRef) -> bool) -> Result<Graph> {
    let is_next = |node: &Node| is_composite(node) && node.kind.op().is_some_and(&is_wanted);
    let mut graph = graph.clone();
    while graph.nodes.iter().any(is_next) {
        graph = expand_once(&graph, is_next)?;
    }
    Ok(graph)
}

fn is_composite(node: &Node) -> bool {
    node.kind.op().is_some_and(|op| op.kind() == Kind::Composite)
}

fn expand_once(graph: &Graph, is_next: impl Fn(&Node) -> bool) -> Result<Graph> {
    let taken = graph.nodes.iter().map(|node| &*node.name);
    let copy = Rc::new(Insertion::new(graph.without_nodes(), taken, "the expansion of an op"));
    let mut values: Vec<walk::Values> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let inputs = node.inputs.iter().map(|value| walk::mapped(&values, *value)).collect();
        let node = Node { inputs, ..node.clone() };
        values.push(if is_next(&node) {
            expanded(&copy, &node)?
        } else {
            copy.with(|builder| walk::add(&mut builder.graph, node))
        });
    }
    Ok(walk::with_results_of(graph, copy.finish(), &values))
}

/// Inserts what a composite is a function of: its nodes get the composite's name as their scope, and its line.
fn expanded(graph: &Rc<Insertion>, node: &Node) -> Result<walk::Values> {
    let op = node.kind.op().expect("a composite is an op");
    let inputs: Vec<Tensor> = node.inputs.iter().map(|value| graph.tensor(*value)).collect();
    let specs: SmallVec<[Spec; 4]> = inputs.iter().map(Tensor::spec).collect();
    let placed = |error: Error| error.at(node.place).at_node(&node.name);
    let expansion = op.expansion(&specs, &node.outputs).map_err(placed)?;
    graph.at(format!("{}/", node.name), node.place);
    let outputs = {
        let _recording = Recording::to(graph.clone());
        // Where the expansion is written is nothing to the user.
        expansion.call(&inputs).map_err(|it| placed(it.nowhere()))?
    };
    let value = |builder: &mut Builder, it: &Tensor| -> Result<Ref> { builder.value_of(it) };
    graph.with(|builder| outputs.iter().map(|it| value(builder, it)).collect())
}
