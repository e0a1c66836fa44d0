//! Graphs and values in formats of others. Reads what the floors below have made, and changes none of it.

pub mod checkpoint;
pub mod graphdef;
mod pictures;
mod protobuf;
mod saved;
pub mod tensorboard;
