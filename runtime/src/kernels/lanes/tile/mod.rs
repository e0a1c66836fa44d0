//! Loops over the elements of a tile, one for each instruction and element type, compiled for each instruction set.
//! Knows no programs, and nothing of where tiles come from.

mod choose;
mod function;
mod kernel;
mod number;

pub(in crate::kernels) use choose::{computes, copy, instruction, ordered};
pub(in crate::kernels) use kernel::{BLOCK, Moving, TileFn, not_vectorised};
pub(in crate::kernels) use number::Number;
