//! Faults that others had, by the report that told of each: none is here, nor any of its kind.

mod elementwise;
mod gradient;
mod index;
mod matmul;
mod numbers;
mod stable;
mod state;
#[path = "../support/mod.rs"]
mod support;
mod tracing;
mod variables;
