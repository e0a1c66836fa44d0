//! Ops that move elements and compute nothing: most are views, and cost nothing. Knows no element types.

mod axis;
mod dims;
mod flatten;
mod join;
mod pad;
mod placed;
mod range;
mod repeat;
mod reshape;
mod size;
mod slice;
mod slices;
mod split;
mod table;

pub use dims::Dims;
pub(super) use flatten::flatten;
pub use join::{concat, stack};
pub use pad::Border;
pub use range::Slice;
pub(super) use size::count;
pub use slices::Slices;
pub(super) use table::OPS;
