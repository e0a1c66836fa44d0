//! `exp`, `exp2` and `expm1`.
//! It knows no logarithms and no loops.

use super::coefficients::Coefficients;
use super::lane::{Format, Lane};
use super::parts::{clamp, magnitude, nearest, polynomial, power_of_two, scale, two_to};

/// `e^x`, to 1 ulp.
#[inline(always)]
pub fn exp<L: Lane>(x: L) -> L {
    let reduced = reduce(clamp(x, L::Format::EXP_LOW, L::Format::EXP_HIGH));
    scale(reduced.exponential(), reduced.power)
}

/// `2^x`, to 2 ulp; whole numbers give exact powers.
#[inline(always)]
pub fn exp2<L: Lane>(x: L) -> L {
    let bias = L::Format::BIAS as f64;
    let lowest = -bias - L::Format::SIGNIFICAND as f64 - 2.0;
    let x = clamp(x, lowest, bias + 1.0);
    let (n, power) = nearest(x);
    let rest = x - n;
    let value = rest.mul_add(polynomial(rest, L::Format::EXP2), L::constant(1.0));
    scale(value, power)
}

/// `e^x - 1`, to 2 ulp also where `x` is near 0.
#[inline(always)]
pub fn expm1<L: Lane>(x: L) -> L {
    // Below the lower bound the result rounds to -1.
    let reduced = reduce(clamp(x, -(L::Format::SIGNIFICAND as f64), L::Format::EXP_HIGH));
    let one = L::integer(1);
    // Half the result, since 2^n itself may overflow where the result does not.
    let power = power_of_two::<L>(reduced.power - one);
    let half = power.mul_add(reduced.less_one(), power - L::constant(0.5));
    // Halving would cost tiny numbers their last bit, and zero its sign.
    let tiny = magnitude(x).less(L::constant(two_to(-2 - L::Format::SIGNIFICAND as i32)));
    L::select(tiny, x, half + half)
}

/// `x = power * ln 2 + high + low`, with the rest in [-ln 2 / 2, ln 2 / 2].
pub(super) struct Reduced<L: Lane> {
    /// The power of two as an integer, two's complement.
    pub(super) power: L::Bits,
    /// The power of two as a number.
    pub(super) whole: L,
    /// Exactly `x` minus the leading bits of the power times ln 2.
    pub(super) high: L,
    /// What the trailing bits of ln 2 take from it.
    pub(super) low: L,
}

/// Takes the nearest multiple of ln 2 from `x`.
#[inline(always)]
pub(super) fn reduce<L: Lane>(x: L) -> Reduced<L> {
    let (whole, power) = nearest(x * L::constant(std::f64::consts::LOG2_E));
    // LN2_HIGH has so few bits that its product with the whole number is exact.
    let high = whole.mul_add(L::constant(-L::Format::LN2_HIGH), x);
    let low = whole * L::constant(-L::Format::LN2_LOW);
    Reduced { power, whole, high, low }
}

impl<L: Lane> Reduced<L> {
    /// `e^(high + low)`, to a little more than half an ulp.
    #[inline(always)]
    pub(super) fn exponential(&self) -> L {
        let one = L::constant(1.0);
        let rest = self.high + self.low;
        let curve = (rest * rest).mul_add(polynomial(rest, L::Format::EXP), self.low);
        let sum = one + self.high;
        sum + ((self.high - (sum - one)) + curve)
    }

    /// `e^(high + low) - 1`.
    #[inline(always)]
    pub(super) fn less_one(&self) -> L {
        let rest = self.high + self.low;
        let lost = (self.high - rest) + self.low;
        rest + (rest * rest).mul_add(polynomial(rest, L::Format::EXP), lost)
    }
}
