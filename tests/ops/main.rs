//! What each family of ops computes: the numbers of others, in every way of running it, and what it refuses.

mod contract;
mod elementwise;
mod index;
mod losses;
mod movement;
mod normalize;
mod reduce;
#[path = "../support/mod.rs"]
mod support;
