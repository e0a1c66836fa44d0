//! A value of a program under construction, with the operators of a number: what rows of ops are written with.
//! Knows how instructions are added, and not what they compute.

use super::{BinaryOp, CompareOp, Instr, Program, Reg, Scalar, UnaryOp};
use crate::types::DType;
use std::cell::RefCell;

/// A value of a program under construction: rows of ops are written with it as if it were a number.
#[derive(Clone, Copy)]
pub struct Lane<'p> {
    program: &'p RefCell<Program>,
    pub(super) reg: Reg,
    dtype: DType,
}

/// Adds an instruction.
pub(super) fn push(program: &RefCell<Program>, instr: Instr, dtype: DType) -> Lane<'_> {
    Lane { program, reg: program.borrow_mut().add(instr, dtype), dtype }
}

impl<'p> Lane<'p> {
    /// The type.
    pub fn dtype(self) -> DType {
        self.dtype
    }

    /// A constant of the same type.
    pub fn same(self, value: f64) -> Lane<'p> {
        push(self.program, Instr::Const(Scalar::from_f64(value, self.dtype)), self.dtype)
    }

    /// A constant of a type of its own.
    pub fn constant(self, value: Scalar) -> Lane<'p> {
        push(self.program, Instr::Const(value), value.dtype())
    }

    /// A function of this value.
    pub fn unary(self, op: UnaryOp) -> Lane<'p> {
        push(self.program, Instr::Unary(op, self.reg), self.dtype)
    }

    /// A function of two values of one type.
    pub fn binary(self, op: BinaryOp, other: Lane<'p>) -> Lane<'p> {
        assert_eq!(self.dtype, other.dtype, "{op:?} takes two lanes of one type");
        push(self.program, Instr::Binary(op, self.reg, other.reg), self.dtype)
    }

    /// A comparison of two values of one type.
    pub fn compare(self, op: CompareOp, other: Lane<'p>) -> Lane<'p> {
        assert_eq!(self.dtype, other.dtype, "{op:?} takes two lanes of one type");
        push(self.program, Instr::Compare(op, self.reg, other.reg), DType::Bool)
    }

    /// `a` where this (`bool`) is true, else `b`.
    pub fn select(self, a: Lane<'p>, b: Lane<'p>) -> Lane<'p> {
        assert_eq!(
            (self.dtype, a.dtype),
            (DType::Bool, b.dtype),
            "select takes a bool and two lanes of one type"
        );
        push(self.program, Instr::Select(self.reg, a.reg, b.reg), a.dtype)
    }

    /// This value as another type.
    pub fn cast(self, dtype: DType) -> Lane<'p> {
        if dtype == self.dtype { self } else { push(self.program, Instr::Cast(self.reg), dtype) }
    }
}

macro_rules! unary_methods {
    ($($method:ident $op:ident),* $(,)?) => {
        // Each is the instruction of its name; `not` is one among them, and no operator.
        #[allow(missing_docs, clippy::should_implement_trait)]
        impl<'p> Lane<'p> {$(
            pub fn $method(self) -> Lane<'p> {
                self.unary(UnaryOp::$op)
            }
        )*}
    };
}
unary_methods!(
    abs Abs, sqrt Sqrt, floor Floor, ceil Ceil, round Round, trunc Trunc, exp Exp, exp2 Exp2, expm1 Expm1, log Log,
    log2 Log2, log1p Log1p, sin Sin, cos Cos, tan Tan, sinh Sinh, cosh Cosh, tanh Tanh, erf Erf, not Not,
);

macro_rules! binary_methods {
    ($($method:ident $op:ident),* $(,)?) => {
        #[allow(missing_docs)] // Each is the instruction of its name.
        impl<'p> Lane<'p> {$(
            pub fn $method(self, other: Lane<'p>) -> Lane<'p> {
                self.binary(BinaryOp::$op, other)
            }
        )*}
    };
}
binary_methods!(
    floor_div FloorDiv, floor_mod FloorMod, trunc_div TruncDiv, trunc_mod TruncMod, max Max, min Min, pow Pow,
    atan2 Atan2, and And, or Or, xor Xor,
);

macro_rules! compare_methods {
    ($($method:ident $op:ident),* $(,)?) => {
        #[allow(missing_docs)] // Each is the instruction of its name.
        impl<'p> Lane<'p> {$(
            pub fn $method(self, other: Lane<'p>) -> Lane<'p> {
                self.compare(CompareOp::$op, other)
            }
        )*}
    };
}
compare_methods!(lt Lt, le Le, gt Gt, ge Ge, eq Eq, ne Ne);

macro_rules! operators {
    ($($operator:ident $method:ident),*) => {$(
        impl<'p> std::ops::$operator for Lane<'p> {
            type Output = Lane<'p>;
            fn $method(self, other: Lane<'p>) -> Lane<'p> {
                self.binary(BinaryOp::$operator, other)
            }
        }
        impl<'p> std::ops::$operator<f64> for Lane<'p> {
            type Output = Lane<'p>;
            fn $method(self, other: f64) -> Lane<'p> {
                self.binary(BinaryOp::$operator, self.same(other))
            }
        }
        impl<'p> std::ops::$operator<Lane<'p>> for f64 {
            type Output = Lane<'p>;
            fn $method(self, other: Lane<'p>) -> Lane<'p> {
                other.same(self).binary(BinaryOp::$operator, other)
            }
        }
    )*};
}
operators!(Add add, Sub sub, Mul mul, Div div);

impl<'p> std::ops::Neg for Lane<'p> {
    type Output = Lane<'p>;
    fn neg(self) -> Lane<'p> {
        self.unary(UnaryOp::Neg)
    }
}
