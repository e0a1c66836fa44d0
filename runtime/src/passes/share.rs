//! One node for equal nodes: the same op with the same attributes on the same values. Knows effects of ops.

use super::walk::{self, Values};
use crate::error::Result;
use crate::graph::{Attrs, Graph, NodeKind, OpRef, Ref, scalar_bits};
use crate::types::Spec;
use smallvec::SmallVec;
use std::collections::HashMap;

/// Whether it is a row, its name and attributes, and what it is given: an op of the user's may be called like a row.
type Key = (bool, &'static str, Attrs, SmallVec<[Ref; 3]>);

/// Merges equal nodes without effects, and equal scalar constants.
///
/// An op that can fail is shared too: its twin fails on the same data.
pub fn share(graph: &Graph) -> Result<Graph> {
    let constants = first_equal_constants(graph);
    let mut made: HashMap<Key, Values> = HashMap::new();
    Ok(walk::copy(graph, |copy, node| {
        let NodeKind::Op(op) = &node.kind else { return None };
        let specs: SmallVec<[Spec; 4]> =
            node.inputs.iter().map(|value| copy.spec(*value)).collect();
        if op.effects(&specs).host {
            return None;
        }
        let inputs: SmallVec<[Ref; 3]> = node
            .inputs
            .iter()
            .map(|value| match value {
                Ref::Constant(id) => constants.get(id.index()).copied().unwrap_or(*value),
                other => *other,
            })
            .collect();
        let key = (matches!(op, OpRef::Static(_)), op.name(), op.attrs(), inputs.clone());
        if let Some(values) = made.get(&key) {
            return Some(values.clone());
        }
        let mut node = node.clone();
        node.inputs = inputs;
        let values = walk::add(copy, node);
        made.insert(key, values.clone());
        Some(values)
    }))
}

/// For each constant the first that equals it; only scalars are compared by value.
fn first_equal_constants(graph: &Graph) -> Vec<Ref> {
    let mut first: HashMap<(Spec, u64), Ref> = HashMap::new();
    let ids = (0..graph.constants.len()).map(|at| Ref::Constant(crate::graph::ConstantId::new(at)));
    ids.zip(&graph.constants)
        .map(|(id, value)| match scalar_bits(value) {
            Some(bits) => *first.entry((value.spec(), bits)).or_insert(id),
            None => id,
        })
        .collect()
}
