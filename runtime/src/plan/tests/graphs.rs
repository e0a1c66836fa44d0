//! Mistakes that a pass could make, each made on purpose. Knows graphs, and no plan.

use crate::graph::{Graph, Node, NodeId, NodeKind, Ref};
use crate::types::{DType, Element};
use crate::value::Value;

/// Sharing that does not look at attributes.
pub fn shares_without_attributes(graph: &mut Graph) {
    share(graph, |a, b| a.kind.op().is_some() && a.inputs == b.inputs);
}

/// Sharing that takes `x - y` for `y - x`.
pub fn shares_in_any_order(graph: &mut Graph) {
    share(graph, |a, b| {
        let [mut a, mut b] =
            [a, b].map(|it| (it.kind.op().map(|op| op.attrs()), it.inputs.clone()));
        a.1.sort();
        b.1.sort();
        a.0.is_some() && a == b
    });
}

/// Sharing of two reads of a variable with an assignment between them.
pub fn shares_reads(graph: &mut Graph) {
    share(graph, |a, b| match (&a.kind, &b.kind) {
        (NodeKind::Read(a), NodeKind::Read(b)) => a == b,
        _ => false,
    });
}

/// Threading that loses a variable's last value.
pub fn forgets_an_assignment(graph: &mut Graph) {
    graph.finals.pop();
}

/// Threading that writes what a variable held one assignment earlier.
pub fn assigns_too_early(graph: &mut Graph) {
    let assigned: Vec<NodeId> =
        graph.iter().filter(|it| is_assignment(it.1)).map(|it| it.0).collect();
    for pair in assigned.windows(2) {
        let [before, after] = [pair[0], pair[1]].map(|it| graph.nodes[it.index()].clone());
        if graph.spec(before.inputs[0]) == graph.spec(after.inputs[0]) {
            graph.nodes[pair[1].index()].inputs = before.inputs;
        }
    }
}

fn is_assignment(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Assign(_))
}

/// Folding that loses the last bit of floats.
pub fn rounds_constants(graph: &mut Graph) {
    fn mapped<T: Element>(value: &Value, rounded: impl Fn(T) -> T) -> Value {
        let elements = value.to_vec::<T>().unwrap().into_iter().map(rounded).collect();
        Value::from_vec(value.spec().shape().clone(), elements)
    }
    for value in &mut graph.constants {
        match value.dtype() {
            DType::F32 => *value = mapped(value, |it: f32| f32::from_bits(it.to_bits() & !1)),
            DType::F64 => *value = mapped(value, |it: f64| f64::from_bits(it.to_bits() & !1)),
            DType::I32 | DType::I64 | DType::U8 | DType::Bool => {}
        }
    }
}

/// `x + 0 => x`, which is wrong for -0.
pub fn drops_sums_with_zero(graph: &mut Graph) {
    drop_nodes(graph, |graph, node| match (node.kind.name(), &node.inputs[..]) {
        ("AddV2", &[x, zero]) if is_zero(graph, zero) => Some(x),
        ("AddV2", &[zero, x]) if is_zero(graph, zero) => Some(x),
        _ => None,
    });
}

/// Whether it is a constant of the float 0, not -0.
fn is_zero(graph: &Graph, value: Ref) -> bool {
    let Ref::Constant(id) = value else { return false };
    let (single, double) = (graph.constant(id).item::<f32>(), graph.constant(id).item::<f64>());
    single.is_ok_and(|it| it.to_bits() == 0) || double.is_ok_and(|it| it.to_bits() == 0)
}

/// `cast(cast(x)) => x`, which is wrong where the first cast loses something.
pub fn drops_casts_there_and_back(graph: &mut Graph) {
    drop_nodes(graph, |graph, node| match (node.kind.name(), node.inputs.first()) {
        ("Cast", Some(Ref::Node(first, _))) if graph.node(*first).kind.name() == "Cast" => {
            Some(graph.node(*first).inputs[0])
        }
        _ => None,
    });
}

/// Replaces nodes of one output by other values of the same spec.
fn drop_nodes(graph: &mut Graph, other: impl Fn(&Graph, &Node) -> Option<Ref>) {
    for at in (0..graph.nodes.len()).map(NodeId::new) {
        if let Some(other) = other(graph, graph.node(at))
            && graph.spec(other) == graph.spec(Ref::node(at))
        {
            redirect(graph, Ref::node(at), other);
        }
    }
}

/// Replaces nodes by earlier ones of their name and specs that are the same in some sense.
fn share(graph: &mut Graph, is_same: impl Fn(&Node, &Node) -> bool) {
    for at in 0..graph.nodes.len() {
        let node = graph.nodes[at].clone();
        let earlier = graph.nodes[..at].iter().position(|it| {
            it.kind.name() == node.kind.name() && it.outputs == node.outputs && is_same(it, &node)
        });
        let Some(earlier) = earlier else { continue };
        for output in 0..node.outputs.len() as u16 {
            let [from, to] = [at, earlier].map(|it| Ref::Node(NodeId::new(it), output));
            redirect(graph, from, to);
        }
    }
}

/// Everything that was given one value gets another.
fn redirect(graph: &mut Graph, from: Ref, to: Ref) {
    let nodes = graph.nodes.iter_mut().flat_map(|node| node.inputs.iter_mut());
    let outputs = graph.outputs.iter_mut().map(|it| &mut it.value);
    let finals = graph.finals.iter_mut().map(|it| &mut it.1);
    nodes.chain(outputs).chain(finals).filter(|it| **it == from).for_each(|it| *it = to);
}
