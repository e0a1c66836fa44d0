//! `pow`.
//! It knows the logarithm to twice the precision, which the other functions do not need.

use super::coefficients::Coefficients;
use super::exp::reduce;
use super::lane::{Format, Lane};
use super::pair::{Pair, product, sum};
use super::parts::{clamp, magnitude, polynomial, scale, sign, take_any_apart, two_to};

/// `base^exponent`, to 1 ulp, with the special cases of C99 Annex F.
#[inline(always)]
pub fn pow<L: Lane>(base: L, exponent: L) -> L {
    let (zero, one) = (L::constant(0.0), L::constant(1.0));
    let size = magnitude(base);
    let endless = size.equal(L::constant(f64::INFINITY));

    // The logarithms of zero and infinity send the product where it over- or underflows.
    let Pair { high, low } = log_pair(size);
    let high = L::select(size.equal(zero), L::constant(f64::NEG_INFINITY), high);
    let high = L::select(endless, L::constant(f64::INFINITY), high);
    let value = exp_of_product(exponent, Pair { high, low });

    let reach = magnitude(exponent);
    let whole = is_whole(reach);
    let odd = whole & !is_whole(reach * L::constant(0.5));
    let negative = L::same_bits(sign(base), L::integer(L::Format::SIGN));
    let value = L::select(negative & odd, -value, value);
    let complex = base.less(zero) & !(endless | whole);
    let value = L::select(complex, L::constant(f64::NAN), value);

    let ordered = base.equal(base) & exponent.equal(exponent);
    let value = L::select(ordered, value, base + exponent);
    L::select(base.equal(one) | exponent.equal(zero), one, value)
}

/// `e^(exponent * log)`, without rounding the product.
#[inline(always)]
fn exp_of_product<L: Lane>(exponent: L, log: Pair<L>) -> L {
    // Beyond this reach every base but one has over- or underflowed; zero times it is still zero.
    let reach = two_to(L::Format::SIGNIFICAND as i32 + 13);
    let exponent = clamp(exponent, -reach, reach);
    let raised = product(exponent, log.high).plus(exponent * log.low);

    let whole = clamp(raised.high, L::Format::EXP_LOW, L::Format::EXP_HIGH);
    let mut reduced = reduce(whole);
    let clamped = !whole.equal(raised.high);
    reduced.low = reduced.low + L::select(clamped, L::constant(0.0), raised.low);
    scale(reduced.exponential(), reduced.power)
}

/// The natural logarithm of a positive number, with as many bits beyond the format's as the
/// largest exponent takes away: 8 in `f32` and 11 in `f64`.
///
/// `log m = 2s + s * (s*s * (2/3 + s*s * ..))` with `s = (m - 1) / (m + 1)`, the terms written out
/// as pairs and the dots as a polynomial.
#[inline(always)]
fn log_pair<L: Lane>(x: L) -> Pair<L> {
    let one = L::constant(1.0);
    let parts = take_any_apart(x);
    let over = parts.significand - one;
    let under = sum(one, parts.significand);
    let inverse = one / under.high;
    let s = over * inverse;
    let rest = s.mul_add(-under.low, s.mul_add_exact(-under.high, over));
    let s = Pair { high: s, low: rest * inverse };

    let square = s.times(s);
    let tail = square.high * polynomial(square.high, L::Format::LOG_TAIL);
    let [third, third_low] = L::Format::TWO_THIRDS.map(L::constant);
    let curve = square.times(sum(third, tail).plus(third_low));
    let curve = s.times(curve);

    let twice = sum(s.high + s.high, curve.high);
    let twice_low = twice.low + (s.low + s.low + curve.low);
    let log = sum(parts.exponent * L::constant(L::Format::LN2_HIGH), twice.high);
    log.plus(parts.exponent.mul_add(L::constant(L::Format::LN2_LOW), twice_low))
}

/// Whether a number that is not negative is an integer; infinity is.
#[inline(always)]
fn is_whole<L: Lane>(x: L) -> L::Mask {
    let push = L::constant(two_to(L::Format::SIGNIFICAND as i32));
    ((x + push) - push).equal(x) | !x.less(push)
}
