//! Element-wise programs: what they are, the functions in them, and how a tile of elements runs through them.
//! Knows no shapes but the loop it is given, and no graph.

mod code;
mod compile;
mod instr;
mod interpret;
mod lane;
pub mod math;
mod nest;
mod program;
mod scalar;
#[cfg(test)]
pub(in crate::kernels) mod tests;
pub(in crate::kernels) mod tile;

pub(in crate::kernels) use code::{Block, Code, Fault, Feed, TILE};
pub(in crate::kernels) use compile::{Outputs, compile};
pub use instr::{BinaryOp, CompareOp, Instr, Reg, UnaryOp};
pub use interpret::Lanes;
pub use lane::Lane;
pub use program::Program;
pub use scalar::Scalar;
