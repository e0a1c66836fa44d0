//! A few threads that help with the chunks of one kernel at a time.
//! Knows nothing of kernels: only numbered chunks and a guess of how long they take.

#[cfg(test)]
mod orders;
mod slot;
mod sync;
mod team;

use slot::Slot;
pub use team::{for_chunks, threads};
