//! Threads variables through a graph: a read becomes what was assigned last, an assignment a value at the end.
//! Knows the kinds of node that are about variables, and those whose regions may hold such.
//!
//! Afterwards all nodes are about values alone; a run writes variables at its end, so one that fails changes none. A
//! region gets the variables that it uses as further inputs, and gives those that it assigns as further outputs.

use super::walk;
use crate::error::Result;
use crate::graph::{
    Graph, InputId, Loop, Node, NodeKind, Output, Ref, Slot, SlotId, assigned_slots, used_slots,
};
use smallvec::{SmallVec, smallvec};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What variables hold at a point of the program, as far as it differs from the start.
type States = BTreeMap<SlotId, Ref>;

/// Replaces reads and assignments by values.
pub fn thread(graph: &Graph) -> Result<Graph> {
    let (mut threaded, assigned) = threaded(graph, States::new(), &[]);
    threaded.finals =
        assigned.into_iter().filter(|(slot, value)| *value != Ref::Variable(*slot)).collect();
    Ok(threaded)
}

/// A graph without reads and assignments, and what variables hold at its end. `inputs` are added to its inputs: `states`
/// may say that a variable is one of them.
fn threaded(graph: &Graph, mut states: States, inputs: &[Slot]) -> (Graph, States) {
    let mut whole = graph.clone();
    for slot in inputs {
        whole.add_input(slot.name.clone(), slot.spec);
    }
    let threaded = walk::copy(&whole, |copy, node| match &node.kind {
        NodeKind::Read(slot) => Some(smallvec![state(&states, *slot)]),
        NodeKind::Assign(slot) => {
            states.insert(*slot, node.inputs[0]);
            Some(SmallVec::new())
        }
        NodeKind::Op(_) => None,
        NodeKind::If(arms) => Some(branch(copy, node, arms, &mut states)),
        NodeKind::While(it) => Some(repeat(copy, node, it, &mut states)),
        NodeKind::Group | NodeKind::Mark | NodeKind::Gradient(_) => {
            unreachable!("gradients are worked out and groups taken apart before the passes run")
        }
    });
    (threaded, states)
}

fn state(states: &States, slot: SlotId) -> Ref {
    states.get(&slot).copied().unwrap_or(Ref::Variable(slot))
}

/// The slots that a node's regions use: those that they assign, then the others.
fn slots(kind: &NodeKind) -> (Vec<SlotId>, Vec<SlotId>) {
    let all = |of: fn(&Graph) -> BTreeSet<SlotId>| -> BTreeSet<SlotId> {
        kind.regions().iter().flat_map(|(_, region)| of(region)).collect()
    };
    let (assigned, used) = (all(assigned_slots), all(used_slots));
    let read = used.difference(&assigned).copied().collect();
    (assigned.into_iter().collect(), read)
}

/// A branch whose arms are given the variables that they use, and give those that either assigns.
fn branch(copy: &mut Graph, node: &Node, arms: &[Graph; 2], states: &mut States) -> walk::Values {
    let (assigned, read) = slots(&node.kind);
    let used: Vec<SlotId> = assigned.iter().chain(&read).copied().collect();
    let inputs: Vec<Slot> = used.iter().map(|it| copy.slots[it.index()].clone()).collect();
    let arms = arms.each_ref().map(|arm| {
        let from = arm.inputs.len();
        let first = used.iter().enumerate();
        let first = first.map(|(at, slot)| (*slot, Ref::Input(InputId::new(from + at)))).collect();
        region(arm, first, &inputs, &assigned)
    });
    let mut node = Node { kind: NodeKind::If(Arc::new(arms)), ..node.clone() };
    node.inputs.extend(used.iter().map(|slot| state(states, *slot)));
    placed(copy, node, &assigned, states)
}

/// A loop that carries the variables which its body assigns, and is given the others that it uses.
fn repeat(copy: &mut Graph, node: &Node, it: &Loop, states: &mut States) -> walk::Values {
    let (assigned, read) = slots(&node.kind);
    let (carried, given) = (node.outputs.len(), node.inputs.len());
    let slot = |slot: &SlotId| copy.slots[slot.index()].clone();
    let [written, others] = [&assigned, &read].map(|all| all.iter().map(slot).collect::<Vec<_>>());
    let regions = [(&it.condition, &[][..]), (&it.body, &assigned[..])].map(|(graph, gives)| {
        // What is assigned is carried, so it stands before what is captured.
        let graph = with_inputs_at(graph, carried, &written);
        let at = |at: usize| Ref::Input(InputId::new(at));
        let first = assigned.iter().enumerate().map(|(i, slot)| (*slot, at(carried + i)));
        let behind = given + assigned.len();
        let rest = read.iter().enumerate().map(|(i, slot)| (*slot, at(behind + i)));
        region(&graph, first.chain(rest).collect(), &others, gives)
    });
    let [condition, body] = regions;
    let mut node =
        Node { kind: NodeKind::While(Arc::new(Loop { condition, body })), ..node.clone() };
    node.inputs.insert_many(carried, assigned.iter().map(|slot| state(states, *slot)));
    node.inputs.extend(read.iter().map(|slot| state(states, *slot)));
    placed(copy, node, &assigned, states)
}

/// A region without reads and assignments, which gives what these variables hold at its end too.
fn region(graph: &Graph, first: States, inputs: &[Slot], gives: &[SlotId]) -> Graph {
    let (mut region, last) = threaded(graph, first, inputs);
    let values = gives.iter().map(|slot| Output { name: "".into(), value: last[slot] });
    region.outputs.extend(values);
    region.slots.clear();
    region
}

/// A graph with further inputs at a position.
fn with_inputs_at(graph: &Graph, at: usize, slots: &[Slot]) -> Graph {
    let mut graph = graph.clone();
    let behind = graph.inputs.split_off(at);
    for slot in slots {
        graph.add_input(slot.name.clone(), slot.spec);
    }
    graph.inputs.extend(behind);
    let moved = |value: &mut Ref| match value {
        Ref::Input(id) if id.index() >= at => {
            *value = Ref::Input(InputId::new(id.index() + slots.len()));
        }
        _ => {}
    };
    graph.nodes.iter_mut().flat_map(|node| &mut node.inputs).for_each(moved);
    graph.outputs.iter_mut().map(|it| &mut it.value).for_each(moved);
    graph
}

/// Adds a node that gives what variables hold after it, behind its own outputs.
fn placed(
    copy: &mut Graph,
    mut node: Node,
    assigned: &[SlotId],
    states: &mut States,
) -> walk::Values {
    let own = node.outputs.len();
    node.outputs.extend(assigned.iter().map(|slot| copy.slots[slot.index()].spec));
    let mut values = walk::add(copy, node);
    for (slot, value) in assigned.iter().zip(values.drain(own..)) {
        states.insert(*slot, value);
    }
    values
}
