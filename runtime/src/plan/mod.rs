//! From a graph to a list of kernels over one block of memory, and its runs. Knows lowerings, and no particular op.

mod control;
mod explain;
mod frames;
mod fuse;
mod memory;
mod merge;
mod program;
mod run;
mod specialise;
mod task;
#[cfg(test)]
mod tests;

pub use fuse::steps;
pub use program::Plan;
pub use specialise::specialise;
