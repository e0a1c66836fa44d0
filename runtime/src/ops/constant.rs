//! What an op asks for whose outputs are one number, whatever its inputs hold. Knows no op.

use crate::kernels::Lowering;
use crate::kernels::lanes::{Instr, Program, Scalar};

/// A program that reads nothing and makes this number of every element.
pub(super) fn constant(number: Scalar) -> Lowering {
    let mut program = Program::default();
    let number = program.add(Instr::Const(number), number.dtype());
    program.add_output(number);
    Lowering::Lanes(program)
}
