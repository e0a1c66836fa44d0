//! Kernels that follow indices: elements picked by them, and elements put or added there.
//! Knows indices counted from 0; an index out of range is an error, never clamped.

mod pick;
mod places;
mod scatter;
#[cfg(test)]
mod tests;

pub use pick::Gather;
use places::Places;
pub(in crate::kernels) use places::picked_sizes;
pub use scatter::Scatter;
