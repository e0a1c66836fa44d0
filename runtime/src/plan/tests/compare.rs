//! Whether two values are the same to the bit, where NaN is NaN; products of matrices, nearly. Knows no program.

use crate::types::{DType, Element};
use crate::value::Value;

/// How alike two values must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alike {
    /// To the bit; one NaN is as good as another.
    ToTheBit,
    /// To a small part of the largest element.
    Nearly,
}

/// Where two values differ, in words.
pub fn difference(found: &Value, wanted: &Value, alike: Alike) -> Option<String> {
    if found.spec() != wanted.spec() {
        return Some(format!("found {}, wanted {}", found.spec(), wanted.spec()));
    }
    match found.dtype() {
        DType::F32 => first(found, wanted, floats(alike, 1e-4, |it: f32| f64::from(it))),
        DType::F64 => first(found, wanted, floats(alike, 1e-11, |it: f64| it)),
        DType::I32 => first(found, wanted, |a: i32, b, _| a == b),
        DType::I64 => first(found, wanted, |a: i64, b, _| a == b),
        DType::U8 => first(found, wanted, |a: u8, b, _| a == b),
        DType::Bool => first(found, wanted, |a: bool, b, _| a == b),
    }
}

/// Whether two floats are alike, in a value whose largest is given. Widening keeps them apart: -0 and 0 too.
fn floats<T: Element>(
    alike: Alike,
    part: f64,
    wide: impl Fn(T) -> f64,
) -> impl Fn(T, T, f64) -> bool {
    move |a, b, largest| {
        let (a, b) = (wide(a), wide(b));
        let is_same = a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        is_same || (alike == Alike::Nearly && (a - b).abs() <= part * largest)
    }
}

fn first<T: Element>(
    found: &Value,
    wanted: &Value,
    is_alike: impl Fn(T, T, f64) -> bool,
) -> Option<String> {
    let (found, wanted) = (found.to_vec::<T>()?, wanted.to_vec::<T>()?);
    let magnitude = |it: &T| format!("{it:?}").parse().map_or(0.0, f64::abs);
    let is_same = |largest| {
        let mut pairs = found.iter().zip(&wanted);
        pairs.position(|(a, b)| !is_alike(*a, *b, largest))
    };
    let at = is_same(0.0)?;
    let largest = wanted.iter().map(magnitude).filter(|it| it.is_finite()).fold(0.0, f64::max);
    is_same(largest)?;
    Some(format!("element {at} of {}: found {:?}, wanted {:?}", found.len(), found[at], wanted[at]))
}

#[test]
fn zeros_differ_by_their_sign_and_nan_is_nan() {
    let differ = |a: f32, b: f32, alike| difference(&a.into(), &b.into(), alike).is_some();
    assert!(differ(0.0, -0.0, Alike::ToTheBit) && differ(1.0, 1.0 + 1e-6, Alike::ToTheBit));
    assert!(!differ(f32::NAN, -f32::NAN, Alike::ToTheBit));
    assert!(!differ(1.0, 1.0 + 1e-6, Alike::Nearly) && differ(1.0, 1.1, Alike::Nearly));
}
