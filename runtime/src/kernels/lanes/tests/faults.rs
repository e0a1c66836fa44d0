//! Faults of integer instructions: that they are found, named, and placed.
//! Knows no results.

use super::operand::{Operand, run};
use crate::ErrorKind;
use crate::kernels::Isa;
use crate::kernels::lanes::{BinaryOp, Instr, Program, Scalar};
use crate::types::{DType, INTEGERS};

fn binary(op: BinaryOp, dtype: DType) -> Program {
    let mut program = Program::default();
    let (x, y) = (program.add_input(dtype), program.add_input(dtype));
    let result = program.add(Instr::Binary(op, x, y), dtype);
    program.add_output(result);
    program
}

#[test]
fn a_zero_divisor_is_named_with_its_place() {
    for (dtype, isa) in
        INTEGERS.iter().flat_map(|dtype| Isa::available().map(move |isa| (*dtype, isa)))
    {
        for op in [BinaryOp::FloorDiv, BinaryOp::FloorMod, BinaryOp::TruncDiv, BinaryOp::TruncMod] {
            for at in [0, 5, 63, 64, 1029, 2999] {
                let x = Operand::row(dtype, &[30, 100], |_| Scalar::from_f64(7.0, dtype));
                let y = Operand::row(dtype, &[30, 100], |i| {
                    Scalar::from_f64(f64::from(i != at), dtype)
                });
                let error = run(&binary(op, dtype), &[30, 100], &[&x, &y], isa)
                    .err()
                    .expect("a zero divisor");
                let index = [at / 100, at % 100];
                assert_eq!(
                    error.message(),
                    format!("integer division by zero, at element {index:?}")
                );
                assert_eq!(error.kind(), ErrorKind::Value);
                assert_eq!(
                    error.help(),
                    Some("replace the zeros of the divisor first, for example by `select`")
                );
            }
        }
    }
}

#[test]
fn a_negative_exponent_is_named() {
    for isa in Isa::available() {
        let x = Operand::row(DType::I64, &[3], |_| Scalar::I64(2));
        let y = Operand::row(DType::I64, &[], |_| Scalar::I64(-1));
        let error = run(&binary(BinaryOp::Pow, DType::I64), &[3], &[&x, &y], isa)
            .err()
            .expect("a negative exponent");
        assert_eq!(error.message(), "integer power with a negative exponent, at element [0]");
        assert_eq!(error.help(), Some("cast the base to a float type first"));
    }
}

#[test]
fn nothing_is_divided_where_there_are_no_elements_or_no_users() {
    let (x, zero) = (
        Operand::row(DType::I32, &[0], |_| Scalar::I32(1)),
        Operand::row(DType::I32, &[], |_| Scalar::I32(0)),
    );
    assert!(run(&binary(BinaryOp::FloorDiv, DType::I32), &[0], &[&x, &zero], Isa::best()).is_ok());
    let dead = Program::build(&[DType::I32; 2], |x| {
        let _ = x[0].floor_div(x[1]);
        vec![x[0]]
    });
    let x = Operand::row(DType::I32, &[4], |_| Scalar::I32(1));
    assert!(run(&dead, &[4], &[&x, &zero], Isa::best()).is_ok());
}
