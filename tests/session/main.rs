//! Graphs that are built first and run later: the chapters' programs on TensorFlow 1, and what sessions promise.

mod chapters;
mod exported;
mod graphs;
mod regression;
