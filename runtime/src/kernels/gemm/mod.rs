//! Matrix products: small ones in registers, large ones by the crate `gemm`, vectors by code of their own.
//! Knows operands by their strides; that an operand was transposed it cannot see.

mod cut;
mod direct;
mod kernel;
mod matmul;
mod simd;
#[cfg(test)]
mod tests;
mod vector;

pub use matmul::MatMul;
