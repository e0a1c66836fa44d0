//! `sinh`, `cosh` and `tanh`.
//! It knows the reduction of `exp` and no more of it.

use super::coefficients::Coefficients;
use super::exp::reduce;
use super::lane::{Format, Lane};
use super::parts::{clamp, flip, magnitude, polynomial, power_of_two, sign, two_to};

/// The hyperbolic sine, to 3 ulp.
#[inline(always)]
pub fn sinh<L: Lane>(x: L) -> L {
    let Waves { sum, difference, odd, even } = halves(magnitude(x));
    let half = difference + difference.mul_add(even, sum * odd);
    // Halving would cost tiny numbers their last bit.
    let tiny = magnitude(x).less(L::constant(two_to(-(L::Format::SIGNIFICAND as i32) / 2 - 1)));
    L::select(tiny, x, flip(half + half, sign(x)))
}

/// The hyperbolic cosine, to 2 ulp.
#[inline(always)]
pub fn cosh<L: Lane>(x: L) -> L {
    let Waves { sum, difference, odd, even } = halves(magnitude(x));
    let half = sum + sum.mul_add(even, difference * odd);
    half + half
}

/// The hyperbolic tangent, to 3 ulp.
#[inline(always)]
pub fn tanh<L: Lane>(x: L) -> L {
    let distance = clamp(magnitude(x), 0.0, L::Format::TANH_ONE);
    let reduced = reduce(distance + distance);
    let power = power_of_two::<L>(reduced.power);
    // e^2x - 1; over itself plus 2, its own errors all but cancel where the result is near 1.
    let grown = power.mul_add(reduced.less_one(), power - L::constant(1.0));
    flip(grown / (grown + L::constant(2.0)), sign(x))
}

/// With `x = n ln 2 + r`: `sinh x = (2^n - 2^-n) / 2 * cosh r + (2^n + 2^-n) / 2 * sinh r`, and
/// `cosh x` the same with the powers exchanged.
struct Waves<L> {
    /// `(2^n + 2^-n) / 4`.
    sum: L,
    /// `(2^n - 2^-n) / 4`.
    difference: L,
    /// `sinh r`.
    odd: L,
    /// `cosh r - 1`.
    even: L,
}

/// Takes a positive number apart, for half of each function: `2^n / 2` itself may overflow where
/// the result does not.
#[inline(always)]
fn halves<L: Lane>(distance: L) -> Waves<L> {
    // The results are half of exp's, so they overflow ln 2 later.
    let reduced = reduce(clamp(distance, 0.0, L::Format::EXP_HIGH + 0.6));
    let two = L::integer(2);
    let near = power_of_two::<L>(reduced.power - two);
    let far = power_of_two::<L>(L::integer(0) - reduced.power - two);
    // Far beyond the last bit the power of -n would wrap, and does not matter.
    let matters = reduced.whole.less(L::constant(L::Format::BIAS as f64 - 8.0));
    let far = L::select(matters, far, L::constant(0.0));

    let rest = reduced.high + reduced.low;
    let square = rest * rest;
    Waves {
        sum: near + far,
        difference: near - far,
        odd: (rest * square).mul_add(polynomial(square, L::Format::SINH), rest),
        even: square * polynomial(square, L::Format::COSH),
    }
}
