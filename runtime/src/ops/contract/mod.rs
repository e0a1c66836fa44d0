//! Products summed over chosen axes, and diagonals: what matrices generalise to. Knows labels of axes; matrix products do
//! the work.

mod diagonal;
mod einsum;
mod equation;
mod labelled;
mod table;
mod tensordot;

pub use einsum::{einsum, term};
pub(super) use table::OPS;
pub use tensordot::Pairs;
