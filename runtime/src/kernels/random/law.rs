//! What the bits of each distribution become. Knows one element at a time, as a function of its own bits.

use super::Real;
use super::philox::{LANES, blocks};
use super::quantile::quantiles;
use crate::error::{Error, ErrorKind, Result};
use crate::kernels::{Distribution, Isa};

/// A distribution prepared for an element type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Law<T> {
    /// `low + u * (high - low)`, kept between the elements next to the two ends.
    Uniform { low: f64, high: f64, first: T, last: T },
    /// `mean + std * z`, where `z` is the quantile of a probability between `tail` and `1 - tail`.
    Normal { mean: f64, std: f64, tail: f64 },
}

/// The probability of more than two standard deviations above the mean.
const TWO_SIGMA_TAIL: f64 = 0.022_750_131_948_179_21;
const TWO_SIGMA: f64 = 2.0;

/// How many elements are computed side by side: all the `f64` of `LANES` blocks, half the `f32`.
const AT_ONCE: usize = LANES * 2;

impl<T: Real> Law<T> {
    /// Prepares a distribution.
    ///
    /// # Errors
    /// If its parameters make no distribution, or no element lies in its range.
    pub(super) fn new(distribution: Distribution) -> Result<Law<T>> {
        match distribution {
            Distribution::Uniform { low, high } => {
                let (first, last) = (T::at_least(low), T::below(high));
                let finite = low.is_finite() && high.is_finite();
                if finite && low < high && first <= last {
                    return Ok(Law::Uniform { low, high, first, last });
                }
                let message = format!(
                    "uniform random numbers need finite `low < high` with a {} between them, found [{low}, {high})",
                    T::DTYPE
                );
                Err(Error::new(ErrorKind::Value, message)
                    .with_help("give the lower end first; the upper end is never reached"))
            }
            Distribution::Normal { mean, std } => Law::normal(mean, std, 0.0),
            Distribution::TruncatedNormal { mean, std } => Law::normal(mean, std, TWO_SIGMA_TAIL),
        }
    }

    fn normal(mean: f64, std: f64, tail: f64) -> Result<Law<T>> {
        if mean.is_finite() && std.is_finite() && std >= 0.0 {
            return Ok(Law::Normal { mean, std, tail });
        }
        let message = format!(
            "normal random numbers need a finite mean and a finite standard deviation of at least 0, \
             found mean {mean} and standard deviation {std}"
        );
        Err(Error::new(ErrorKind::Value, message).with_help(
            "if this is a variance that was computed, look where it became negative or NaN",
        ))
    }

    /// Fills a stretch of elements that begins with a block's first.
    pub(super) fn fill(&self, seed: u64, first_block: u64, elements: &mut [T]) {
        match Isa::best() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has the instruction set.
            Isa::Avx512 => unsafe { fill_avx512(self, seed, first_block, elements) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has the instruction set.
            Isa::Avx2 => unsafe { fill_avx2(self, seed, first_block, elements) },
            _ => self.fill_inline(seed, first_block, elements),
        }
    }

    #[inline(always)]
    fn fill_inline(&self, seed: u64, first_block: u64, elements: &mut [T]) {
        for (group, elements) in elements.chunks_mut(LANES * T::PER_BLOCK).enumerate() {
            let words = blocks(seed, first_block.wrapping_add((group * LANES) as u64));
            for (part, elements) in elements.chunks_mut(AT_ONCE).enumerate() {
                let mut bits = [0; AT_ONCE];
                for (at, bits) in bits.iter_mut().enumerate() {
                    *bits = T::bits(&words, part * AT_ONCE + at);
                }
                elements.copy_from_slice(&self.numbers(&bits)[..elements.len()]);
            }
        }
    }

    /// Plain loops over arrays: unlike `map`, they are inlined whole and made vectors of.
    #[inline(always)]
    fn numbers(&self, bits: &[u64; AT_ONCE]) -> [T; AT_ONCE] {
        let mut numbers = [T::nearest(0.0); AT_ONCE];
        match *self {
            Law::Uniform { low, high, first, last } => {
                for (number, bits) in numbers.iter_mut().zip(bits) {
                    let unit = T::unit(*bits);
                    // The difference of the ends might overflow; their parts do not.
                    let near = T::nearest(low * (1.0 - unit) + high * unit);
                    let near = if near < first { first } else { near };
                    *number = if near > last { last } else { near };
                }
            }
            Law::Normal { mean, std, tail } => {
                let room = 1.0 - 2.0 * tail;
                let reach = if tail > 0.0 { TWO_SIGMA } else { f64::INFINITY };
                let mut tails = [0.0; AT_ONCE];
                for (tails, bits) in tails.iter_mut().zip(bits) {
                    *tails = tail + T::tail(*bits) * room;
                }
                let sizes = quantiles(&tails);
                for (at, number) in numbers.iter_mut().enumerate() {
                    let size = if sizes[at] > reach { reach } else { sizes[at] };
                    *number = T::nearest(mean + std * (T::sign(bits[at]) * size));
                }
            }
        }
        numbers
    }
}

/// The same code once more, for the compiler to make longer vectors of; no operation rounds differently for it.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn fill_avx512<T: Real>(law: &Law<T>, seed: u64, first_block: u64, elements: &mut [T]) {
    law.fill_inline(seed, first_block, elements);
}

/// As `fill_avx512`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn fill_avx2<T: Real>(law: &Law<T>, seed: u64, first_block: u64, elements: &mut [T]) {
    law.fill_inline(seed, first_block, elements);
}
