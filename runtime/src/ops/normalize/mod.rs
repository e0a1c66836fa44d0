//! Tensors brought to a common scale: shares, zero mean and unit variance, unit length; and dropout, which thins them.
//! Knows them as functions of smaller ops.

mod batch;
mod checks;
mod dropout;
mod layer;
mod length;
mod softmax;
mod table;

pub(crate) use dropout::check_rate;
pub(super) use table::OPS;
