//! The face of TensorFlow 1: graphs that are built first and run later, from any point to any other, on the plans that
//! traced functions run on. Knows neither how a graph is optimised nor what its ops do.

mod build;
mod control;
mod cut;
mod default;
mod feed;
mod fetch;
mod graph;
mod infer;
mod recorder;
mod run;

pub use control::{control_dependencies, group, no_op};
pub use default::{AsDefault, default_graph};
pub use feed::Feeds;
pub use fetch::Fetch;
pub use graph::Graph;
pub use run::Session;
