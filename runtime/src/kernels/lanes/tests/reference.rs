//! Each instruction on one element, stated again in the plainest way.
//! Knows no loops.

use crate::kernels::lanes::{BinaryOp, CompareOp, Instr, Program, Scalar, UnaryOp};
use crate::types::DType;

/// The outputs of a program for one element of each input.
pub fn evaluate(program: &Program, inputs: &[Scalar]) -> Vec<Scalar> {
    let mut values: Vec<Scalar> = Vec::new();
    for (instr, dtype) in program.instrs() {
        let of: Vec<Scalar> = instr.operands().iter().map(|reg| values[reg.0 as usize]).collect();
        values.push(match instr {
            Instr::Input(i) => inputs[*i as usize],
            Instr::Const(scalar) => *scalar,
            Instr::Unary(op, _) => unary(*op, of[0]),
            Instr::Binary(op, ..) => binary(*op, of[0], of[1]),
            Instr::Compare(op, ..) => Scalar::Bool(compare(*op, of[0], of[1])),
            Instr::Select(..) => {
                if of[0] == Scalar::Bool(true) {
                    of[1]
                } else {
                    of[2]
                }
            }
            Instr::Cast(_) => cast(of[0], *dtype),
        });
    }
    program.outputs().iter().map(|reg| values[reg.0 as usize]).collect()
}

/// The same function on both float types.
macro_rules! on_floats {
    ($x:expr, |$v:ident| $body:expr) => {
        match $x {
            Scalar::F32($v) => Scalar::F32($body),
            Scalar::F64($v) => Scalar::F64($body),
            other => panic!("{other:?} is no float"),
        }
    };
}

fn unary(op: UnaryOp, x: Scalar) -> Scalar {
    match (op, x) {
        (UnaryOp::Not, Scalar::Bool(it)) => Scalar::Bool(!it),
        (UnaryOp::Neg, Scalar::I32(it)) => Scalar::I32(it.wrapping_neg()),
        (UnaryOp::Neg, Scalar::I64(it)) => Scalar::I64(it.wrapping_neg()),
        (UnaryOp::Neg, Scalar::U8(it)) => Scalar::U8(it.wrapping_neg()),
        (UnaryOp::Abs, Scalar::I32(it)) => Scalar::I32(it.wrapping_abs()),
        (UnaryOp::Abs, Scalar::I64(it)) => Scalar::I64(it.wrapping_abs()),
        (UnaryOp::Abs, Scalar::U8(it)) => Scalar::U8(it),
        _ => on_floats!(x, |it| match op {
            UnaryOp::Neg => -it,
            UnaryOp::Abs => it.abs(),
            UnaryOp::Sqrt => it.sqrt(),
            UnaryOp::Floor => it.floor(),
            UnaryOp::Ceil => it.ceil(),
            UnaryOp::Round => it.round_ties_even(),
            UnaryOp::Trunc => it.trunc(),
            _ => panic!("{op:?} is not exact"),
        }),
    }
}

fn binary(op: BinaryOp, x: Scalar, y: Scalar) -> Scalar {
    match (x, y) {
        (Scalar::F32(x), Scalar::F32(y)) => Scalar::F32(float32(op, x, y)),
        (Scalar::F64(x), Scalar::F64(y)) => Scalar::F64(float64(op, x, y)),
        (Scalar::I32(x), Scalar::I32(y)) => Scalar::I32(integer(op, x.into(), y.into()) as i32),
        (Scalar::I64(x), Scalar::I64(y)) => Scalar::I64(integer(op, x.into(), y.into()) as i64),
        (Scalar::U8(x), Scalar::U8(y)) => Scalar::U8(integer(op, x.into(), y.into()) as u8),
        (Scalar::Bool(x), Scalar::Bool(y)) => Scalar::Bool(match op {
            BinaryOp::And | BinaryOp::Min => x && y,
            BinaryOp::Or | BinaryOp::Max => x || y,
            BinaryOp::Xor => x != y,
            _ => panic!("{op:?} does not take bool"),
        }),
        _ => panic!("{op:?} takes two of one type"),
    }
}

