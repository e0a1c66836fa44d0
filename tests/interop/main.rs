//! Graphs and values in formats of others, read by others.

mod events;
#[path = "../support/folder.rs"]
mod folder;
mod pictures;
mod programs;
mod tensorboard;
mod tensorflow;
