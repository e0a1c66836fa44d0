//! Ops that are several nodes in TensorFlow, by family. Knows what TensorFlow's kernels take.

pub(super) mod activation;
pub(super) mod elementwise;
pub(super) mod first;
pub(super) mod index;
pub(super) mod movement;
pub(super) mod random;
pub(super) mod reduce;
