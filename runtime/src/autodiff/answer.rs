//! Works out the gradients that a trace asked for, when it is complete. Knows the form of their nodes, and no trace.

use super::reverse::{Program, Sweep, by_expansion, reverse};
use crate::error::Result;
use crate::graph::{
    Backward, Deferred, Graph, Insertion, Node, NodeKind, Origin, Output, Recording, Ref, Style,
    Tensor, attempt,
};
use crate::ops::filled_like;
use smallvec::SmallVec;
use std::rc::Rc;

/// A graph whose questions are answered, or the first that was answered wrongly while it was traced.
pub enum Answered {
    /// All of it is ordinary nodes.
    Graph(Graph),
    /// This source of this question has no gradient, though it was said to have one.
    Unconnected {
        /// Which question of the trace.
        question: usize,
        /// Which source of the question.
        source: usize,
    },
}

/// Replaces marks and questions for gradients by ordinary nodes, in program order: a gradient may be of an earlier one.
///
/// # Errors
/// What a gradient rule raises.
pub fn answer(graph: Graph) -> Result<Answered> {
    let is_question = |node: &Node| matches!(node.kind, NodeKind::Mark | NodeKind::Gradient(_));
    if !graph.nodes.iter().any(is_question) {
        return Ok(Answered::Graph(graph));
    }
    let taken = graph.nodes.iter().map(|node| &*node.name);
    let copy = Insertion::new(graph.without_nodes(), taken, "a gradient rule");
    let mut copied = Copied { graph: Rc::new(copy), values: Vec::new(), positions: Vec::new() };
    for node in &graph.nodes {
        copied.positions.push(copied.graph.with(|builder| builder.graph.nodes.len()));
        let inputs = node.inputs.iter().map(|it| copied.value(*it)).collect();
        let node = Node { inputs, ..node.clone() };
        let values = match &node.kind {
            NodeKind::Mark => SmallVec::new(),
            NodeKind::Gradient(deferred) => match copied.answered(&node, deferred)? {
                Ok(values) => values,
                Err(source) => {
                    return Ok(Answered::Unconnected { question: deferred.question, source });
                }
            },
            NodeKind::Op(_)
            | NodeKind::If(_)
            | NodeKind::While(_)
            | NodeKind::Read(_)
            | NodeKind::Assign(_)
            | NodeKind::Group => copied.copy(node),
        };
        copied.values.push(values);
    }
    let output = |it: &Output| Output { value: copied.value(it.value), ..it.clone() };
    let outputs = graph.outputs.iter().map(output).collect();
    Ok(Answered::Graph(Graph { outputs, ..copied.graph.finish() }))
}

/// The copy so far.
struct Copied {
    graph: Rc<Insertion>,
    /// What each node's outputs are in it.
    values: Vec<SmallVec<[Ref; 1]>>,
    /// How many nodes it had when each node was reached.
    positions: Vec<usize>,
}

impl Copied {
    fn value(&self, value: Ref) -> Ref {
        match value {
            Ref::Node(id, output) => self.values[id.index()][output as usize],
            other => other,
        }
    }

    fn copy(&self, node: Node) -> SmallVec<[Ref; 1]> {
        let outputs = node.outputs.len();
        let id = self.graph.with(|builder| builder.graph.add_node(node));
        (0..outputs).map(|output| Ref::Node(id, output as u16)).collect()
    }

    /// The gradients that a node asks for, or the first source that has none.
    fn answered(
        &self,
        node: &Node,
        deferred: &Deferred,
    ) -> Result<Result<SmallVec<[Ref; 1]>, usize>> {
        let trace = Traced { graph: self.graph.clone(), node, style: deferred.style };
        let mut inputs = node.inputs.iter();
        let mut next = || *inputs.next().expect("a question has an input for each of its parts");
        let targets: Vec<Ref> = deferred.seeded.iter().map(|_| next()).collect();
        let seeds: Vec<Option<Ref>> = deferred.seeded.iter().map(|it| it.then(&mut next)).collect();
        let sources = deferred.sources.iter().map(|source| {
            let origin = source.slot.map_or_else(|| Origin::Value(next()), Origin::Slot);
            (origin, self.positions[source.since])
        });
        let sources = sources.collect();
        let _recording = Recording::to(self.graph.clone());
        let targets = attempt(|| trace.seeded(&targets, &seeds))?;
        let sweep = Sweep { targets, sources, from: self.positions[deferred.from] };
        let found = reverse(&trace, &sweep)?;
        let mut values = SmallVec::new();
        for (source, gradient) in deferred.sources.iter().zip(found) {
            let Some(gradient) = gradient else { return Ok(Err(source.index)) };
            values.push(self.graph.with(|builder| builder.value_of(&gradient))?);
        }
        Ok(Ok(values))
    }
}

/// A trace as a sweep sees it.
struct Traced<'q> {
    graph: Rc<Insertion>,
    /// The node of the question.
    node: &'q Node,
    style: Style,
}

impl Traced<'_> {
    /// Each target with the gradient that comes to it.
    fn seeded(&self, targets: &[Ref], seeds: &[Option<Ref>]) -> Vec<(Ref, Tensor)> {
        let scope = match self.style {
            Style::Gradients => format!("{}/", self.node.name),
            Style::Tape => String::new(),
        };
        self.graph.at(scope, self.node.place);
        let seed = |at: usize, target: Ref| match seeds[at] {
            Some(seed) => self.graph.tensor(seed),
            None => {
                let label = match self.style {
                    Style::Gradients => format!("grad_ys_{at}"),
                    Style::Tape => "ones".to_string(),
                };
                filled_like(&self.graph.tensor(target), 1.0, &label)
            }
        };
        targets.iter().enumerate().map(|(at, target)| (*target, seed(at, *target))).collect()
    }
}

impl Program for Traced<'_> {
    fn look<R>(&self, f: impl FnOnce(&Graph) -> R) -> R {
        self.graph.with(|builder| f(&builder.graph))
    }

    fn tensor(&self, value: Ref) -> Tensor {
        self.graph.tensor(value)
    }

    fn follow(&self, node: &Node) {
        let scope = match self.style {
            Style::Gradients => format!("{}/{}_grad/", self.node.name, node.name),
            Style::Tape => {
                let scope = node.name.rfind('/').map_or("", |end| &node.name[..=end]);
                format!("gradient_tape/{}", scope.trim_start_matches("gradient_tape/"))
            }
        };
        self.graph.at(scope, self.node.place);
    }

    fn through(&self, node: &Node, call: &Backward<'_>) -> Result<Vec<Option<Tensor>>> {
        by_expansion(self, node, call, |it| self.graph.with(|builder| builder.value_of(it)))
    }
}
