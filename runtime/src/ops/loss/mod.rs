//! How far predictions are from what is wanted, one number for each example. Knows no optimizer, and no broadcasting:
//! two shapes that differ are refused.

mod huber;
mod kinds;
mod labels;
mod pairs;
mod table;

pub use huber::huber;
pub use kinds::{
    binary_cross_entropy, hinge, kl_div, mae, mse, sigmoid_cross_entropy, softmax_cross_entropy,
};
pub use labels::{nll, sparse_softmax_cross_entropy};
pub(super) use table::OPS;
