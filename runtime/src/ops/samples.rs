//! Values at which tests try ops that do not mind what the elements are. Knows no op.

use super::rows::sample;
use crate::graph::{OpRef, Sample};
use crate::types::{DType, Spec};
use crate::value::Value;

/// A value of these sizes: some elements are negative, some 0, and floats that are not 0 differ from each other.
pub(super) fn varied(dtype: DType, sizes: &[usize]) -> Value {
    let len: usize = sizes.iter().product();
    let number = |at: usize| match (dtype, (at * 7 % 11) as f64 - 3.0) {
        (DType::Bool, _) => at.is_multiple_of(3).into(),
        (DType::F32 | DType::F64, number) if number != 0.0 => number + at as f64 / 64.0,
        (_, number) => number,
    };
    shaped(dtype, sizes, (0..len).map(number))
}

/// A value of these sizes and numbers.
pub(super) fn shaped(
    dtype: DType,
    sizes: &[usize],
    numbers: impl IntoIterator<Item = f64>,
) -> Value {
    let value = sample(dtype, numbers.into_iter());
    value.reshaped(Spec::new(dtype, sizes)).expect("a new value is in row-major order")
}

/// A call of an op.
pub(super) fn call(op: impl Into<OpRef>, inputs: impl IntoIterator<Item = Value>) -> Sample {
    Sample { op: op.into(), inputs: inputs.into_iter().collect() }
}
