//! Runs what depends on constants alone, once. Knows effects, and eager execution as the one that runs it.

use super::walk;
use crate::error::Result;
use crate::graph::{Graph, Kind, Node, NodeKind, Recording, Ref, Tensor, run_eagerly};
use crate::types::Spec;

/// Up to how many bytes a folded constant may be larger than what it is made of: folding must not bloat a graph.
const GROWTH: usize = 64 * 1024;

/// Replaces nodes whose inputs are constants by constants, if running them succeeds.
pub fn fold(graph: &Graph) -> Result<Graph> {
    let _eagerly = Recording::eagerly();
    Ok(walk::copy(graph, |copy, node| {
        let NodeKind::Op(op) = &node.kind else { return None };
        if !is_foldable(copy, node) {
            return None;
        }
        let inputs: Vec<Tensor> =
            node.inputs.iter().map(|value| constant(copy, *value)).collect::<Option<_>>()?;
        let inputs: Vec<&Tensor> = inputs.iter().collect();
        let outputs = run_eagerly(op, &inputs).ok()?;
        Some(outputs.iter().map(|it| copy.add_constant(&it.value().to_row_major())).collect())
    }))
}

fn is_foldable(graph: &Graph, node: &Node) -> bool {
    let Some(op) = node.kind.op() else { return false };
    let specs: Vec<Spec> = node.inputs.iter().map(|value| graph.spec(*value)).collect();
    let is_constant = node.inputs.iter().all(|value| matches!(value, Ref::Constant(_)));
    // Sources stay as they are: they are smaller than their values.
    let bytes = |spec: &Spec| spec.len().map(|len| len * spec.dtype().size());
    let read: usize = specs.iter().filter_map(bytes).sum();
    let written: Option<usize> = node.outputs.iter().map(bytes).sum();
    is_constant
        && !op.effects(&specs).host
        && op.kind() != Kind::Random
        && written.is_some_and(|written| written <= read + GROWTH)
}

fn constant(graph: &Graph, value: Ref) -> Option<Tensor> {
    match value {
        Ref::Constant(id) => Some(graph.constant(id).clone().into()),
        _ => None,
    }
}
