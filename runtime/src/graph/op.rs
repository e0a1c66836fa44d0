//! What every op answers, the user's as much as ours. Knows no op.

use super::Tensor;
use super::attr::{Attrs, Parsed};
use crate::error::Result;
use crate::kernels::{Kernel, Lowering};
use crate::types::Spec;
use crate::value::Value;
use smallvec::SmallVec;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;

/// The specs of a node's outputs.
pub type Specs = SmallVec<[Spec; 1]>;

/// The questions every op answers, the user's as much as ours. There are no default methods: what an op lacks, it says.
///
/// An op of one's own is a type that implements this. A value of it is one op, its fields are the op's attributes, and
/// [`apply`](crate::apply) calls it: at once, or as a node of the function that is traced. From then on it is an op like
/// any other: it is checked when it is called, printed, shared with its equals, differentiated, and run by the plan.
///
/// - [`name`](Op::name) is its own: passes and graph text know the built-in ops by their names, which
///   [`op_table`](crate::op_table) lists.
/// - [`attrs`](Op::attrs) tell it from other ops of its name. Two ops of equal names and attributes are the same op: of two
///   equal calls one runs. What cannot be written down, such as a closure, is an `Attr::Opaque` number of its own.
/// - [`infer`](Op::infer) refuses inputs, and says what the outputs are. It works on [`Spec`]s, some of whose sizes may
///   be unknown while a function is traced, so it computes with [`Dim`](crate::Dim)s and never with numbers.
/// - [`lower`](Op::lower) says how it runs, once the sizes are known: by a kernel of one's own
///   ([`Lowered::custom`]), or as a function of smaller ops ([`Lowered::Expand`], and then [`kind`](Op::kind) is
///   [`Kind::Composite`]). The built-in ops ask for kernels that can be fused; a kernel of one's own is a safe function of
///   whole values. A kernel that does not make what `infer` says is refused when it is made ready.
/// - [`effects`](Op::effects) says whether the data may make it fail, and whether it must run each time.
/// - [`grad`](Op::grad) gives the gradient of each input, by ops on tensors: then there are gradients of any order.
///   Products with the gradient that comes in are [`times`](crate::times), which keeps a zero a zero.
///
/// For a closure on arrays, [`host_fn`](crate::host_fn) is shorter.
///
/// ```
/// use graphfn::prelude::*;
/// use graphfn::{
///     Attrs, Backward, Effects, Gradient, Kernel, Kind, Lowered, Op, Result, Spec, Specs, Value, apply,
/// };
///
/// /// Numbers scaled so that the largest is this, in absolute terms.
/// #[derive(Clone, Copy, Debug)]
/// struct Peak(f32);
///
/// impl Op for Peak {
///     fn name(&self) -> &'static str {
///         "Peak"
///     }
///
///     fn attrs(&self) -> Attrs {
///         Attrs::none().with("peak", f64::from(self.0))
///     }
///
///     fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
///         match inputs[0].dtype() {
///             DType::F32 => Ok(Specs::from_iter([inputs[0]])),
///             other => Err(Error::new(ErrorKind::Type, format!("`peak` takes float32, found {other}"))
///                 .with_help("convert first: `.cast(DType::F32)`")),
///         }
///     }
///
///     fn kind(&self) -> Kind {
///         Kind::Reduction
///     }
///
///     fn effects(&self, _: &[Spec]) -> Effects {
///         Effects::NONE
///     }
///
///     fn grad(&self, _: &Backward<'_>) -> Gradient {
///         Gradient::None
///     }
///
///     fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
///         Lowered::custom(*self)
///     }
/// }
///
/// impl Kernel for Peak {
///     fn run(&self, inputs: &[Value]) -> Result<Vec<Value>> {
///         let x = inputs[0].view_array::<f32>()?;
///         let largest = x.iter().fold(0.0f32, |largest, it| largest.max(it.abs()));
///         Ok(vec![x.mapv(|it| it * self.0 / largest).into()])
///     }
/// }
///
/// #[graph_fn]
/// fn loud(x: &Tensor) -> Tensor {
///     apply(Peak(10.0), &[x], "peak") + 1.0
/// }
/// assert_eq!(loud(&Tensor::from([1.0f32, -4.0])).to_vec::<f32>(), [3.5, -9.0]);
/// let concrete = loud::concrete_function(&Tensor::from([1.0f32, -4.0]))?;
/// assert!(concrete.graph().to_string().contains("Peak(in0) {peak=10.0}"));
/// # Ok::<(), Error>(())
/// ```
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

impl Lowered<'_> {
    /// By a kernel of the user's.
    pub fn custom(kernel: impl Kernel + 'static) -> Lowered<'static> {
        Lowered::Kernel(Lowering::Custom(Arc::new(kernel)))
    }
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
