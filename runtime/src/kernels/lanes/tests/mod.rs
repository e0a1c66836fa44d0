//! What lane programs compute, against a scalar restatement of each instruction.
//! Knows nothing of how tiles are run.

mod faults;
mod functions;
mod instructions;
mod layouts;
pub(in crate::kernels) mod operand;
pub(in crate::kernels) mod reference;
