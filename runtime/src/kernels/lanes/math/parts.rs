//! Signs, exponents, roundings and polynomials, made of the operations of a lane.
//! It does not know the functions that are built of them.

use super::lane::{Format, Lane};

/// `x` without its sign.
#[inline(always)]
pub(super) fn magnitude<L: Lane>(x: L) -> L {
    L::from_bits(x.to_bits() & L::integer(L::Format::SIGN - 1))
}

/// The sign bit of `x`, in its place.
#[inline(always)]
pub(super) fn sign<L: Lane>(x: L) -> L::Bits {
    x.to_bits() & L::integer(L::Format::SIGN)
}

/// `x` with its sign changed where the sign bit is set.
#[inline(always)]
pub(super) fn flip<L: Lane>(x: L, sign: L::Bits) -> L {
    L::from_bits(x.to_bits() ^ sign)
}

/// Whether bit `place` of an integer is set.
#[inline(always)]
pub(super) fn is_set<L: Lane>(bits: L::Bits, place: usize) -> L::Mask {
    let bit = L::integer(1 << place);
    L::same_bits(bits & bit, bit)
}

/// Bit `place` of an integer moved to where the sign is.
#[inline(always)]
pub(super) fn as_sign<L: Lane>(bits: L::Bits, place: usize) -> L::Bits {
    let last = L::Format::SIGN.trailing_zeros() as usize;
    (bits << (last - place)) & L::integer(L::Format::SIGN)
}

/// `x` held between two bounds; NaN stays NaN.
#[inline(always)]
pub(super) fn clamp<L: Lane>(x: L, low: f64, high: f64) -> L {
    let (low, high) = (L::constant(low), L::constant(high));
    let x = L::select(high.less(x), high, x);
    L::select(x.less(low), low, x)
}

/// The integer nearest to `x`, as a number and in two's complement.
///
/// Adding 1.5 * 2^SIGNIFICAND pushes the fraction out and leaves the integer in the low bits, so
/// no conversion instruction is needed (AVX2 has none for 64 bits). Right for
/// `|x| < 2^(SIGNIFICAND - 2)`.
#[inline(always)]
pub(super) fn nearest<L: Lane>(x: L) -> (L, L::Bits) {
    let push = L::constant(1.5 * two_to(L::Format::SIGNIFICAND as i32));
    let pushed = x + push;
    (pushed - push, pushed.to_bits() - push.to_bits())
}

/// The integer `bits`, at least 0 and below 2^SIGNIFICAND, as a number.
#[inline(always)]
pub(super) fn number<L: Lane>(bits: L::Bits) -> L {
    let push = L::constant(two_to(L::Format::SIGNIFICAND as i32));
    L::from_bits(bits | push.to_bits()) - push
}

/// `2^n` for an `n` whose power is a normal number.
#[inline(always)]
pub(super) fn power_of_two<L: Lane>(n: L::Bits) -> L {
    L::from_bits((n + L::integer(L::Format::BIAS)) << L::Format::SIGNIFICAND)
}

/// `x * 2^n` in two steps, so that the result may be subnormal or infinite.
///
/// Right for `-2 * BIAS <= n <= 2 * BIAS`.
#[inline(always)]
pub(super) fn scale<L: Lane>(x: L, n: L::Bits) -> L {
    let both = n + L::integer(2 * L::Format::BIAS);
    let first = both >> 1;
    let power = |exponent: L::Bits| L::from_bits(exponent << L::Format::SIGNIFICAND);
    x * power(first) * power(both - first)
}

/// The polynomial with these coefficients, lowest first.
///
/// Long ones are cut in their even and odd powers, two chains that run side by side.
#[inline(always)]
pub(super) fn polynomial<L: Lane>(x: L, coefficients: &[f64]) -> L {
    if coefficients.len() < 8 {
        return horner(x, coefficients.iter().rev());
    }
    let square = x * x;
    let even = horner(square, coefficients.iter().step_by(2).rev());
    let odd = horner(square, coefficients.iter().skip(1).step_by(2).rev());
    odd.mul_add(x, even)
}

/// The polynomial with these coefficients, highest first, by Horner's rule.
#[inline(always)]
fn horner<'a, L: Lane>(x: L, mut coefficients: impl Iterator<Item = &'a f64>) -> L {
    let highest = *coefficients.next().expect("a polynomial has a coefficient");
    coefficients.fold(L::constant(highest), |sum, &next| sum.mul_add(x, L::constant(next)))
}

/// A finite positive number as `significand * 2^exponent`, the significand in [sqrt(1/2), sqrt(2)).
pub(super) struct Parts<L: Lane> {
    pub(super) significand: L,
    pub(super) exponent: L,
    /// The exponent plus BIAS, as an integer.
    pub(super) biased: L::Bits,
}

/// Takes a normal positive number apart; what it gives for others is of no use.
#[inline(always)]
pub(super) fn take_apart<L: Lane>(x: L) -> Parts<L> {
    let place = L::Format::SIGNIFICAND;
    let one = L::Format::BIAS << place;
    let moved = x.to_bits() + L::integer(one - L::Format::ROOT_HALF);
    let biased = moved >> place;
    let fraction = moved & L::integer((1 << place) - 1);
    Parts {
        significand: L::from_bits(fraction + L::integer(L::Format::ROOT_HALF)),
        exponent: number::<L>(biased) - L::constant(L::Format::BIAS as f64),
        biased,
    }
}

/// As `take_apart`, right for subnormal numbers too.
#[inline(always)]
pub(super) fn take_any_apart<L: Lane>(x: L) -> Parts<L> {
    let up = L::Format::SIGNIFICAND as i32 + 1;
    let small = x.less(L::constant(L::Format::MIN_POSITIVE));
    let parts = take_apart(L::select(small, x * L::constant(two_to(up)), x));
    let shift = L::select(small, L::constant(f64::from(up)), L::constant(0.0));
    Parts { exponent: parts.exponent - shift, ..parts }
}

/// `2^n` as a constant, for a normal `f64`.
pub(super) const fn two_to(n: i32) -> f64 {
    f64::from_bits(((1023 + n) as u64) << 52)
}
