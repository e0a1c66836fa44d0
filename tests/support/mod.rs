//! What tests of behaviour share: one function in every way of running it. Knows no op.

#![allow(dead_code, unused_imports, reason = "each file of tests uses a part of it")]

mod folder;
mod gradients;
mod ways;

pub use folder::Folder;
pub use gradients::{gradients_of, has_gradient};
pub use ways::{holds, refused, told};
