//! The same elements, stored in other ways. Knows views, and no op.

use super::dice::Dice;
use crate::kernels::View;
use crate::types::Spec;
use crate::value::Value;
use smallvec::smallvec;

/// The same elements, stored in the opposite order of axes, backwards, or with gaps between them.
pub fn laid_otherwise(dice: &mut Dice, value: &Value) -> Value {
    if value.is_empty() {
        return value.clone();
    }
    match dice.below(3) {
        0 => turned(&turned(value).to_row_major()),
        1 => backwards(&backwards(value).to_row_major()),
        _ => with_gaps(value),
    }
}

/// The same elements over and over along an axis of one element.
pub fn repeated(value: &Value, axis: usize, spec: Spec) -> Value {
    let rank = spec.rank();
    let axes = (0..rank).map(|it| (it != axis).then_some((it, 1))).collect();
    viewed(value, smallvec![0; rank], axes, spec.sizes())
}

fn turned(value: &Value) -> Value {
    let sizes: Vec<usize> = value.sizes().iter().rev().copied().collect();
    let axes = (0..sizes.len()).rev().map(|axis| Some((axis, 1))).collect();
    viewed(value, smallvec![0; sizes.len()], axes, &sizes)
}

fn backwards(value: &Value) -> Value {
    let sizes = value.sizes();
    let axes = (0..sizes.len()).map(|axis| Some((axis, -1))).collect();
    viewed(value, sizes.iter().map(|size| size - 1).collect(), axes, sizes)
}

/// Every second element of the same elements, each stored twice.
fn with_gaps(value: &Value) -> Value {
    let rank = value.spec().rank();
    let steps = || (0..rank).map(|axis| Some((axis, 1)));
    let twice: Vec<usize> = value.sizes().iter().copied().chain([2]).collect();
    let twice = viewed(value, smallvec![0; rank], steps().chain([None]).collect(), &twice);
    let starts = std::iter::repeat_n(0, rank).chain([1]).collect();
    viewed(&twice.to_row_major(), starts, steps().collect(), value.sizes())
}

type Starts = smallvec::SmallVec<[usize; 4]>;
type Steps = smallvec::SmallVec<[Option<(usize, isize)>; 4]>;

fn viewed(value: &Value, starts: Starts, axes: Steps, sizes: &[usize]) -> Value {
    let view = View::Strided { starts, axes };
    value.viewed(&view, value.spec().with_shape(sizes)).expect("strides express it")
}

#[test]
fn another_layout_holds_the_same_elements() {
    let value = Value::from([[1, 2, 3], [4, 5, 6]]);
    for other in [turned(&turned(&value).to_row_major()), with_gaps(&value)] {
        assert_eq!(other.to_vec::<i32>(), value.to_vec::<i32>());
        assert!(!other.is_row_major());
    }
    assert_eq!(backwards(&value).to_vec::<i32>().unwrap(), [6, 5, 4, 3, 2, 1]);
    let column = Value::from([[1], [2]]);
    assert_eq!(
        repeated(&column, 1, column.spec().with_shape([2, 2])).to_vec::<i32>().unwrap(),
        [1, 1, 2, 2]
    );
}
