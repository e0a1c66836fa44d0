//! Random numbers that are the same for one state on every machine, for any number of threads.
//! Knows generators as two numbers; who keeps and advances them, floors above know.

mod draw;
mod law;
mod philox;
mod quantile;
mod real;
#[cfg(test)]
mod tests;

pub use draw::{Random, draw};
pub use real::Real;
