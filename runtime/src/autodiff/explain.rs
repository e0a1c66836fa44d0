//! Why there is no gradient: the path from the target as far as rules lead, and the node where it stops.
//! Knows what a rule says of one node, by asking it.

use super::cone::{cone, origins};
use crate::graph::{
    Backward, Builder, Gradient, Graph, Insertion, Kind, Node, NodeId, NodeKind, Origin, Recording,
    Ref, Tensor, attempt,
};
use std::collections::HashSet;
use std::rc::Rc;

/// What became of a gradient, in words: `source` is what the user calls the source.
///
/// Uses of the source before a position do not count.
pub fn explain(graph: &Graph, target: Ref, source: (Origin, usize), name: &str) -> String {
    let origin = source.0;
    let wanted = called(graph, target);
    let says = |what: String| format!("no gradient of `{wanted}` with respect to `{name}`: {what}");
    let spec = match origin {
        Origin::Value(value) => graph.spec(value),
        Origin::Slot(slot) => graph.spec(Ref::Variable(slot)),
    };
    if !spec.dtype().is_float() {
        return says(format!("it holds {}, and only floats have gradients", spec.dtype()));
    }
    if Origin::Value(target) == origin || is_reached(graph, target, source) {
        return format!("`{wanted}` has a gradient with respect to `{name}`");
    }
    let reached = followed(graph, source, |_, _| true);
    let Ref::Node(last, _) = target else {
        return says(format!("`{wanted}` is given, and not computed"));
    };
    if !reached.contains(&last) {
        let earlier = followed(graph, (origin, 0), |_, _| true).contains(&last);
        return says(if earlier {
            format!("`{wanted}` uses it only from before the tape watched it")
        } else {
            format!("`{wanted}` does not depend on it")
        });
    }
    let led = followed(graph, source, |node, input| leads(graph, node, input));
    let path = path_back(graph, last, source, &reached, &led);
    let stop = graph.node(*path.last().expect("a path has an end"));
    let names: Vec<String> = path.iter().map(|id| format!("`{}`", graph.node(*id).name)).collect();
    says(format!(
        "the path {} stops at `{}` ({}), {}",
        names.join(" <- "),
        stop.kind.name(),
        stop.place,
        reason(graph, stop)
    ))
}

/// What a value is called.
fn called(graph: &Graph, value: Ref) -> String {
    match value {
        Ref::Node(id, _) => graph.node(id).name.to_string(),
        Ref::Input(id) => graph.inputs[id.index()].name.to_string(),
        Ref::Variable(id) => graph.slots[id.index()].name.to_string(),
        Ref::Constant(_) => value.to_string(),
    }
}

/// Whether rules lead from the source to the target.
fn is_reached(graph: &Graph, target: Ref, source: (Origin, usize)) -> bool {
    let Ref::Node(last, _) = target else { return false };
    let is_float = graph.dtype(target).is_float();
    is_float && followed(graph, source, |node, input| leads(graph, node, input)).contains(&last)
}

/// The nodes that depend on a source by inputs that are followed.
fn followed(
    graph: &Graph,
    (origin, since): (Origin, usize),
    follows: impl Fn(&Node, usize) -> bool,
) -> HashSet<NodeId> {
    let mut found = HashSet::new();
    for (id, node) in graph.iter() {
        let is_it = |it: Origin| it == origin && id.index() >= since;
        let reads = matches!(node.kind, NodeKind::Read(slot) if is_it(Origin::Slot(slot)));
        let takes = |value: Ref| {
            is_it(Origin::Value(value))
                || matches!(value, Ref::Node(before, _) if found.contains(&before))
        };
        let depends =
            node.inputs.iter().enumerate().any(|(at, it)| takes(*it) && follows(node, at));
        if reads || depends {
            found.insert(id);
        }
    }
    found
}

/// Whether a gradient goes through a node to one of its inputs.
fn leads(graph: &Graph, node: &Node, input: usize) -> bool {
    let is_float = |value: Ref| graph.dtype(value).is_float();
    if !is_float(node.inputs[input]) || !node.outputs.iter().any(|it| it.dtype().is_float()) {
        return false;
    }
    let Some(op) = node.kind.op() else { return matches!(node.kind, NodeKind::Gradient(_)) };
    let mut builder = Builder::new(Graph::default());
    let mut given = |spec| {
        let value = builder.graph.add_input("", spec);
        builder.tensor_of(value, "", node.place)
    };
    let inputs: Vec<Tensor> = node.inputs.iter().map(|it| given(graph.spec(*it))).collect();
    let outputs: Vec<Tensor> = node.outputs.iter().map(|it| given(*it)).collect();
    let grads: Vec<Option<Tensor>> =
        node.outputs.iter().map(|it| it.dtype().is_float().then(|| given(*it))).collect();
    let call = Backward { inputs: &inputs, outputs: &outputs, grads: &grads };
    let asked = Rc::new(Insertion::over(builder, "a gradient rule"));
    let _recording = Recording::to(asked);
    match attempt(|| op.grad(&call)) {
        Ok(Gradient::None) => false,
        Ok(Gradient::Inputs(found)) => found.get(input).is_some_and(Option::is_some),
        // What it expands to, and what a rule complains about, is not looked into here.
        Ok(Gradient::Expand) | Err(_) => true,
    }
}

/// The path from a node back towards the source, by nodes that depend on it, to the first to which rules lead no further.
fn path_back(
    graph: &Graph,
    from: NodeId,
    source: (Origin, usize),
    reached: &HashSet<NodeId>,
    led: &HashSet<NodeId>,
) -> Vec<NodeId> {
    let mut path = vec![from];
    loop {
        let id = *path.last().expect("it begins with a node");
        let before = graph.node(id).inputs.iter().filter_map(|value| match value {
            Ref::Node(before, _) => Some(*before),
            _ => None,
        });
        // Where rules lead to an input and not through the node, the node is where the path stops.
        let takes_source = origins(graph, graph.node(id)).any(|it| it == source.0);
        let mut stuck = before.clone().filter(|it| reached.contains(it) && !led.contains(it));
        match stuck.next() {
            Some(next) if !takes_source => path.push(next),
            _ => return path,
        }
    }
}

fn reason(graph: &Graph, node: &Node) -> String {
    if node.kind.op().is_some_and(|op| op.kind() == Kind::Host) {
        return "a host function without a gradient: give it one by `.with_gradient(..)`"
            .to_string();
    }
    let output = node.outputs.iter().find(|it| !it.dtype().is_float());
    let input = node.inputs.iter().find(|it| !graph.dtype(**it).is_float());
    match (output, input) {
        (Some(spec), _) => format!("which gives {}: only floats have gradients", spec.dtype()),
        (None, Some(value)) if cone(graph, &[*value], 0).is_empty() && node.inputs.len() == 1 => {
            format!("which takes {}: only floats have gradients", graph.dtype(*value))
        }
        _ => "which has no gradient".to_string(),
    }
}
