//! Ops that carry a value along an axis: running sums and products. Knows one axis at a time.

mod kernel;
mod recurrence;

pub use recurrence::OPS;
pub(super) use recurrence::product_of_others;
