//! Whether two tensors are close: an assertion for tests that no NaN slips through. Knows values only, and no op.

use super::raise;
use super::tensor::Tensor;
use crate::error::{Error, ErrorKind, Result};
use crate::types::{DType, Element};
use crate::value::Value;
use ndarray::Dimension;

/// How far apart two floats may be: `|found - wanted| <= absolute + relative * |wanted|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The part that grows with the wanted number.
    pub relative: f64,
    /// The part that is the same for all numbers.
    pub absolute: f64,
    /// Whether NaN is close to NaN.
    pub nan: Nan,
}

/// What NaN beside NaN is worth; NaN beside a number is always a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nan {
    /// A difference, as in comparisons of floats.
    #[default]
    Differs,
    /// What was wanted.
    Equal,
}

impl Tolerance {
    /// Equal numbers only, and no NaN.
    pub const EXACT: Tolerance = Tolerance { relative: 0.0, absolute: 0.0, nan: Nan::Differs };

    /// As far apart as a share of the wanted number, such as `1e-5`.
    pub const fn relative(share: f64) -> Tolerance {
        Tolerance { relative: share, ..Tolerance::EXACT }
    }

    /// As far apart as a number.
    pub const fn absolute(distance: f64) -> Tolerance {
        Tolerance { absolute: distance, ..Tolerance::EXACT }
    }

    /// The same, where NaN is close to NaN.
    #[must_use]
    pub const fn with_nan(self) -> Tolerance {
        Tolerance { nan: Nan::Equal, ..self }
    }

    fn allows(self, found: f64, wanted: f64) -> bool {
        if found.is_nan() || wanted.is_nan() {
            return self.nan == Nan::Equal && found.is_nan() && wanted.is_nan();
        }
        // An infinity has no neighbours, though any distance to it is within a share of it.
        let is_near = (found - wanted).abs() <= self.absolute + self.relative * wanted.abs();
        found == wanted || (is_near && found.is_finite() && wanted.is_finite())
    }
}

/// Checks that two tensors have one shape and type and that their elements are close; integers must be equal.
///
/// It is made so that nothing passes by accident: NaN beside a number differs, NaN beside NaN differs unless the
/// tolerance says otherwise, an infinity is close to itself alone, and shapes do not broadcast.
///
/// ```
/// use graphfn::{Tolerance, assert_close, prelude::*};
///
/// let x = Tensor::from([1.0f32, 4.0]);
/// assert_close(x.sqrt(), [1.0f32, 2.0], Tolerance::relative(1e-6));
/// assert!(attempt(|| assert_close(f32::NAN, 1.0f32, Tolerance::absolute(9.0))).is_err());
/// ```
///
/// # Panics
/// Raises an error that names the first element that differs, and how many do.
#[track_caller]
pub fn assert_close(found: impl Into<Tensor>, wanted: impl Into<Tensor>, tolerance: Tolerance) {
    let (found, wanted) = (found.into().value(), wanted.into().value());
    match check(&found, &wanted, tolerance) {
        Ok(()) => {}
        Err(error) => raise(error),
    }
}

fn check(found: &Value, wanted: &Value, tolerance: Tolerance) -> Result<()> {
    let (ours, theirs) = (found.spec(), wanted.spec());
    if ours != theirs {
        let message = format!("tensors that should be close are {ours} and {theirs}");
        return Err(if ours.shape() == theirs.shape() {
            Error::new(ErrorKind::Type, message)
                .with_help("cast one of them: types are not converted here")
        } else {
            Error::new(ErrorKind::Shape, message)
                .with_help("reshape one of them: shapes do not broadcast here")
        });
    }
    match found.dtype() {
        DType::F32 => each(found, wanted, |a: f32, b| tolerance.allows(a.into(), b.into())),
        DType::F64 => each(found, wanted, |a, b| tolerance.allows(a, b)),
        DType::I32 => each(found, wanted, |a: i32, b| a == b),
        DType::I64 => each(found, wanted, |a: i64, b| a == b),
        DType::U8 => each(found, wanted, |a: u8, b| a == b),
        DType::Bool => each(found, wanted, |a: bool, b| a == b),
    }
}

