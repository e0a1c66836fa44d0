//! `atan2`.
//! It knows quotients, not angles in turns.

use super::coefficients::Coefficients;
use super::lane::{Format, Lane};
use super::parts::{flip, magnitude, polynomial, sign, two_to};

/// The angle of the point (`x`, `y`) in [-pi, pi], to 3 ulp.
#[inline(always)]
pub fn atan2<L: Lane>(y: L, x: L) -> L {
    let (height, width) = (magnitude(y), magnitude(x));
    let steep = width.less(height);
    let near = L::select(steep, width, height);
    let far = L::select(steep, height, width);
    let Octant { eighths, rest } = octant(near, far);

    // Mirrored at the diagonal and at the y axis; an eighth turn is pi/4.
    let two = L::constant(2.0);
    let eighths = L::select(steep, two - eighths, eighths);
    let left = L::same_bits(sign(x), L::integer(L::Format::SIGN));
    let eighths = L::select(left, two + two - eighths, eighths);
    let rest = L::select(steep ^ left, -rest, rest);

    let [half_pi, half_pi_low, _] = L::Format::HALF_PI;
    let below = eighths.mul_add(L::constant(0.5 * half_pi_low), rest);
    let angle = flip(eighths.mul_add(L::constant(0.5 * half_pi), below), sign(y));
    L::select(y.equal(y) & x.equal(x), angle, x + y)
}

/// An angle as `eighths * pi/4 + rest`.
struct Octant<L> {
    /// 0 or 1.
    eighths: L,
    rest: L,
}

/// `atan(near / far)` for `0 <= near <= far`; zero if both are.
#[inline(always)]
fn octant<L: Lane>(near: L, far: L) -> Octant<L> {
    let (zero, one) = (L::constant(0.0), L::constant(1.0));
    // Their sum shall not overflow, and a fraction of them not lose bits.
    let large = L::constant(1.0 / L::Format::MIN_POSITIVE).less(far);
    let small = far.less(L::constant(L::Format::MIN_POSITIVE));
    let up = L::constant(two_to(L::Format::SIGNIFICAND as i32));
    let factor = L::select(large, L::constant(0.25), L::select(small, up, one));
    let (near, far) = (near * factor, far * factor);

    // Beyond tan(pi/8), from the diagonal: atan(t) = pi/4 + atan((t - 1) / (t + 1)).
    let beyond = (far * L::constant(std::f64::consts::SQRT_2 - 1.0)).less(near);
    // Two infinities have no quotient but an angle, as two zeros have.
    let same = near.equal(far);
    let diagonal = beyond | (same & zero.less(near));
    let over = L::select(diagonal, near - far, near);
    let under = L::select(diagonal, near + far, far);
    let t = L::select(same, zero, over / under);

    let square = t * t;
    let rest = (t * square).mul_add(polynomial(square, L::Format::ATAN), t);
    Octant { eighths: L::select(diagonal, one, zero), rest }
}
