//! A node and the names of values: indices that print. Knows which kinds of node there are, and no op.

use super::derivative::Deferred;
use super::{Graph, OpRef};
use crate::error::Place;
use crate::types::Spec;
use smallvec::{SmallVec, smallvec};
use std::fmt;
use std::sync::Arc;

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident $prefix:literal),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $name {
            /// The index at this position.
            pub fn new(position: usize) -> $name {
                $name(u32::try_from(position).expect("a graph has fewer than 2^32 parts"))
            }

            /// The position.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}
index!(
    /// A node, `%7`.
    NodeId "%",
    /// An input of a graph, `in0`.
    InputId "in",
    /// A variable as a graph knows it, `var0`: a call binds it to a variable in memory.
    SlotId "var",
    /// A constant of a graph, `const0`.
    ConstantId "const",
);

/// A value in a graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ref {
    /// An input.
    Input(InputId),
    /// What a variable held when the run began.
    Variable(SlotId),
    /// A constant.
    Constant(ConstantId),
    /// An output of a node, counted from 0.
    Node(NodeId, u16),
}

impl Ref {
    /// The first output of a node.
    pub fn node(node: NodeId) -> Ref {
        Ref::Node(node, 0)
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ref::Input(it) => it.fmt(f),
            Ref::Variable(it) => it.fmt(f),
            Ref::Constant(it) => it.fmt(f),
            Ref::Node(it, 0) => it.fmt(f),
            Ref::Node(it, output) => write!(f, "{it}:{output}"),
        }
    }
}

impl fmt::Debug for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What a node does.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// Computes outputs from inputs.
    Op(OpRef),
    /// Reads a variable at this point of the program. Gone after the pass `thread`.
    Read(SlotId),
    /// Gives a variable the value of the only input. Gone after the pass `thread`.
    Assign(SlotId),
    /// Runs one of two regions. The first input is the condition; the others are the inputs of both regions, whose
    /// outputs are its own.
    If(Arc<[Graph; 2]>),
    /// Runs a region as long as another gives `true`.
    While(Arc<Loop>),
    /// Gives its input, if it has one, when all that it waits for is done. Only graphs that sessions run have such.
    Group,
    /// A place in the program: where a tape begins, or begins to watch. Gone when the trace is complete.
    Mark,
    /// Gradients, to be worked out when the trace is complete: gone then.
    Gradient(Arc<Deferred>),
}

/// The regions of a loop. Both are given what it carries from round to round, and after it the inputs that stay: all
/// inputs of the node, of which as many are carried as the node has outputs.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Gives one truth value: whether there is another round.
    pub condition: Graph,
    /// Gives what is carried on.
    pub body: Graph,
}

impl NodeKind {
    /// The op's name; TensorFlow's where it has one.
    pub fn name(&self) -> &'static str {
        match self {
            NodeKind::Op(op) => op.name(),
            NodeKind::Read(_) => "ReadVariableOp",
            NodeKind::Assign(_) => "AssignVariableOp",
            NodeKind::If(_) => "If",
            NodeKind::While(_) => "While",
            NodeKind::Group => "NoOp",
            NodeKind::Mark => "Mark",
            NodeKind::Gradient(_) => "Gradient",
        }
    }

    /// The regions in it, each with what text calls it.
    pub fn regions(&self) -> SmallVec<[(&'static str, &Graph); 2]> {
        match self {
            NodeKind::If(arms) => smallvec![("then", &arms[0]), ("else", &arms[1])],
            NodeKind::While(it) => smallvec![("while", &it.condition), ("do", &it.body)],
            _ => SmallVec::new(),
        }
    }

    /// The same kind, with each of its regions changed.
    ///
    /// # Errors
    /// That of the first change that fails.
    pub fn with_regions<E>(
        &self,
        mut change: impl FnMut(&Graph) -> Result<Graph, E>,
    ) -> Result<NodeKind, E> {
        Ok(match self {
            NodeKind::If(arms) => NodeKind::If(Arc::new([change(&arms[0])?, change(&arms[1])?])),
            NodeKind::While(it) => {
                let (condition, body) = (change(&it.condition)?, change(&it.body)?);
                NodeKind::While(Arc::new(Loop { condition, body }))
            }
            other => other.clone(),
        })
    }

    /// The op, unless the node is of another kind.
    pub fn op(&self) -> Option<&OpRef> {
        match self {
            NodeKind::Op(op) => Some(op),
            _ => None,
        }
    }
}

/// One step of a program, as the user wrote it.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it does.
    pub kind: NodeKind,
    /// What it is given.
    pub inputs: SmallVec<[Ref; 3]>,
    /// What each of its outputs is.
    pub outputs: SmallVec<[Spec; 1]>,
    /// Its scoped name, unique in its graph.
    pub name: Arc<str>,
    /// The user's line that made it.
    pub place: Place,
}
