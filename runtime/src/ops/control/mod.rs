//! Branches and loops as functions of closures: in a trace they become nodes with regions, else they are run.
//! Knows trees, and no op.

mod branch;
mod repeat;
mod shape;

pub use branch::cond;
pub use repeat::{fori_loop, while_loop};
