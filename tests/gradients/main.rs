//! Gradients: of functions and tapes, of every op and order, through host functions, by rules of the user's; and why one
//! is missing.

mod asked;
mod every_op;
mod explain;
mod host;
mod loss;
mod normalize;
mod overrides;
mod reduce;
#[path = "../support/mod.rs"]
mod support;
