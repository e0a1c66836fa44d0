//! Graphs and values in formats of others, read by others.

mod events;
#[path = "../support/folder.rs"]
mod folder;
mod tensorboard;
mod tensorflow;
