//! Numbers of twice the precision: an unevaluated sum of two, and the sums that are exact.
//! It does not know what they are the logarithm of.

use super::lane::Lane;

/// The sum `high + low`, where `low` is at most about an ulp of `high`.
#[derive(Clone, Copy)]
pub(super) struct Pair<L> {
    pub(super) high: L,
    pub(super) low: L,
}

/// `large + small` and its error (Dekker 1971), for `|large| >= |small|` or `large = 0`.
#[inline(always)]
pub(super) fn sum<L: Lane>(large: L, small: L) -> Pair<L> {
    let high = large + small;
    Pair { high, low: small - (high - large) }
}

/// `a * b` and its error.
#[inline(always)]
pub(super) fn product<L: Lane>(a: L, b: L) -> Pair<L> {
    let high = a * b;
    Pair { high, low: a.mul_add_exact(b, -high) }
}

impl<L: Lane> Pair<L> {
    /// The product of two pairs, but for the product of their low parts.
    #[inline(always)]
    pub(super) fn times(self, other: Self) -> Self {
        let Pair { high, low } = product(self.high, other.high);
        let crossed = self.high.mul_add(other.low, self.low * other.high);
        Pair { high, low: low + crossed }
    }

    /// The pair with a small number added to its low part.
    #[inline(always)]
    pub(super) fn plus(self, small: L) -> Self {
        Pair { low: self.low + small, ..self }
    }
}
