//! What an op asks for: one kernel of the closed set, or a safe closure of the user's. Knows concrete sizes only.

use super::lanes::Program;
use crate::error::Result;
use crate::value::Value;
use smallvec::SmallVec;
use std::fmt::Debug;
use std::sync::Arc;

/// A list of axes, from 0, in ascending order unless said otherwise.
pub type Axes = SmallVec<[usize; 4]>;

/// How a node runs, at concrete sizes. The shapes of inputs and outputs come with the node.
#[derive(Clone, Debug)]
pub enum Lowering {
    /// An element-wise program; each input is broadcast to the shape of the outputs.
    Lanes(Program),
    /// A reduction of the only input over some axes.
    Reduce {
        /// How two elements become one.
        kind: ReduceKind,
        /// The axes that go away (or become 1), ascending.
        axes: Axes,
    },
    /// The bytes of the only input, looked at in another way.
    View(View),
    /// `[.., m, k] x [.., k, n]`; leading axes are broadcast. Transposed operands are views.
    MatMul,
    /// The inputs one after the other along an axis.
    Concat {
        /// The axis.
        axis: usize,
    },
    /// The only input with a border.
    Pad(Pad),
    /// Elements of the first input picked by the second (`i32` or `i64`).
    Gather(Gather),
    /// Puts the third input into a copy of the first at the places that the second gives.
    Scatter {
        /// Which places.
        gather: Gather,
        /// What an update does to the element that it finds there.
        meet: Meet,
    },
    /// 0, 1, 2, .. along an axis, as the type of the output; no inputs.
    Iota {
        /// The axis.
        axis: usize,
    },
    /// Random numbers and the next state, from a generator's state (`i64[2]`: seed and counter).
    Random(Random),
    /// A safe closure over whole values.
    Custom(Arc<dyn Kernel>),
}

impl Lowering {
    /// How many of a node's inputs the kernel reads: the first ones. The others lend their shapes alone.
    pub fn reads(&self, inputs: usize) -> usize {
        match self {
            Lowering::Iota { .. } => 0,
            Lowering::Reduce { .. }
            | Lowering::View(_)
            | Lowering::Pad(_)
            | Lowering::Random(_) => 1,
            Lowering::MatMul | Lowering::Gather(_) => 2,
            Lowering::Scatter { .. } => 3,
            Lowering::Lanes(program) => program.inputs().len(),
            Lowering::Concat { .. } | Lowering::Custom(_) => inputs,
        }
    }
}

/// How a reduction makes one element of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceKind {
    /// The sum, by the summation tree of docs/numerics.md; integers wrap; `bool` and `u8` sum as `i64`.
    Sum,
    /// The product, by the same tree; integers wrap.
    Prod,
    /// The largest; NaN wins. Of no floats -inf; integers must be some.
    Max,
    /// The smallest; NaN wins. Of no floats inf; integers must be some.
    Min,
    /// Whether any is true, on `bool`.
    Any,
    /// Whether all are true, on `bool`.
    All,
    /// The index (`i64`) along the one axis of the first NaN, else of the first largest.
    ArgMax,
    /// The index (`i64`) along the one axis of the first NaN, else of the first smallest.
    ArgMin,
}

/// Another way to look at the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum View {
    /// The same elements in row-major order under another shape.
    Reshape,
    /// Each output axis steps along an input axis, or (`None`) repeats.
    Strided {
        /// The element of the input where the view begins, an index for each input axis.
        starts: SmallVec<[usize; 4]>,
        /// For each output axis the input axis that it follows and its step.
        axes: SmallVec<[Option<(usize, isize)>; 4]>,
    },
}

/// A border around a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Pad {
    /// How many elements go before and after, for each axis.
    pub widths: SmallVec<[(usize, usize); 4]>,
    /// What stands in the border.
    pub mode: PadMode,
}

/// What stands in the border of a padded tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PadMode {
    /// One constant.
    Constant(super::lanes::Scalar),
    /// The elements next to the edge, mirrored; the edge itself is not repeated.
    Reflect,
    /// The element at the edge.
    Edge,
}

/// How indices pick elements. An index out of range is an error that names it and the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gather {
    /// Each index picks a slice along the axis: the axis is replaced by the axes of the indices.
    Slices {
        /// The axis.
        axis: usize,
    },
    /// Indices and input have the same rank; each index replaces its own coordinate along the axis.
    Along {
        /// The axis.
        axis: usize,
    },
    /// The last axis of the indices holds the coordinates of one place, along the first axes of the input: each picks
    /// what the axes after them hold.
    Points,
    /// The indices are the one place where a window begins, a coordinate for each axis; the output says how large it is.
    Window,
}

/// What an update does to the element that it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meet {
    /// It is added; several add up in the order of the indices.
    Add,
    /// It takes its place; of several the last in the order of the indices stays.
    Replace,
}

/// Which random numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Random {
    /// How they are distributed.
    pub distribution: Distribution,
}

/// How random numbers are distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Uniform in `[low, high)`.
    Uniform {
        /// The lower end.
        low: f64,
        /// The upper end, not reached.
        high: f64,
    },
    /// Normal.
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        std: f64,
    },
    /// Normal, redrawn until within two standard deviations of the mean.
    TruncatedNormal {
        /// The mean of the normal before truncation.
        mean: f64,
        /// The standard deviation of the normal before truncation.
        std: f64,
    },
}

/// A safe kernel of the user's: whole values in, whole values out. Nothing is fused into it.
pub trait Kernel: Debug + Send + Sync {
    /// Computes the outputs; their specs must be those that the op inferred.
    ///
    /// # Errors
    /// Whatever the kernel refuses; the error gets the node's place.
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>>;
}
