//! Graphs and values in formats of others, read by others.

#[path = "../support/folder.rs"]
mod folder;
mod tensorflow;
