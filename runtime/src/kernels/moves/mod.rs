//! Kernels that only move elements: copies, concatenation, borders, and counting along an axis.
//! Knows elements by their size in bytes, not by their type.

mod concat;
mod copy;
mod iota;
mod pad;
mod transfer;

pub use concat::Concat;
pub use copy::Copy;
pub use iota::Iota;
pub use pad::Pad;
pub(super) use transfer::Transfer;
