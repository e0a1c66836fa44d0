//! `log`, `log2` and `log1p`.
//! It knows no exponentials and no loops.

use super::coefficients::Coefficients;
use super::lane::{Format, Lane};
use super::parts::{polynomial, take_any_apart, take_apart};

/// The natural logarithm, to 1 ulp.
#[inline(always)]
pub fn log<L: Lane>(x: L) -> L {
    let parts = take_any_apart(x);
    let f = parts.significand - L::constant(1.0);
    let below = below(f, parts.exponent * L::constant(L::Format::LN2_LOW));
    at_the_ends(x, parts.exponent * L::constant(L::Format::LN2_HIGH) - (below - f))
}

/// The logarithm to base 2, to 2 ulp; powers of two give exact whole numbers.
#[inline(always)]
pub fn log2<L: Lane>(x: L) -> L {
    let parts = take_any_apart(x);
    let f = parts.significand - L::constant(1.0);
    let natural = f - below(f, L::constant(0.0));
    let value = natural.mul_add(L::constant(std::f64::consts::LOG2_E), parts.exponent);
    at_the_ends(x, value)
}

/// `log(1 + x)`, to 2 ulp also where `x` is near 0.
#[inline(always)]
pub fn log1p<L: Lane>(x: L) -> L {
    let one = L::constant(1.0);
    let whole = one + x;
    let added = whole - one;
    let lost = (one - (whole - added)) + (x - added);
    let parts = take_apart(whole);
    // 2^-exponent, by way of 2^(1 - exponent), which is a number even for the largest exponent.
    let down = L::integer(2 * L::Format::BIAS + 1) - parts.biased;
    let lost = lost * (L::from_bits(down << L::Format::SIGNIFICAND) * L::constant(0.5));

    let f = parts.significand - one;
    // The slope of the logarithm is 1 / (1 + f), near enough 1 - f.
    let slope = lost - lost * f;
    let below = below(f, parts.exponent.mul_add(L::constant(L::Format::LN2_LOW), slope));
    let value = parts.exponent * L::constant(L::Format::LN2_HIGH) - (below - f);
    L::select(x.equal(L::constant(0.0)), x, at_the_ends(whole, value))
}

/// How far `log(1 + f)`, with a small number added to it, is below `f`.
///
/// With `s = f / (2 + f)`, `log(1 + f) = f - (f*f/2 - s * (f*f/2 + r(s*s)))`, a form in which the
/// leading term is exact (K. C. Ng, in the FreeBSD mathematical library).
#[inline(always)]
fn below<L: Lane>(f: L, small: L) -> L {
    let s = f / (L::constant(2.0) + f);
    let square = s * s;
    let half = L::constant(0.5) * f * f;
    let rest = square.mul_add(polynomial(square, L::Format::LOG), half);
    half - s.mul_add(rest, small)
}

/// `value` where `x` is positive and finite, else what IEEE 754 says.
#[inline(always)]
fn at_the_ends<L: Lane>(x: L, value: L) -> L {
    let zero = L::constant(0.0);
    let value = L::select(x.less(L::constant(f64::INFINITY)), value, x);
    let value = L::select(x.less(zero), L::constant(f64::NAN), value);
    L::select(x.equal(zero), L::constant(f64::NEG_INFINITY), value)
}
