//! A program and what it is run on; smaller ones that begin alike. Knows graphs, and no particular op.

use crate::graph::{Graph, Kind, NodeId, Output, Ref};
use crate::value::Value;
use std::sync::Arc;

/// A program as a trace gives it, and what it is run on.
#[derive(Clone)]
pub struct Program {
    /// What it does.
    pub graph: Graph,
    /// What it is given, some of it not in row-major order.
    pub inputs: Vec<Value>,
    /// What the variables of its slots hold at first.
    pub variables: Vec<Value>,
}

impl Program {
    /// Adds a result.
    pub fn add_output(&mut self, value: Ref) {
        let name: Arc<str> = self.graph.outputs.len().to_string().into();
        self.graph.outputs.push(Output { name, value });
    }

    /// Whether a result is a sum of products, whose order is not promised.
    pub fn is_contraction(&self, value: Ref) -> bool {
        let Ref::Node(id, _) = value else { return false };
        self.graph.node(id).kind.op().is_some_and(|op| op.kind() == Kind::Contraction)
    }

    /// The first of its nodes; what the last of them makes is a result, too.
    pub fn beginning(&self, nodes: usize) -> Program {
        let mut shorter = self.clone();
        shorter.graph.nodes.truncate(nodes);
        shorter.graph.outputs.retain(|it| is_before(it.value, nodes));
        if let Some(last) = nodes.checked_sub(1) {
            let made = self.graph.nodes[last].outputs.len();
            (0..made).for_each(|at| shorter.add_output(Ref::Node(NodeId::new(last), at as u16)));
        }
        shorter
    }

    /// The same without one result.
    pub fn without_output(&self, at: usize) -> Program {
        let mut smaller = self.clone();
        smaller.graph.outputs.remove(at);
        smaller
    }

    /// A small program that `fails`, as this one does.
    pub fn shrunk(&self, fails: impl Fn(&Program) -> bool) -> Program {
        let lengths = 0..self.graph.nodes.len();
        let shorter = lengths.map(|nodes| self.beginning(nodes)).find(&fails);
        let mut small = shorter.unwrap_or_else(|| self.clone());
        for at in (0..small.graph.outputs.len()).rev() {
            let smaller = small.without_output(at);
            if fails(&smaller) {
                small = smaller;
            }
        }
        small
    }
}

fn is_before(value: Ref, nodes: usize) -> bool {
    match value {
        Ref::Node(id, _) => id.index() < nodes,
        Ref::Input(_) | Ref::Variable(_) | Ref::Constant(_) => true,
    }
}
