//! How values are spread over the buckets that TensorFlow uses: their limits grow by a tenth. Knows floats only.

use super::messages::Histogram;
use crate::error::{Error, ErrorKind, Result};
use once_cell::sync::Lazy;

/// The upper limits of the buckets, from the lowest to the highest.
static LIMITS: Lazy<Vec<f64>> = Lazy::new(|| {
    let growing = std::iter::successors(Some(1e-12), |limit| Some(limit * 1.1));
    let positive: Vec<f64> = growing.take_while(|limit| *limit < 1e20).chain([f64::MAX]).collect();
    positive.iter().rev().map(|limit| -limit).chain([0.0]).chain(positive.iter().copied()).collect()
});

/// The histogram of these values.
///
/// # Errors
/// If one is infinite or NaN, which no bucket holds.
pub fn histogram(values: &[f64]) -> Result<Histogram> {
    if let Some(wrong) = values.iter().find(|it| !it.is_finite()) {
        let message = format!("a histogram takes finite values, found {wrong}");
        return Err(Error::new(ErrorKind::Value, message)
            .with_help("leave them out, and look at `is_finite` of the tensor as a scalar"));
    }
    let mut counts = vec![0.0; LIMITS.len()];
    for value in values {
        let bucket = LIMITS.partition_point(|limit| limit <= value);
        counts[bucket.min(LIMITS.len() - 1)] += 1.0;
    }
    let (bucket_limit, bucket) = without_gaps(&counts);
    let or_zero = |it: f64| if values.is_empty() { 0.0 } else { it };
    Ok(Histogram {
        min: or_zero(values.iter().copied().fold(f64::INFINITY, f64::min)),
        max: or_zero(values.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        num: values.len() as f64,
        sum: values.iter().sum(),
        sum_squares: values.iter().map(|it| it * it).sum(),
        bucket_limit,
        bucket,
    })
}

/// Limits and counts, where empty buckets side by side are one.
fn without_gaps(counts: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let is_told = |at: &usize| counts[*at] > 0.0 || counts.get(at + 1).is_some_and(|it| *it > 0.0);
    let told: Vec<usize> = (0..counts.len()).filter(is_told).collect();
    match told.is_empty() {
        true => (vec![f64::MAX], vec![0.0]),
        false => told.into_iter().map(|at| (LIMITS[at], counts[at])).unzip(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The buckets are those of `tensorflow/core/lib/histogram/histogram.cc`: 1e-12 times powers of 1.1.
    #[test]
    fn values_stand_below_the_limit_of_their_bucket() {
        let found = histogram(&[0.0, 1.0, 1.01, -2.0, 5.0]).unwrap();
        assert_eq!((found.min, found.max, found.num), (-2.0, 5.0, 5.0));
        assert_eq!((found.sum, found.sum_squares), (5.01, 1.0 + 1.01 * 1.01 + 4.0 + 25.0));
        assert_eq!(found.bucket.iter().sum::<f64>(), 5.0);
        let pairs = || found.bucket_limit.iter().zip(&found.bucket);
        assert!(found.bucket_limit.windows(2).all(|pair| pair[0] < pair[1]));
        let of_zero = pairs().find(|(limit, _)| **limit > 0.0).unwrap();
        assert_eq!((*of_zero.0, *of_zero.1), (1e-12, 1.0));
        let low = pairs().find(|(_, count)| **count > 0.0).unwrap();
        assert!(*low.0 > -2.0 && *low.0 < -2.0 / 1.1 + 1e-9, "{low:?}");
    }

    #[test]
    fn nothing_and_nan_are_no_trap() {
        let empty = histogram(&[]).unwrap();
        assert_eq!((empty.num, empty.min, empty.bucket), (0.0, 0.0, vec![0.0]));
        let error = histogram(&[1.0, f64::NAN]).unwrap_err();
        assert_eq!(error.message(), "a histogram takes finite values, found NaN");
        assert!(error.help().is_some());
    }
}
