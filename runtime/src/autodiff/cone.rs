//! What a target depends on, and which sources it can be reached from. Knows paths, and no rules.

use crate::graph::{Graph, Node, NodeId, NodeKind, Origin, Ref, used_slots};
use std::collections::{BinaryHeap, HashMap, HashSet};

/// A source: what it is, and the position from which on its uses count.
pub(super) type Since = (Origin, usize);

/// The nodes that targets depend on by paths of floats, in order, none before a position.
pub(super) fn cone(graph: &Graph, targets: &[Ref], from: usize) -> Vec<NodeId> {
    let mut found: HashSet<NodeId> = HashSet::new();
    let mut waiting = BinaryHeap::new();
    let mut reach = |value: Ref, waiting: &mut BinaryHeap<NodeId>| {
        if let Ref::Node(id, _) = value
            && id.index() >= from
            && graph.dtype(value).is_float()
            && found.insert(id)
        {
            waiting.push(id);
        }
    };
    targets.iter().for_each(|target| reach(*target, &mut waiting));
    let mut nodes = Vec::new();
    while let Some(id) = waiting.pop() {
        nodes.push(id);
        graph.node(id).inputs.iter().for_each(|input| reach(*input, &mut waiting));
    }
    // What the heap gave last stands first.
    nodes.reverse();
    nodes
}

/// What a node takes that a source may be: its float inputs, or the variable that it reads.
pub(super) fn origins<'g>(graph: &'g Graph, node: &'g Node) -> impl Iterator<Item = Origin> + 'g {
    let own = match node.kind {
        NodeKind::Read(slot) => Some(slot),
        _ => None,
    };
    let regions = node.kind.regions().into_iter().flat_map(|(_, region)| used_slots(region));
    let read = own.into_iter().chain(regions).map(Origin::Slot);
    let floats = node.inputs.iter().filter(|input| graph.dtype(**input).is_float());
    floats.map(|input| Origin::Value(*input)).chain(read)
}

/// For each source, whether there is a path of floats from it to a target; rules may still break it.
pub fn connected(
    graph: &Graph,
    targets: &[Ref],
    sources: impl IntoIterator<Item = (Origin, usize)>,
    from: usize,
) -> Vec<bool> {
    let mut last_use: HashMap<Origin, usize> = HashMap::new();
    for id in cone(graph, targets, from) {
        last_use.extend(origins(graph, graph.node(id)).map(|origin| (origin, id.index())));
    }
    let is_target = |origin: Origin| targets.iter().any(|it| Origin::Value(*it) == origin);
    let is_connected = |(origin, since): (Origin, usize)| {
        is_target(origin) || last_use.get(&origin).is_some_and(|last| *last >= since)
    };
    sources.into_iter().map(is_connected).collect()
}

/// The nodes of a cone that depend on a source.
pub(super) fn active(graph: &Graph, cone: &[NodeId], sources: &[Since]) -> HashSet<NodeId> {
    let since: HashMap<Origin, usize> = sources.iter().copied().collect();
    let mut active = HashSet::new();
    for id in cone {
        let mut origins = origins(graph, graph.node(*id));
        if origins.any(|origin| is_active(origin, *id, &since, &active)) {
            active.insert(*id);
        }
    }
    active
}

/// Whether a gradient that comes to this, from a node, is wanted.
pub(super) fn is_active(
    origin: Origin,
    node: NodeId,
    since: &HashMap<Origin, usize>,
    active: &HashSet<NodeId>,
) -> bool {
    since.get(&origin).is_some_and(|since| node.index() >= *since)
        || matches!(origin, Origin::Value(Ref::Node(id, _)) if active.contains(&id))
}
