//! `erf`.
//! It knows the exponential of a reduced argument and no more of `exp`.

use super::coefficients::Coefficients;
use super::exp::reduce;
use super::lane::Lane;
use super::parts::{clamp, flip, magnitude, polynomial, power_of_two, sign};

/// The error function, to 2 ulp.
///
/// Up to 1 a polynomial, from there `1 - exp(p(|x| - 1))`: the logarithm of `1 - erf` is smooth.
#[inline(always)]
pub fn erf<L: Lane>(x: L) -> L {
    let one = L::constant(1.0);
    let distance = magnitude(x);
    let square = distance * distance;
    let inner = distance.mul_add(polynomial(square, L::Format::ERF_INNER), distance);

    let beyond = clamp(distance, 1.0, L::Format::ERF_ONE) - one;
    let reduced = reduce(polynomial(beyond, L::Format::ERF_OUTER));
    let outer = one - reduced.exponential() * power_of_two(reduced.power);
    flip(L::select(distance.less(one), inner, outer), sign(x))
}