/// Exactly, in wider integers; cutting the result wraps.
fn integer(op: BinaryOp, x: i128, y: i128) -> i128 {
    match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::FloorDiv => x.div_euclid(y) - i128::from(y < 0 && x.rem_euclid(y) != 0),
        BinaryOp::FloorMod => x - y * integer(BinaryOp::FloorDiv, x, y),
        BinaryOp::TruncDiv => x / y,
        BinaryOp::TruncMod => x % y,
        BinaryOp::Max => x.max(y),
        BinaryOp::Min => x.min(y),
        BinaryOp::Pow => {
            (0..y).fold(1, |power: i128, _| i128::from((power as i64).wrapping_mul(x as i64)))
        }
        _ => panic!("{op:?} does not take integers"),
    }
}

macro_rules! floats {
    ($($name:ident $t:ident)*) => {$(
        fn $name(op: BinaryOp, x: $t, y: $t) -> $t {
            match op {
                BinaryOp::Add => x + y,
                BinaryOp::Sub => x - y,
                BinaryOp::Mul => x * y,
                BinaryOp::Div => x / y,
                BinaryOp::Max => if x.is_nan() { x } else if y.is_nan() { y } else if x > y { x } else { y },
                BinaryOp::Min => if x.is_nan() { x } else if y.is_nan() { y } else if x < y { x } else { y },
                BinaryOp::TruncMod => x % y,
                BinaryOp::TruncDiv if y == 0.0 => x / y,
                BinaryOp::TruncDiv => {
                    let quotient = ((x - x % y) / y).round_ties_even();
                    if quotient == 0.0 { quotient.copysign(x / y) } else { quotient }
                }
                // As `npy_divmod` has it, line by line.
                BinaryOp::FloorDiv | BinaryOp::FloorMod => {
                    let mut modulo = x % y;
                    if y == 0.0 {
                        return if op == BinaryOp::FloorDiv { x / y } else { modulo };
                    }
                    let mut quotient = (x - modulo) / y;
                    if modulo != 0.0 {
                        if (y < 0.0) != (modulo < 0.0) {
                            modulo += y;
                            quotient -= 1.0;
                        }
                    } else {
                        modulo = $t::copysign(0.0, y);
                    }
                    if quotient != 0.0 {
                        let floor = quotient.floor();
                        quotient = if quotient - floor > 0.5 { floor + 1.0 } else { floor };
                    } else {
                        quotient = $t::copysign(0.0, x / y);
                    }
                    if op == BinaryOp::FloorDiv { quotient } else { modulo }
                }
                _ => panic!("{op:?} is not exact on floats"),
            }
        }
    )*};
}
floats!(float32 f32 float64 f64);

fn compare(op: CompareOp, x: Scalar, y: Scalar) -> bool {
    let order = match (x, y) {
        (Scalar::F32(x), Scalar::F32(y)) => x.partial_cmp(&y),
        (Scalar::F64(x), Scalar::F64(y)) => x.partial_cmp(&y),
        (Scalar::I32(x), Scalar::I32(y)) => x.partial_cmp(&y),
        (Scalar::I64(x), Scalar::I64(y)) => x.partial_cmp(&y),
        (Scalar::U8(x), Scalar::U8(y)) => x.partial_cmp(&y),
        (Scalar::Bool(x), Scalar::Bool(y)) => x.partial_cmp(&y),
        _ => panic!("{op:?} takes two of one type"),
    };
    match op {
        CompareOp::Lt => order.is_some_and(|it| it.is_lt()),
        CompareOp::Le => order.is_some_and(|it| it.is_le()),
        CompareOp::Gt => order.is_some_and(|it| it.is_gt()),
        CompareOp::Ge => order.is_some_and(|it| it.is_ge()),
        CompareOp::Eq => order.is_some_and(|it| it.is_eq()),
        CompareOp::Ne => !order.is_some_and(|it| it.is_eq()),
    }
}

fn cast(x: Scalar, to: DType) -> Scalar {
    macro_rules! to {
        ($x:ident) => {
            match to {
                DType::F32 => Scalar::F32($x as f32),
                DType::F64 => Scalar::F64($x as f64),
                DType::I32 => Scalar::I32($x as i32),
                DType::I64 => Scalar::I64($x as i64),
                DType::U8 => Scalar::U8($x as u8),
                DType::Bool => Scalar::Bool($x as f64 != 0.0),
            }
        };
    }
    match x {
        Scalar::F32(x) => to!(x),
        Scalar::F64(x) => to!(x),
        Scalar::I32(x) => to!(x),
        Scalar::I64(x) => to!(x),
        Scalar::U8(x) => to!(x),
        Scalar::Bool(x) => {
            let x = u8::from(x);
            to!(x)
        }
    }
}
