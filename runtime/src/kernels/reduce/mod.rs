//! Reductions, of values in memory or of what a lane program makes of them.
//! Knows no graph, and no element-wise work but that of its producer.

mod arg;
mod fold;
mod kernel;
mod order;
mod run;
#[cfg(test)]
mod tests;

mod tree;

pub use kernel::Reduce;
