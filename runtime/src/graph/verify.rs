//! Checks that a graph is one: what passes must keep true. Knows what the rules of the IR are, and no op.

use super::{Graph, NodeId, NodeKind, Ref};
use crate::types::{DType, Spec};
use std::collections::HashSet;

/// Checks order, specs, names and references.
///
/// # Errors
/// The first rule that is broken, in words.
pub fn verify(graph: &Graph) -> Result<(), String> {
    let mut names = HashSet::new();
    for (id, node) in graph.iter() {
        let say = |what: String| format!("{id} `{}`: {what}", node.name);
        node.inputs.iter().try_for_each(|value| exists(graph, *value, id)).map_err(say)?;
        if !names.insert(&node.name) {
            return Err(say("another node has its name".into()));
        }
        let specs: Vec<Spec> = node.inputs.iter().map(|value| graph.spec(*value)).collect();
        match &node.kind {
            NodeKind::Op(op) => {
                let inferred = op
                    .infer(&specs)
                    .map_err(|error| say(format!("does not infer: {}", error.message())))?;
                if inferred != node.outputs {
                    return Err(say(format!("says {:?} and infers {inferred:?}", node.outputs)));
                }
            }
            NodeKind::Read(slot) if node.outputs[..] != [graph.spec(Ref::Variable(*slot))] => {
                return Err(say(format!("reads {slot} as {:?}", node.outputs)));
            }
            NodeKind::Assign(slot) if specs[..] != [graph.spec(Ref::Variable(*slot))] => {
                return Err(say(format!("assigns {specs:?} to {slot}")));
            }
            NodeKind::If(arms) => {
                let specs = specs.split_first().filter(|it| *it.0 == Spec::scalar(DType::Bool));
                let (_, given) = specs.ok_or_else(|| say("decides on no truth value".into()))?;
                arms.iter().try_for_each(|it| region(it, given, &node.outputs)).map_err(say)?;
            }
            NodeKind::While(it) => {
                let truth = [Spec::scalar(DType::Bool)];
                let carried = specs.get(..node.outputs.len());
                if carried != Some(&node.outputs[..]) {
                    return Err(say(format!("carries {carried:?} and gives {:?}", node.outputs)));
                }
                region(&it.condition, &specs, &truth).map_err(say)?;
                region(&it.body, &specs, &node.outputs).map_err(say)?;
            }
            NodeKind::Read(_)
            | NodeKind::Assign(_)
            | NodeKind::Group
            | NodeKind::Mark
            | NodeKind::Gradient(_) => {}
        }
    }
    for (id, awaited) in &graph.controls {
        if awaited.iter().any(|it| it >= id) {
            return Err(format!("{id} waits for what stands after it"));
        }
    }
    let end = NodeId::new(graph.nodes.len());
    graph.results().try_for_each(|value| exists(graph, value, end))?;
    let wrong = graph
        .finals
        .iter()
        .find(|(slot, value)| graph.spec(Ref::Variable(*slot)) != graph.spec(*value));
    match wrong {
        Some((slot, value)) => {
            Err(format!("{slot} ends as {}, which is {}", value, graph.spec(*value)))
        }
        None => Ok(()),
    }
}

/// Checks a region that is given these and has to give those.
fn region(graph: &Graph, given: &[Spec], gives: &[Spec]) -> Result<(), String> {
    verify(graph)?;
    if !graph.inputs.iter().map(|it| it.spec).eq(given.iter().copied()) {
        return Err(format!("a region takes {:?}, and is given {given:?}", graph.inputs));
    }
    let outputs: Vec<Spec> = graph.outputs.iter().map(|it| graph.spec(it.value)).collect();
    if outputs == gives {
        Ok(())
    } else {
        Err(format!("a region gives {outputs:?}, not {gives:?}"))
    }
}

/// Whether a value is there, before a node.
fn exists(graph: &Graph, value: Ref, before: NodeId) -> Result<(), String> {
    let is_there = match value {
        Ref::Input(id) => id.index() < graph.inputs.len(),
        Ref::Variable(id) => id.index() < graph.slots.len(),
        Ref::Constant(id) => id.index() < graph.constants.len(),
        Ref::Node(id, output) => id < before && usize::from(output) < graph.node(id).outputs.len(),
    };
    if is_there { Ok(()) } else { Err(format!("{value} is used before it is there")) }
}
