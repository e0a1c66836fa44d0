//! Ops that make one element of many, along any set of axes. Knows kernels as requests only.

mod along;
mod arg;
mod kinds;
mod norm;
mod rows;
mod table;

pub use along::{Along, KeepDims};
pub(super) use kinds::supremum;
pub(super) use rows::samples;
pub(super) use table::{OPS, make, rows};
