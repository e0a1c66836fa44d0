//! What models are made of and how they learn, on top of tensors, variables and traced functions. Knows no kernel.

mod activation;
mod batch_norm;
mod dense;
mod dropout;
mod embedding;
mod layer_norm;
pub mod optimizer;
mod parts;
mod phase;

pub use activation::Activation;
pub use batch_norm::BatchNorm;
pub use dense::Dense;
pub use dropout::Dropout;
pub use embedding::Embedding;
pub use layer_norm::LayerNorm;
pub use phase::Phase;
