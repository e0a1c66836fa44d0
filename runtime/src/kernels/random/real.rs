//! How random bits become `f32` and `f64`. Knows no distribution and no generator.

use super::philox::{LANES, Words};
use crate::types::Element;

/// A floating type that random bits become, and how many it takes.
pub trait Real: Element {
    /// How many elements one block of 128 bits gives.
    const PER_BLOCK: usize;

    /// The random bits of one element.
    #[doc(hidden)]
    fn bits(words: &Words, number: usize) -> u64;

    /// A multiple of 2^-24 (`f32`) or 2^-53 in `[0, 1)`.
    #[doc(hidden)]
    fn unit(bits: u64) -> f64;

    /// A probability in `(0, 0.5)`, an odd multiple of 2^-33 (`f32`) or 2^-54.
    #[doc(hidden)]
    fn tail(bits: u64) -> f64;

    /// 1 or -1, by a bit that `tail` does not use.
    #[doc(hidden)]
    fn sign(bits: u64) -> f64;

    /// The nearest element.
    #[doc(hidden)]
    fn nearest(number: f64) -> Self;

    /// The smallest element that is not below.
    #[doc(hidden)]
    fn at_least(number: f64) -> Self;

    /// The largest element below.
    #[doc(hidden)]
    fn below(number: f64) -> Self;
}

impl Real for f32 {
    const PER_BLOCK: usize = 4;

    #[inline(always)]
    fn bits(words: &Words, number: usize) -> u64 {
        debug_assert!(number < LANES * Self::PER_BLOCK);
        u64::from(words[number % 4][number / 4])
    }

    #[inline(always)]
    fn unit(bits: u64) -> f64 {
        (bits >> 8) as f64 * 2f64.powi(-24)
    }

    #[inline(always)]
    fn tail(bits: u64) -> f64 {
        ((bits & ((1 << 31) - 1)) as f64 + 0.5) * 2f64.powi(-32)
    }

    #[inline(always)]
    fn sign(bits: u64) -> f64 {
        if bits >> 31 == 0 { 1.0 } else { -1.0 }
    }

    #[inline(always)]
    fn nearest(number: f64) -> f32 {
        number as f32
    }

    fn at_least(number: f64) -> f32 {
        let near = number as f32;
        if f64::from(near) < number { near.next_up() } else { near }
    }

    fn below(number: f64) -> f32 {
        let near = number as f32;
        if f64::from(near) < number { near } else { near.next_down() }
    }
}

impl Real for f64 {
    const PER_BLOCK: usize = 2;

    #[inline(always)]
    fn bits(words: &Words, number: usize) -> u64 {
        debug_assert!(number < LANES * Self::PER_BLOCK);
        let (first, lane) = (number % 2 * 2, number / 2);
        u64::from(words[first][lane]) | u64::from(words[first + 1][lane]) << 32
    }

    #[inline(always)]
    fn unit(bits: u64) -> f64 {
        (bits >> 11) as f64 * 2f64.powi(-53)
    }

    #[inline(always)]
    fn tail(bits: u64) -> f64 {
        // 52 bits and the half behind them are exact in an f64.
        ((bits >> 11 & ((1 << 52) - 1)) as f64 + 0.5) * 2f64.powi(-53)
    }

    #[inline(always)]
    fn sign(bits: u64) -> f64 {
        if bits >> 63 == 0 { 1.0 } else { -1.0 }
    }

    #[inline(always)]
    fn nearest(number: f64) -> f64 {
        number
    }

    fn at_least(number: f64) -> f64 {
        number
    }

    fn below(number: f64) -> f64 {
        number.next_down()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_bits_stay_inside() {
        assert_eq!((f32::unit(0), f64::unit(0)), (0.0, 0.0));
        assert_eq!(f32::unit(u32::MAX.into()), 1.0 - 2f64.powi(-24));
        assert_eq!(f64::unit(u64::MAX), 1.0 - 2f64.powi(-53));
        assert_eq!((f32::tail(0), f32::sign(0)), (2f64.powi(-33), 1.0));
        let all = u32::MAX.into();
        assert_eq!((f32::tail(all), f32::sign(all)), (0.5 - 2f64.powi(-33), -1.0));
        assert_eq!((f64::tail(0), f64::sign(0)), (2f64.powi(-54), 1.0));
        let all = u64::MAX;
        assert_eq!((f64::tail(all), f64::sign(all)), (0.5 - 2f64.powi(-54), -1.0));
    }

    #[test]
    fn limits_round_inwards() {
        assert_eq!((f32::at_least(0.1), f32::below(0.1)), (0.1, 0.1f32.next_down()));
        assert_eq!((f32::at_least(1.0), f32::below(1.0)), (1.0, 1.0f32.next_down()));
        assert_eq!((f32::at_least(-1e300), f32::below(1e300)), (f32::MIN, f32::MAX));
        assert_eq!((f64::at_least(0.1), f64::below(0.1)), (0.1, 0.1f64.next_down()));
    }
}
