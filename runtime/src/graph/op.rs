//! What every op answers, the user's as much as ours. Knows no op.

use super::Tensor;
use super::attr::{Attrs, Parsed};
use crate::error::Result;
use crate::kernels::Lowering;
use crate::types::Spec;
use crate::value::Value;
use smallvec::SmallVec;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;

/// The specs of a node's outputs.
pub type Specs = SmallVec<[Spec; 1]>;

/// The questions every op answers. There are no default methods: what an op lacks, it says.
pub trait Op: Debug + Send + Sync {
    /// What it is called: TensorFlow's op type where one exists.
    fn name(&self) -> &'static str;

    /// What distinguishes it from other ops of its name: printing, sharing, parsing and export all read this.
    fn attrs(&self) -> Attrs;

    /// What its outputs are, given what its inputs are.
    ///
    /// # Errors
    /// If it does not take such inputs; the error says what was found and what was wanted.
    fn infer(&self, inputs: &[Spec]) -> Result<Specs>;

    /// What sort of work it is.
    fn kind(&self) -> Kind;

    /// What it does besides computing its outputs, given such inputs.
    fn effects(&self, inputs: &[Spec]) -> Effects;

    /// Its gradient, as ordinary tensors: graph to graph.
    fn grad(&self, call: &Backward<'_>) -> Gradient;

    /// How it runs; all sizes are known.
    fn lower(&self, inputs: &[Spec], outputs: &[Spec]) -> Lowered<'_>;
}

/// What sort of work an op is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Makes a value of nothing.
    Source,
    /// Each output element from the input elements at its place.
    Elementwise,
    /// Many elements to one.
    Reduction,
    /// The same elements elsewhere.
    Movement,
    /// Products and sums: matrix multiplication and its kin.
    Contraction,
    /// Random numbers.
    Random,
    /// A named function of smaller ops.
    Composite,
    /// A closure of the user's.
    Host,
}

/// What an op does besides computing its outputs. Reads and writes of variables are nodes, not ops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Its data can make it fail: it is not pruned, and folded only when folding succeeds.
    pub fails: bool,
    /// It runs code of the user's: it runs once for each time the program says so, in order.
    pub host: bool,
}

impl Effects {
    /// None at all.
    pub const NONE: Effects = Effects { fails: false, host: false };
    /// Its data can make it fail.
    pub const FAILS: Effects = Effects { fails: true, host: false };

    /// Whether equal nodes may be one, and an unused one none.
    pub fn is_pure(self) -> bool {
        self == Effects::NONE
    }
}

/// A node whose gradient is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Backward<'a> {
    /// Its inputs.
    pub inputs: &'a [Tensor],
    /// Its outputs.
    pub outputs: &'a [Tensor],
    /// The gradient that reaches each output; `None` where none does.
    pub grads: &'a [Option<Tensor>],
}

/// An op's answer to `grad`.
#[derive(Debug)]
pub enum Gradient {
    /// It has none, and says so.
    None,
    /// That of the smaller ops it expands to.
    Expand,
    /// The gradient of each input, `None` for those that have none.
    Inputs(Vec<Option<Tensor>>),
}

/// A function of smaller ops.
pub type Expand<'a> = Box<dyn Fn(&[Tensor]) -> Vec<Tensor> + 'a>;

/// How an op runs.
pub enum Lowered<'a> {
    /// By one kernel.
    Kernel(Lowering),
    /// As a function of smaller ops.
    Expand(Expand<'a>),
}

/// An op, shared: a row of a table or a struct with attributes.
#[derive(Clone, Debug)]
pub enum OpRef {
    /// A row.
    Static(&'static dyn Op),
    /// One with attributes.
    Shared(Arc<dyn Op>),
}

impl OpRef {
    /// Whether both do the same.
    pub fn is_same(&self, other: &OpRef) -> bool {
        self.name() == other.name() && self.attrs() == other.attrs()
    }
}

impl Deref for OpRef {
    type Target = dyn Op;

    fn deref(&self) -> &(dyn Op + 'static) {
        match self {
            OpRef::Static(op) => *op,
            OpRef::Shared(op) => &**op,
        }
    }
}

impl<T: Op + 'static> From<T> for OpRef {
    fn from(op: T) -> OpRef {
        OpRef::Shared(Arc::new(op))
    }
}

/// One line of a family's table `OPS`: what the parser and the tests of all ops walk.
pub struct Entry {
    /// What the op is called.
    pub name: &'static str,
    /// Makes it from its attributes.
    pub make: fn(&Parsed) -> Result<OpRef>,
    /// Calls of it that tests try: every type it takes, ordinary and singular points.
    pub samples: fn() -> Vec<Sample>,
}

/// A call of an op.
#[derive(Debug)]
pub struct Sample {
    /// The op.
    pub op: OpRef,
    /// What it is given.
    pub inputs: Vec<Value>,
}
