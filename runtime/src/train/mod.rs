//! What models are made of and how they learn, on top of tensors, variables and traced functions. Knows no kernel.

mod activation;
mod dense;
pub mod optimizer;

pub use activation::Activation;
pub use dense::Dense;
