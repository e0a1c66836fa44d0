//! Branches and loops on tensors: what they compute, in every way of running them, what they change, and what is refused.

mod explicit;
mod regions;
#[path = "../support/mod.rs"]
mod support;
