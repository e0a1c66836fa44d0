//! A node and the names of values: indices that print. Knows which kinds of node there are, and no op.

use super::OpRef;
use super::derivative::Deferred;
use crate::error::Place;
use crate::types::Spec;
use smallvec::SmallVec;
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
    /// Gives its input, if it has one, when all that it waits for is done. Only graphs that sessions run have such.
    Group,
    /// A place in the program: where a tape begins, or begins to watch. Gone when the trace is complete.
    Mark,
    /// Gradients, to be worked out when the trace is complete: gone then.
    Gradient(Arc<Deferred>),
}

impl NodeKind {
    /// The op's name; TensorFlow's where it has one.
    pub fn name(&self) -> &'static str {
        match self {
            NodeKind::Op(op) => op.name(),
            NodeKind::Read(_) => "ReadVariableOp",
            NodeKind::Assign(_) => "AssignVariableOp",
            NodeKind::Group => "NoOp",
            NodeKind::Mark => "Mark",
            NodeKind::Gradient(_) => "Gradient",
        }
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
