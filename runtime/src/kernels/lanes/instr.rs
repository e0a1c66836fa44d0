//! The instructions of lane programs. Knows what each computes and on what, and not how.

use super::Scalar;
use crate::types::DType;
use smallvec::SmallVec;
use std::fmt;

/// A value in a program: the index of the instruction that makes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u32);

impl fmt::Debug for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

/// An instruction of one operand; the result has the operand's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names are those of the functions in `math`.
pub enum UnaryOp {
    Neg,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    /// To the nearest integer, ties to even.
    Round,
    Trunc,
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log1p,
    Sin,
    Cos,
    Tan,
    Sinh,
    Cosh,
    Tanh,
    Erf,
    /// Logical not, on `bool` alone.
    Not,
}

/// An instruction of two operands of one type; the result has that type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Sum; integers wrap.
    Add,
    /// Difference; integers wrap.
    Sub,
    /// Product; integers wrap.
    Mul,
    /// IEEE quotient, on floats alone.
    Div,
    /// Quotient rounded to minus infinity; a zero integer divisor is a fault.
    FloorDiv,
    /// Remainder with the sign of the divisor; a zero integer divisor is a fault.
    FloorMod,
    /// Quotient rounded to zero; a zero integer divisor is a fault.
    TruncDiv,
    /// Remainder with the sign of the dividend; a zero integer divisor is a fault.
    TruncMod,
    /// The larger; NaN wins.
    Max,
    /// The smaller; NaN wins.
    Min,
    /// Power: IEEE on floats; on integers by wrapping products, a negative exponent is a fault.
    Pow,
    /// The angle of the point (second, first), on floats alone.
    Atan2,
    /// Logical and, on `bool` alone.
    And,
    /// Logical or, on `bool` alone.
    Or,
    /// Logical exclusive or, on `bool` alone.
    Xor,
}

/// A comparison of two operands of one type; the result is `bool`, false for NaN but for `Ne`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names say it.
pub enum CompareOp {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instr {
    /// The element of this input.
    Input(u32),
    /// A constant.
    Const(Scalar),
    /// A function of one operand.
    Unary(UnaryOp, Reg),
    /// A function of two operands of one type.
    Binary(BinaryOp, Reg, Reg),
    /// A comparison of two operands of one type.
    Compare(CompareOp, Reg, Reg),
    /// The second operand where the first (`bool`) is true, else the third.
    Select(Reg, Reg, Reg),
    /// The operand as another type: floats to integers saturate with NaN to 0, anything to `bool` is `!= 0`.
    Cast(Reg),
}

impl Instr {
    /// The operands.
    pub fn operands(self) -> SmallVec<[Reg; 3]> {
        match self {
            Instr::Input(_) | Instr::Const(_) => SmallVec::new(),
            Instr::Unary(_, a) | Instr::Cast(a) => SmallVec::from_slice(&[a]),
            Instr::Binary(_, a, b) | Instr::Compare(_, a, b) => SmallVec::from_slice(&[a, b]),
            Instr::Select(c, a, b) => SmallVec::from_slice(&[c, a, b]),
        }
    }

    /// The same instruction on other operands.
    #[must_use]
    pub fn with_operands(self, mut map: impl FnMut(Reg) -> Reg) -> Instr {
        match self {
            Instr::Input(_) | Instr::Const(_) => self,
            Instr::Unary(op, a) => Instr::Unary(op, map(a)),
            Instr::Cast(a) => Instr::Cast(map(a)),
            Instr::Binary(op, a, b) => Instr::Binary(op, map(a), map(b)),
            Instr::Compare(op, a, b) => Instr::Compare(op, map(a), map(b)),
            Instr::Select(c, a, b) => Instr::Select(map(c), map(a), map(b)),
        }
    }

    /// Whether it can fault: integer division by zero, an integer power with a negative exponent.
    pub fn can_fault(self, dtype: DType) -> bool {
        use BinaryOp::{FloorDiv, FloorMod, Pow, TruncDiv, TruncMod};
        !dtype.is_float()
            && matches!(self, Instr::Binary(FloorDiv | FloorMod | TruncDiv | TruncMod | Pow, ..))
    }
}
