//! Exact arithmetic on one element of each type, as lane programs define it.
//! Knows no loops, and nothing of the transcendental functions.

use crate::types::Element;

/// What every element type but `bool` can do; `bool` is computed with as the `u8` that it is in memory.
pub(in crate::kernels) trait Number: Element + Default {
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn floor_div(self, other: Self) -> Self;
    fn floor_mod(self, other: Self) -> Self;
    fn trunc_div(self, other: Self) -> Self;
    fn trunc_mod(self, other: Self) -> Self;

    /// Whether it is no number.
    #[inline(always)]
    #[allow(clippy::eq_op)] // Only NaN differs from itself.
    fn is_nan(self) -> bool {
        self != self
    }

    /// The larger, and NaN if either is; `other` where they are equal.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other || self.is_nan() { self } else { other }
    }

    /// The smaller, and NaN if either is; `other` where they are equal.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other || self.is_nan() { self } else { other }
    }
}

/// What integers alone can do.
pub(in crate::kernels) trait Integer: Number {
    /// A power by wrapping products; anything for a negative exponent.
    fn pow(self, exponent: Self) -> Self;
}

/// What floats alone can do.
pub(in crate::kernels) trait Float: Number {
    const HALF: Self;
    const ONE: Self;

    fn div(self, other: Self) -> Self;
    fn copysign(self, sign: Self) -> Self;
    fn sqrt(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn round(self) -> Self;
    fn trunc(self) -> Self;
}

/// Whether a remainder lies on the other side of zero than its divisor.
#[inline(always)]
fn signs_differ<T: PartialOrd + Default>(rest: T, divisor: T) -> bool {
    let zero = T::default();
    rest != zero && (rest < zero) != (divisor < zero)
}

/// The whole number next to a quotient that is one but for rounding; a zero has the sign of `sign`.
#[inline(always)]
fn whole<T: Float>(quotient: T, sign: T) -> T {
    let floor = quotient.floor();
    if quotient == T::default() {
        T::default().copysign(sign)
    } else if quotient.sub(floor) > T::HALF {
        floor.add(T::ONE)
    } else {
        floor
    }
}

macro_rules! integers {
    ($($t:ident, $abs:path;)*) => {$(
        impl Number for $t {
            #[inline(always)]
            fn add(self, other: $t) -> $t {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn sub(self, other: $t) -> $t {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn mul(self, other: $t) -> $t {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn neg(self) -> $t {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn abs(self) -> $t {
                $abs(self)
            }
            #[inline(always)]
            fn floor_div(self, other: $t) -> $t {
                let down = signs_differ(self.trunc_mod(other), other);
                self.trunc_div(other).wrapping_sub($t::from(down))
            }
            #[inline(always)]
            fn floor_mod(self, other: $t) -> $t {
                let rest = self.trunc_mod(other);
                if signs_differ(rest, other) { rest.wrapping_add(other) } else { rest }
            }
            #[inline(always)]
            fn trunc_div(self, other: $t) -> $t {
                // A zero divisor is a fault, found before its quotient is used.
                if other == 0 { 0 } else { self.wrapping_div(other) }
            }
            #[inline(always)]
            fn trunc_mod(self, other: $t) -> $t {
                if other == 0 { 0 } else { self.wrapping_rem(other) }
            }
        }

        impl Integer for $t {
            #[inline(always)]
            fn pow(self, exponent: $t) -> $t {
                let (mut power, mut square, mut left) = ($t::from(true), self, exponent);
                while left > 0 {
                    if left & 1 == 1 {
                        power = power.wrapping_mul(square);
                    }
                    square = square.wrapping_mul(square);
                    left >>= 1;
                }
                power
            }
        }
    )*};
}
integers! {
    i32, i32::wrapping_abs;
    i64, i64::wrapping_abs;
    u8, std::convert::identity;
}

macro_rules! floats {
    ($($t:ident)*) => {$(
        impl Number for $t {
            #[inline(always)]
            fn add(self, other: $t) -> $t {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: $t) -> $t {
                self - other
            }
            #[inline(always)]
            fn mul(self, other: $t) -> $t {
                self * other
            }
            #[inline(always)]
            fn neg(self) -> $t {
                -self
            }
            #[inline(always)]
            fn abs(self) -> $t {
                $t::abs(self)
            }
            /// From the remainder, as NumPy does it: the rounded quotient may be above the true one, as of 1 and 0.1.
            #[inline(always)]
            fn floor_div(self, other: $t) -> $t {
                let (rest, quotient) = (self % other, self / other);
                let down = if signs_differ(rest, other) { 1.0 } else { 0.0 };
                if other == 0.0 { quotient } else { whole((self - rest) / other - down, quotient) }
            }
            #[inline(always)]
            fn floor_mod(self, other: $t) -> $t {
                let rest = self % other;
                if rest == 0.0 {
                    $t::copysign(0.0, other)
                } else if signs_differ(rest, other) {
                    rest + other
                } else {
                    rest
                }
            }
            #[inline(always)]
            fn trunc_div(self, other: $t) -> $t {
                let quotient = self / other;
                if other == 0.0 { quotient } else { whole((self - self % other) / other, quotient) }
            }
            #[inline(always)]
            fn trunc_mod(self, other: $t) -> $t {
                self % other
            }
        }

        impl Float for $t {
            const HALF: $t = 0.5;
            const ONE: $t = 1.0;

            #[inline(always)]
            fn copysign(self, sign: $t) -> $t {
                $t::copysign(self, sign)
            }
            #[inline(always)]
            fn div(self, other: $t) -> $t {
                self / other
            }
            #[inline(always)]
            fn sqrt(self) -> $t {
                $t::sqrt(self)
            }
            #[inline(always)]
            fn floor(self) -> $t {
                $t::floor(self)
            }
            #[inline(always)]
            fn ceil(self) -> $t {
                $t::ceil(self)
            }
            #[inline(always)]
            fn round(self) -> $t {
                $t::round_ties_even(self)
            }
            #[inline(always)]
            fn trunc(self) -> $t {
                $t::trunc(self)
            }
        }
    )*};
}
floats!(f32 f64);
