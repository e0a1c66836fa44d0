//! Graphs as TensorFlow's `GraphDef`, under its op names, attributes and node names. Knows its formats and kernels, and runs
//! nothing.
//!
//! `table` has a row for each op; `built` writes those that are several nodes there.

mod built;
mod call;
mod export;
mod face;
mod messages;
mod names;
mod row;
mod table;
mod writer;

pub(super) use export::expanded;
pub use face::GraphDef;
pub(super) use messages::type_number;
pub use messages::{AttrValue, DimProto, NodeDef, ShapeProto, TensorProto, VersionDef};
pub(super) use names::node_names;
