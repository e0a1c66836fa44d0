//! `sin`, `cos` and `tan` of moderate angles.
//! Angles beyond the limit lose their reduction here and are redone one by one elsewhere.

use super::coefficients::Coefficients;
use super::lane::Lane;
use super::parts::{as_sign, flip, is_set, magnitude, nearest, polynomial, sign};

/// The sine, to 2 ulp for angles up to the format's `ANGLE_LIMIT`.
#[inline(always)]
pub fn sin<L: Lane>(x: L) -> L {
    let angle = reduce(magnitude(x));
    let value = L::select(is_set::<L>(angle.quarter, 0), angle.cosine(), angle.sine());
    flip(value, sign(x) ^ as_sign::<L>(angle.quarter, 1))
}

/// The cosine, to 2 ulp for angles up to the format's `ANGLE_LIMIT`.
#[inline(always)]
pub fn cos<L: Lane>(x: L) -> L {
    let angle = reduce(magnitude(x));
    let value = L::select(is_set::<L>(angle.quarter, 0), angle.sine(), angle.cosine());
    flip(value, as_sign::<L>(angle.quarter + L::integer(1), 1))
}

/// The tangent, to 4 ulp for angles up to the format's `ANGLE_LIMIT`.
#[inline(always)]
pub fn tan<L: Lane>(x: L) -> L {
    let angle = reduce(magnitude(x));
    let (sine, cosine) = (angle.sine(), angle.cosine());
    let odd = is_set::<L>(angle.quarter, 0);
    let value = L::select(odd, cosine, sine) / L::select(odd, sine, cosine);
    flip(value, sign(x) ^ as_sign::<L>(angle.quarter, 0))
}

/// An angle as a number of quarter turns and a rest in about [-pi/4, pi/4].
struct Angle<L: Lane> {
    quarter: L::Bits,
    rest: L,
}

/// Takes the nearest multiple of pi/2 from a positive angle (Cody and Waite 1980).
///
/// The first step is exact: the whole number times the first part of pi/2 cancels all but the
/// rest, which has few enough bits. The second may cancel as much again, for an angle that is
/// nearly a multiple of pi/2; then the third is what is left.
#[inline(always)]
fn reduce<L: Lane>(angle: L) -> Angle<L> {
    let (whole, quarter) = nearest(angle * L::constant(std::f64::consts::FRAC_2_PI));
    let [first, second, third] = L::Format::HALF_PI.map(|part| L::constant(-part));
    let rest = whole.mul_add_exact(first, angle);
    let rest = whole.mul_add_exact(second, rest);
    Angle { quarter, rest: whole.mul_add(third, rest) }
}

impl<L: Lane> Angle<L> {
    #[inline(always)]
    fn sine(&self) -> L {
        let square = self.rest * self.rest;
        (self.rest * square).mul_add(polynomial(square, L::Format::SIN), self.rest)
    }

    #[inline(always)]
    fn cosine(&self) -> L {
        let square = self.rest * self.rest;
        let curve = square.mul_add(polynomial(square, L::Format::COS), L::constant(-0.5));
        square.mul_add(curve, L::constant(1.0))
    }
}
