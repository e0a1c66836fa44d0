//! What a plan is made of before it has memory: tasks, each a kernel with what it reads and makes. Knows no bytes.

use crate::graph::{Graph, NodeId, Ref};
use crate::kernels::lanes::{Program, Reg};
use crate::kernels::{Axes, Kernel, Lowering, ReduceKind};
use crate::types::Spec;
use crate::value::Layout;
use std::collections::HashMap;
use std::sync::Arc;

/// The elements of a stored value, looked at in some way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewed {
    /// The stored value, in row-major order.
    pub source: Ref,
    /// Where the first element is, in bytes from the source's first.
    pub offset: isize,
    /// How the elements lie from there.
    pub layout: Layout,
}

impl Viewed {
    /// A stored value as it is.
    pub fn whole(source: Ref, spec: Spec) -> Viewed {
        Viewed { source, offset: 0, layout: Layout::row_major(spec) }
    }

    /// Whether it is the stored value as it is, or under another shape of the same order.
    pub fn is_whole(&self, graph: &Graph) -> bool {
        self.offset == 0
            && self.layout.is_row_major()
            && self.layout.spec.len() == graph.spec(self.source).len()
    }
}

/// Element-wise nodes that run as one program.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The program, without outputs until all tasks are known.
    pub program: Program,
    /// The spec whose elements the program walks; the element type is of no matter.
    pub domain: Spec,
    /// The value of each node in the program.
    pub values: HashMap<Ref, Reg>,
}

/// What a task does.
#[derive(Clone, Debug)]
pub enum Work {
    /// An element-wise program.
    Lanes(Cluster),
    /// A reduction of what a program makes.
    Reduce {
        /// How.
        kind: ReduceKind,
        /// Over which axes of the domain.
        axes: Axes,
        /// What makes the elements.
        producer: Program,
        /// The spec whose elements the program walks.
        domain: Spec,
    },
    /// One kernel.
    Kernel(Lowering),
    /// A closure of the user's.
    Custom(Arc<dyn Kernel>),
}

/// A kernel with what it reads and makes.
#[derive(Clone, Debug)]
pub struct Task {
    /// What it does.
    pub work: Work,
    /// What it reads.
    pub inputs: Vec<Viewed>,
    /// What it makes, in row-major order.
    pub outputs: Vec<Ref>,
    /// The nodes that it stands for.
    pub nodes: Vec<NodeId>,
    /// The one of them that data can make fail.
    pub failing: Option<NodeId>,
}
