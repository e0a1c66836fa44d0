//! What gradients are asked for, and how a node keeps the question. Knows no rules, and not how they are applied.

use super::{Ref, SlotId, Tensor, is_recording};
use crate::value::Variable;

/// What a gradient is with respect to.
#[derive(Clone, Debug)]
pub enum Source {
    /// A tensor.
    Tensor(Tensor),
    /// A variable: all its reads.
    Variable(Variable),
}

/// A question for gradients, as a recorder gets it.
#[derive(Clone, Debug)]
pub struct Question {
    /// The tensors whose sum is differentiated.
    pub targets: Vec<Tensor>,
    /// The gradient that comes to each of them: ones where there is none.
    pub seeds: Vec<Option<Tensor>>,
    /// With respect to what.
    pub sources: Vec<Source>,
    /// What a tape has seen; without a tape all of the program counts.
    pub tape: Option<Watched>,
}

/// What a tape has seen of a trace.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The mark where it began.
    pub began: Tensor,
    /// What it watches, each with the mark from which on it does.
    pub sources: Vec<(Source, Tensor)>,
    /// Whether it watches every trainable variable from its beginning on.
    pub variables: bool,
}

/// A question for gradients in a graph: its inputs are the targets, the seeds that are given, and the sources that are
/// no variables, in this order; it has an output for each source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deferred {
    /// Which question of the trace it is, from 0.
    pub question: usize,
    /// Whether a seed is given, for each target.
    pub seeded: Vec<bool>,
    /// The sources to which a path was known, or not yet known not to be.
    pub sources: Vec<DeferredSource>,
    /// The position from which on nodes count.
    pub from: usize,
    /// How the nodes of the answer are named.
    pub style: Style,
}

/// A source of a question in a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeferredSource {
    /// Which source of the question it is, from 0.
    pub index: usize,
    /// The variable; `None` for a value, which is the next of the inputs.
    pub slot: Option<SlotId>,
    /// The position from which on its uses count.
    pub since: usize,
}

/// How the nodes of a gradient are named, each as TensorFlow does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `gradients/Square_grad/Mul`.
    Gradients,
    /// `gradient_tape/Mul`.
    Tape,
}

/// A value of a graph, or a variable of it, whose gradient is added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A value.
    Value(Ref),
    /// A variable: what comes to its reads.
    Slot(SlotId),
}

/// A variable in whose place a tensor stands: it is read as the tensor, and never assigned.
#[track_caller]
pub fn standing_for(name: &str, tensor: Tensor) -> Variable {
    let value = tensor.as_value().cloned();
    Variable::standing_for(name, tensor.spec(), value, Box::new(tensor))
}

/// The tensor that stands in a variable's place, if one does. In a trace, one in memory is an argument like another
/// variable, or captured like one.
pub fn stand_in(variable: &Variable) -> Option<&Tensor> {
    let tensor = variable.stands_for()?.downcast_ref::<Tensor>();
    let tensor = tensor.expect("what stands for a variable is a tensor");
    (tensor.is_symbolic() || !is_recording()).then_some(tensor)
}
