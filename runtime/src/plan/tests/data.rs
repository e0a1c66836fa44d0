//! Random shapes and elements: sizes at which loops go wrong, numbers at which arithmetic does. Knows no op.

use super::dice::Dice;
use super::layouts::repeated;
use crate::types::{DType, Element, Spec};
use crate::value::Value;

/// Up to how many elements a value has.
pub const LARGEST: usize = 4200;

/// Around the widths of vectors and the lengths of tiles; small ones more often.
const SIZES: &[usize] = &[0, 1, 1, 2, 2, 3, 4, 5, 7, 63, 64, 65, 1023, 1024, 1025];

/// Sizes of up to four axes.
pub fn sizes(dice: &mut Dice) -> Vec<usize> {
    let mut room = LARGEST;
    let rank = dice.below(5);
    let mut sizes: Vec<usize> = (0..rank).map(|_| 1).collect();
    for size in &mut sizes {
        let drawn = dice.of(SIZES);
        // Empty values are worth a try, and give others little to do.
        if drawn <= room && (drawn > 0 || dice.one_in(3)) {
            *size = drawn;
            room /= drawn.max(1);
        }
    }
    sizes
}

/// Sizes that often go with the given ones: the same, fewer axes, or axes of one element.
pub fn sizes_like(dice: &mut Dice, sizes: &[usize]) -> Vec<usize> {
    let mut alike = sizes.to_vec();
    match dice.below(6) {
        0 => drop(alike.drain(..dice.below(sizes.len() + 1))),
        1 => alike.iter_mut().filter(|_| dice.one_in(2)).for_each(|size| *size = 1),
        2 => alike.reverse(),
        _ => {}
    }
    alike
}

/// Random elements of a spec, here and there the same along an axis and stored once.
pub fn value(dice: &mut Dice, spec: Spec) -> Value {
    if dice.one_in(6)
        && let Some(axis) = spec.sizes().iter().position(|size| *size > 1)
    {
        let mut sizes = spec.sizes().to_vec();
        sizes[axis] = 1;
        return repeated(&elements(dice, spec.with_shape(&sizes[..])), axis, spec);
    }
    elements(dice, spec)
}

/// A number of an element type.
pub fn scalar(dtype: DType, number: f64) -> Value {
    match dtype {
        DType::F32 => (number as f32).into(),
        DType::F64 => number.into(),
        DType::I32 => (number as i32).into(),
        DType::I64 => (number as i64).into(),
        DType::U8 => (number as u8).into(),
        DType::Bool => (number != 0.0).into(),
    }
}

fn elements(dice: &mut Dice, spec: Spec) -> Value {
    // Half of the values hold ordinary numbers only: NaN and infinity hide what they meet.
    let rare = if dice.one_in(2) { 8 } else { usize::MAX };
    match spec.dtype() {
        DType::F32 => filled(spec, || float(dice, rare) as f32),
        DType::F64 => filled(spec, || float(dice, rare)),
        DType::I32 => filled(spec, || integer(dice, rare, &[i32::MIN, i32::MAX, -1])),
        DType::I64 => filled(spec, || integer(dice, rare, &[i64::MIN, i64::MAX, -1])),
        DType::U8 => filled(spec, || integer(dice, rare, &[127, 128, 255u8])),
        DType::Bool => filled(spec, || dice.one_in(2)),
    }
}

fn filled<T: Element>(spec: Spec, mut next: impl FnMut() -> T) -> Value {
    let elements: Vec<T> = std::iter::repeat_with(&mut next).take(spec.len().unwrap()).collect();
    Value::from_vec(spec.shape().clone(), elements)
}

fn float(dice: &mut Dice, rare: usize) -> f64 {
    const RARE: &[f64] =
        &[0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-40, 1e-310, 1e30, -1e30];
    if dice.one_in(rare) {
        return dice.of(RARE);
    }
    let sign = dice.of(&[1.0, -1.0]);
    sign * if dice.one_in(2) { dice.below(5) as f64 } else { dice.part() * 4.0 }
}

fn integer<T: Copy + From<u8>>(dice: &mut Dice, rare: usize, extreme: &[T]) -> T {
    if dice.one_in(rare) { dice.of(extreme) } else { T::from(dice.below(9) as u8) }
}
