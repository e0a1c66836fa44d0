//! Threads variables through a graph: a read becomes what was assigned last, an assignment a value at the end.
//! Knows the two kinds of node that are about variables.
//!
//! Afterwards all nodes are about values alone; a run writes variables at its end, so one that fails changes none.

use super::walk;
use crate::error::Result;
use crate::graph::{Graph, NodeKind, Ref, SlotId};
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeMap;

/// Replaces reads and assignments by values.
pub fn thread(graph: &Graph) -> Result<Graph> {
    let mut assigned: BTreeMap<SlotId, Ref> = BTreeMap::new();
    let mut threaded = walk::copy(graph, |_, node| match &node.kind {
        NodeKind::Read(slot) => {
            Some(smallvec![assigned.get(slot).copied().unwrap_or(Ref::Variable(*slot))])
        }
        NodeKind::Assign(slot) => {
            assigned.insert(*slot, node.inputs[0]);
            Some(SmallVec::new())
        }
        NodeKind::Op(_) => None,
        NodeKind::Group | NodeKind::Mark | NodeKind::Gradient(_) => {
            unreachable!("gradients are worked out and groups taken apart before the passes run")
        }
    });
    threaded.finals =
        assigned.into_iter().filter(|(slot, value)| *value != Ref::Variable(*slot)).collect();
    Ok(threaded)
}