fn each<T: Element>(found: &Value, wanted: &Value, is_close: impl Fn(T, T) -> bool) -> Result<()> {
    let (found, wanted) = (found.view_array::<T>()?, wanted.view_array::<T>()?);
    let pairs = || found.indexed_iter().zip(&wanted);
    let mut different = pairs().filter(|((_, a), b)| !is_close(**a, **b));
    let Some(((place, a), b)) = different.next() else { return Ok(()) };
    let count = 1 + different.count();
    let message = format!(
        "element {:?} is {a:?} where {b:?} was wanted; {count} of {} differ",
        place.slice(),
        found.len()
    );
    Err(Error::new(ErrorKind::Value, message).with_help(
        "allow more by `Tolerance { relative, absolute, .. }`, and NaN beside NaN by `.with_nan()`",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::attempt;

    const N: f32 = f32::NAN;

    #[track_caller]
    fn refused(found: impl Into<Tensor>, wanted: impl Into<Tensor>, tolerance: Tolerance) -> Error {
        attempt(|| assert_close(found, wanted, tolerance)).expect_err("they are not close")
    }

    #[test]
    fn nan_is_close_to_nan_only_if_asked_and_to_no_number() {
        let wide = Tolerance { relative: 1e300, absolute: 1e300, nan: Nan::Differs };
        for tolerance in [Tolerance::EXACT, wide, wide.with_nan()] {
            refused([N], [1.0f32], tolerance);
            refused([1.0f32], [N], tolerance);
            refused([f64::NAN], [1.0], tolerance);
            refused([f32::INFINITY], [N], tolerance);
        }
        refused([N], [N], wide);
        assert_close([N, 1.0], [N, 1.0], Tolerance::EXACT.with_nan());
    }

    #[test]
    fn an_infinity_is_close_to_itself_alone() {
        let wide = Tolerance { relative: 1.0, absolute: f64::INFINITY, nan: Nan::Equal };
        let (up, down) = (f32::INFINITY, f32::NEG_INFINITY);
        assert_close([up, down], [up, down], Tolerance::EXACT);
        refused([up], [down], wide);
        refused([1.0f32], [up], wide);
        refused([up], [1.0f32], wide);
    }

    #[test]
    fn the_tolerance_is_relative_to_what_was_wanted() {
        assert_close([100.9f32], [100.0f32], Tolerance::relative(0.01));
        refused([101.1f32], [100.0f32], Tolerance::relative(0.01));
        assert_close([1.5f64], [1.0f64], Tolerance::absolute(0.5));
        refused([1.6f64], [1.0f64], Tolerance::absolute(0.5));
        refused([1e-30f32], [0.0f32], Tolerance::relative(0.5));
        assert_close([-0.0f32], [0.0f32], Tolerance::EXACT);
    }

    #[test]
    fn shapes_and_types_must_be_the_same() {
        let wide = Tolerance { relative: 1.0, absolute: f64::INFINITY, nan: Nan::Equal };
        let shape = refused(Vec::<f32>::new(), [1.0f32], wide);
        assert_eq!(
            (shape.kind(), shape.message()),
            (ErrorKind::Shape, "tensors that should be close are f32[0] and f32[1]")
        );
        refused([[1.0f32]], [1.0f32], wide);
        refused([1.0f32], 1.0f32, wide);
        let dtype = refused([1.0f32], [1.0f64], wide);
        assert_eq!(
            (dtype.kind(), dtype.message()),
            (ErrorKind::Type, "tensors that should be close are f32[1] and f64[1]")
        );
        assert_close(Vec::<f32>::new(), Vec::<f32>::new(), Tolerance::EXACT);
    }

    #[test]
    fn integers_and_truth_values_must_be_equal() {
        let wide = Tolerance { relative: 1.0, absolute: 9.0, nan: Nan::Equal };
        refused([i64::MAX], [i64::MAX - 1], wide);
        refused([1, 2], [1, 3], wide);
        refused([0u8], [1u8], wide);
        refused([true], [false], wide);
        assert_close([true, false], [true, false], Tolerance::EXACT);
        assert_close([i64::MIN], [i64::MIN], Tolerance::EXACT);
    }

    #[test]
    fn the_first_difference_and_their_number_are_named() {
        let found = Tensor::from(ndarray::array![[1.0f32, 5.0], [2.0, N]].reversed_axes());
        let error = refused(&found, [[1.0f32, 2.0], [3.0, 4.0]], Tolerance::EXACT);
        assert_eq!(error.kind(), ErrorKind::Value);
        assert_eq!(error.message(), "element [1, 0] is 5.0 where 3.0 was wanted; 2 of 4 differ");
        assert!(error.help().is_some_and(|help| help.contains("Tolerance")));
        let line = line!() + 1;
        let error = attempt(|| assert_close(1.0f32, 2.0f32, Tolerance::EXACT)).unwrap_err();
        assert_eq!(error.place().map(|place| place.line), Some(line));
        assert_eq!(error.message(), "element [] is 1.0 where 2.0 was wanted; 1 of 1 differ");
    }
}
