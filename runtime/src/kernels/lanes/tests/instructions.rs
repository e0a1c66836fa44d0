//! Each exact instruction on each type that takes it, on hard elements and all awkward lengths.
//! Knows no layouts but rows and scalars.

use super::operand::{Operand, check, run};
use crate::kernels::Isa;
use crate::kernels::lanes::{BinaryOp, CompareOp, Instr, Program, Reg, Scalar, UnaryOp};
use crate::types::{ALL, DType, FLOATS, INTEGERS, NUMBERS};

/// The lengths around those of blocks and tiles.
pub const LENGTHS: [usize; 12] = [0, 1, 7, 8, 9, 63, 64, 65, 1023, 1024, 1025, 3000];

/// The hard elements of a type.
pub fn hard(dtype: DType) -> Vec<Scalar> {
    let floats = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        3.0,
        -7.25,
        1e-40,
        255.0,
        256.0,
        -129.0,
        2147483648.0,
        1e10,
        -1e19,
        1e30,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let integers = [
        0,
        1,
        -1,
        2,
        3,
        -3,
        7,
        10,
        100,
        127,
        128,
        -128,
        i64::from(i32::MIN),
        i64::from(i32::MAX),
        i64::MIN,
        i64::MAX,
    ];
    match dtype {
        DType::F32 => floats.map(|it| Scalar::F32(it as f32)).to_vec(),
        DType::F64 => floats.map(Scalar::F64).to_vec(),
        DType::I32 => integers.map(|it| Scalar::I32(it as i32)).to_vec(),
        DType::I64 => integers.map(Scalar::I64).to_vec(),
        DType::U8 => integers.map(|it| Scalar::U8(it as u8)).to_vec(),
        DType::Bool => vec![Scalar::Bool(false), Scalar::Bool(true)],
    }
}

/// Checks an instruction on rows of all lengths, in which all tuples of elements meet as far as the length goes, and
/// with each operand a scalar in turn.
fn check_instruction(instr: &dyn Fn(&[Reg]) -> Instr, of: &[(DType, Vec<Scalar>)], to: DType) {
    let mut program = Program::default();
    let regs: Vec<Reg> = of.iter().map(|(dtype, _)| program.add_input(*dtype)).collect();
    let result = program.add(instr(&regs), to);
    program.add_output(result);
    for len in LENGTHS {
        let mut period = 1;
        let mut rows = Vec::new();
        for (dtype, list) in of {
            rows.push(Operand::row(*dtype, &[len], |i| list[i / period % list.len()]));
            period *= list.len();
        }
        check(&program, &[len], &rows.iter().collect::<Vec<_>>());
        for (k, (dtype, list)) in of.iter().enumerate() {
            let scalar = Operand::row(*dtype, &[], |_| list[len % list.len()]);
            let mut inputs: Vec<&Operand> = rows.iter().collect();
            inputs[k] = &scalar;
            check(&program, &[len], &inputs);
        }
    }
}

fn check_unary(op: UnaryOp, types: &[DType]) {
    for dtype in types {
        check_instruction(&|of| Instr::Unary(op, of[0]), &[(*dtype, hard(*dtype))], *dtype);
    }
}

/// Checks an instruction whose second operand is a hard element that `right` lets through.
fn check_binary(op: BinaryOp, types: &[DType], right: fn(Scalar) -> bool) {
    for dtype in types {
        let (all, some) =
            (hard(*dtype), hard(*dtype).into_iter().filter(|it| right(*it)).collect());
        check_instruction(
            &|of| Instr::Binary(op, of[0], of[1]),
            &[(*dtype, all), (*dtype, some)],
            *dtype,
        );
    }
}

#[test]
fn exact_functions_of_one_operand() {
    use UnaryOp::{Abs, Ceil, Floor, Neg, Not, Round, Sqrt, Trunc};
    [Neg, Abs].into_iter().for_each(|op| check_unary(op, NUMBERS));
    [Sqrt, Floor, Ceil, Round, Trunc].into_iter().for_each(|op| check_unary(op, FLOATS));
    check_unary(Not, &[DType::Bool]);
}

#[test]
fn exact_functions_of_two_operands() {
    use BinaryOp::{Add, And, Div, Max, Min, Mul, Or, Sub, Xor};
    [Add, Sub, Mul, Max, Min].into_iter().for_each(|op| check_binary(op, NUMBERS, |_| true));
    check_binary(Div, FLOATS, |_| true);
    [And, Or, Xor, Max, Min].into_iter().for_each(|op| check_binary(op, &[DType::Bool], |_| true));
}

#[test]
fn division_and_remainder() {
    use BinaryOp::{FloorDiv, FloorMod, TruncDiv, TruncMod};
    for op in [FloorDiv, FloorMod, TruncDiv, TruncMod] {
        check_binary(op, FLOATS, |_| true);
        check_binary(op, INTEGERS, |it| it.bits() != 0);
    }
}

#[test]
fn integer_powers() {
    check_binary(BinaryOp::Pow, INTEGERS, |it| match it {
        Scalar::I32(it) => (0..200).contains(&it),
        Scalar::I64(it) => (0..200).contains(&it),
        _ => true,
    });
}

#[test]
fn comparisons() {
    use CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
    for op in [Lt, Le, Gt, Ge, Eq, Ne] {
        for dtype in ALL {
            let of = [(*dtype, hard(*dtype)), (*dtype, hard(*dtype))];
            check_instruction(&|of| Instr::Compare(op, of[0], of[1]), &of, DType::Bool);
        }
    }
}

#[test]
fn selections() {
    for dtype in ALL {
        let of = [(DType::Bool, hard(DType::Bool)), (*dtype, hard(*dtype)), (*dtype, hard(*dtype))];
        check_instruction(&|of| Instr::Select(of[0], of[1], of[2]), &of, *dtype);
    }
}

#[test]
fn casts() {
    for from in ALL {
        for to in ALL {
            check_instruction(&|of| Instr::Cast(of[0]), &[(*from, hard(*from))], *to);
        }
    }
}

#[test]
fn a_tenth_goes_nine_whole_times_into_one() {
    let program = Program::build(&[DType::F64; 2], |x| {
        vec![x[0].floor_div(x[1]), x[0].trunc_div(x[1]), x[0].floor_mod(x[1])]
    });
    let one = Operand::row(DType::F64, &[1], |_| Scalar::F64(1.0));
    let tenth = Operand::row(DType::F64, &[1], |_| Scalar::F64(0.1));
    let outputs = run(&program, &[1], &[&one, &tenth], Isa::best()).unwrap();
    let found: Vec<Scalar> = outputs.iter().map(|it| it.element(&[1], 0)).collect();
    assert_eq!(found, [9.0, 9.0, 0.09999999999999995].map(Scalar::F64));
}
