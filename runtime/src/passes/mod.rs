//! Graph to graph: each pass makes a smaller or plainer graph of equal meaning, to the bit. Knows kinds and effects of ops.

mod expand;
mod fold;
mod pipeline;
mod prune;
mod share;
mod simplify;
mod thread;
mod walk;

pub use expand::expand_where;
pub use pipeline::run;
