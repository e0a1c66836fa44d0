//! Each mathematical function in its loops, against its definition applied to one lane at a time.
//! Knows nothing of how right the definitions are.

use super::instructions::{LENGTHS, hard};
use super::operand::{Operand, run};
use crate::kernels::Isa;
use crate::kernels::lanes::math::{self, Fused, Redone, Split};
use crate::kernels::lanes::{BinaryOp, Instr, Program, Reg, Scalar, UnaryOp};
use crate::types::FLOATS;

const X: Reg = Reg(0);
const Y: Reg = Reg(1);

/// A definition on one number, as an instruction set computes it.
type Definition = fn(Isa, Scalar, Scalar) -> Scalar;

fn is_fused(isa: Isa) -> bool {
    isa != Isa::Baseline || cfg!(not(target_arch = "x86_64"))
}

fn one<F: math::Unary>(isa: Isa, x: Scalar, _: Scalar) -> Scalar {
    macro_rules! result {
        ($x:ident) => {
            match F::REDO.as_ref().map(Redone::beyond).filter(|it| it.flags($x)) {
                Some(beyond) => (beyond.scalar)($x),
                None if is_fused(isa) => F::lane(Fused($x)).0,
                None => F::lane(Split($x)).0,
            }
        };
    }
    match x {
        Scalar::F32(x) => Scalar::F32(result!(x)),
        Scalar::F64(x) => Scalar::F64(result!(x)),
        _ => panic!("{x:?} is no float"),
    }
}

fn two<F: math::Binary>(isa: Isa, x: Scalar, y: Scalar) -> Scalar {
    match (x, y, is_fused(isa)) {
        (Scalar::F32(x), Scalar::F32(y), true) => Scalar::F32(F::lane(Fused(x), Fused(y)).0),
        (Scalar::F64(x), Scalar::F64(y), true) => Scalar::F64(F::lane(Fused(x), Fused(y)).0),
        (Scalar::F32(x), Scalar::F32(y), false) => Scalar::F32(F::lane(Split(x), Split(y)).0),
        (Scalar::F64(x), Scalar::F64(y), false) => Scalar::F64(F::lane(Split(x), Split(y)).0),
        _ => panic!("{x:?} and {y:?} are not two of one float type"),
    }
}

/// Compares the bits of the loops of an instruction with its definition, for all lengths and instruction sets.
fn check(instr: Instr, definition: Definition) {
    for dtype in FLOATS {
        let mut program = Program::default();
        let of: Vec<_> = instr.operands().iter().map(|_| program.add_input(*dtype)).collect();
        let result = program.add(instr, *dtype);
        program.add_output(result);
        let list = hard(*dtype);
        for (len, isa) in
            LENGTHS.iter().flat_map(|len| Isa::available().map(move |isa| (*len, isa)))
        {
            let x = Operand::row(*dtype, &[len], |i| list[i % list.len()]);
            let y = Operand::row(*dtype, &[len], |i| list[i / list.len() % list.len()]);
            let outputs = run(&program, &[len], &[&x, &y][..of.len()], isa).unwrap();
            for i in 0..len {
                let (x, y) = (x.element(&[len], i), y.element(&[len], i));
                let (found, wanted) = (outputs[0].element(&[len], i), definition(isa, x, y));
                let both_nan = format!("{found:?}{wanted:?}").matches("NaN").count() == 2;
                assert!(
                    found == wanted || both_nan,
                    "{instr:?} of {x:?} {y:?}, {isa:?}: {found:?}, not {wanted:?}"
                );
            }
        }
    }
}

#[test]
fn functions_of_one_operand_are_their_definitions() {
    macro_rules! check_all {
        ($($name:ident)*) => {$(check(Instr::Unary(UnaryOp::$name, X), one::<math::$name>);)*};
    }
    check_all!(Exp Exp2 Expm1 Log Log2 Log1p Sin Cos Tan Sinh Cosh Tanh Erf);
}

#[test]
fn functions_of_two_operands_are_their_definitions() {
    check(Instr::Binary(BinaryOp::Pow, X, Y), two::<math::Pow>);
    check(Instr::Binary(BinaryOp::Atan2, X, Y), two::<math::Atan2>);
}
