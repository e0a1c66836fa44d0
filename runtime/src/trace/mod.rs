//! From a user's function to a cached program: recording, the cache of traces, concrete functions.
//! Knows plans as things that run, and no op.

mod arguments;
pub mod boundary;
mod call;
mod closure;
mod concrete;
mod first;
mod function;
mod hints;
mod history;
mod identity;
mod invoke;
mod kept;
mod question;
mod recorder;
mod runs;
mod template;
#[cfg(test)]
mod tests;

pub use arguments::{Declared, DeclaredDim};
pub use call::{Mode, Outcome, concrete_function_of, eager};
pub use closure::{Traceable, TracedClosure, graph_fn};
pub use concrete::{BoundVariable, ConcreteFunction};
pub use function::GraphFn;
pub use history::Retraces;
