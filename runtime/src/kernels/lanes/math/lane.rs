//! What a mathematical function may ask of one lane, and the two number formats.
//! It does not know whether a lane is a number in a loop or an instruction being recorded.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Shr, Sub};

use super::coefficients::Coefficients;

/// One lane of a vector: a floating-point number that can be computed with, but not looked at.
///
/// There is no way to branch on a lane. A function of lanes is one fixed sequence of operations,
/// so the loop around it vectorises, an assembler can record it, and every instruction set gives
/// the same bits. Each operation is the one IEEE 754 defines, rounded to nearest, ties to even.
pub trait Lane:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The number format, which picks constants and coefficients.
    type Format: Format;
    /// The lane seen as an unsigned integer of the same width; `+` and `-` wrap.
    type Bits: Bits;
    /// The outcome of a comparison.
    type Mask: Copy
        + BitAnd<Output = Self::Mask>
        + BitOr<Output = Self::Mask>
        + BitXor<Output = Self::Mask>
        + Not<Output = Self::Mask>;

    /// The same number in every lane, rounded to the lane's format.
    fn constant(value: f64) -> Self;
    /// The same integer in every lane, cut to the lane's width.
    fn integer(value: u64) -> Self::Bits;

    /// `self * factor + addend`, rounded once if the CPU can and twice if not.
    ///
    /// For polynomials, where either is accurate enough.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// `self * factor + addend`, with all bits of the product even on a CPU without FMA.
    ///
    /// For remainders, where the product is to cancel.
    fn mul_add_exact(self, factor: Self, addend: Self) -> Self;

    /// The IEEE 754 encoding.
    fn to_bits(self) -> Self::Bits;
    /// The number with this IEEE 754 encoding.
    fn from_bits(bits: Self::Bits) -> Self;

    /// Whether `self < other`; false if either is NaN.
    fn less(self, other: Self) -> Self::Mask;
    /// Whether `self == other`; false if either is NaN.
    fn equal(self, other: Self) -> Self::Mask;
    /// Whether two integers are the same.
    fn same_bits(left: Self::Bits, right: Self::Bits) -> Self::Mask;
    /// `yes` where the mask is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
}

/// An unsigned integer whose `+` and `-` wrap, as `std::num::Wrapping` does.
pub trait Bits:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
}

impl<T> Bits for T where
    T: Copy
        + Add<Output = T>
        + Sub<Output = T>
        + BitAnd<Output = T>
        + BitOr<Output = T>
        + BitXor<Output = T>
        + Shl<usize, Output = T>
        + Shr<usize, Output = T>
{
}

/// A number format: how its bits are laid out, and the coefficients that suit its precision.
pub trait Format: Coefficients + Copy + 'static {
    /// Stored bits of the significand, and so the place of the exponent.
    const SIGNIFICAND: usize;
    /// The exponent field of 1.0.
    const BIAS: u64;
    /// The sign bit alone.
    const SIGN: u64;
    /// The encoding of the square root of one half.
    const ROOT_HALF: u64;
    /// The smallest normal number.
    const MIN_POSITIVE: f64;
}

/// IEEE 754 binary32, `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Single;

impl Format for Single {
    const SIGNIFICAND: usize = 23;
    const BIAS: u64 = 127;
    const SIGN: u64 = 1 << 31;
    const ROOT_HALF: u64 = 0x3f35_04f3;
    const MIN_POSITIVE: f64 = f32::MIN_POSITIVE as f64;
}

/// IEEE 754 binary64, `f64`.
#[derive(Clone, Copy, Debug)]
pub struct Double;

impl Format for Double {
    const SIGNIFICAND: usize = 52;
    const BIAS: u64 = 1023;
    const SIGN: u64 = 1 << 63;
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    const MIN_POSITIVE: f64 = f64::MIN_POSITIVE;
}
