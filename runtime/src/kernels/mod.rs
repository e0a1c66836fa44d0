//! The closed set of what a processor is asked to do. Knows bytes, sizes and strides, and no graph.

mod fits;
pub mod gather;
pub mod gemm;
mod isa;
pub mod lanes;
mod lowering;
pub mod moves;
pub mod pool;
mod prepared;
pub mod random;
pub mod reduce;
mod steps;
mod view;
mod walk;

pub use crate::value::Layout;
pub use isa::Isa;
use isa::wide_versions;
pub use lowering::{
    Axes, Distribution, Gather, Kernel, Lowering, Meet, Pad, PadMode, Random, ReduceKind, View,
};
pub use prepared::{Alone, Prepared, identity, run_custom, run_lowering};
pub use steps::{BlockId, Memory, Operand, Steps, Use, bytes};
