//! Elements picked by indices that are data, and put or added at them. Knows one rule: an index out of range is an
//! error, never clamped, and a negative one does not count from the end.

mod mask;
mod pick;
mod place;
mod samples;
mod scatter;
mod table;
#[cfg(test)]
mod tests;
mod window;

use place::Place;
pub(super) use table::OPS;
