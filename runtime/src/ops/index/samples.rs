//! Where tests of this family pick and put: some indices stand twice. Knows no op.

use super::Place;
use crate::graph::{OpRef, Sample};
use crate::ops::rows::sample;
use crate::ops::samples::{call, varied};
use crate::types::{ALL, DType, Spec};
use crate::value::Value;

/// What an index stands for, the sizes of the table and of the indices, and the indices.
pub(super) type At = (Place, &'static [usize], &'static [usize], &'static [f64]);

pub(super) const SLICES: &[At] = &[
    (Place::Slice(0), &[3, 2], &[3], &[2.0, 2.0, 0.0]),
    (Place::Slice(1), &[2, 3, 2], &[2, 2], &[0.0, 2.0, 2.0, 1.0]),
    (Place::Slice(0), &[4], &[], &[3.0]),
    (Place::Slice(1), &[2, 3], &[0], &[]),
];

pub(super) const ALONG: &[At] = &[
    (Place::Along(0), &[3, 2], &[2, 2], &[2.0, 0.0, 2.0, 1.0]),
    (Place::Along(1), &[2, 3], &[2, 1], &[0.0, 2.0]),
    (Place::Along(0), &[4], &[5], &[3.0, 0.0, 3.0, 1.0, 2.0]),
];

pub(super) const POINTS: &[At] = &[
    (Place::Point, &[3, 2], &[3, 2], &[2.0, 1.0, 0.0, 1.0, 2.0, 1.0]),
    (Place::Point, &[3, 2, 2], &[2, 2, 1], &[1.0, 2.0, 2.0, 1.0]),
    (Place::Point, &[4], &[1], &[3.0]),
    (Place::Point, &[2, 3], &[0, 2], &[]),
    (Place::Point, &[2], &[3, 0], &[]),
];

fn indices(dtype: DType, sizes: &[usize], indices: &[f64]) -> Value {
    let flat = sample(dtype, indices.iter().copied());
    flat.reshaped(Spec::new(dtype, sizes)).expect("a new value is in row-major order")
}

/// Calls that pick.
pub(super) fn picks<O: Into<OpRef>>(op: fn(Place) -> O, places: &[At]) -> Vec<Sample> {
    let of_type = |dtype: DType| {
        places.iter().map(move |(place, table, sizes, at)| {
            call(op(*place), [varied(dtype, table), indices(DType::I64, sizes, at)])
        })
    };
    ALL.iter().flat_map(|dtype| of_type(*dtype)).collect()
}

/// Calls that put.
pub(super) fn updates<O: Into<OpRef>>(
    op: fn(Place) -> O,
    places: &[At],
    types: &[DType],
) -> Vec<Sample> {
    let of_type = |dtype: DType| {
        places.iter().map(move |(place, table, sizes, at)| {
            let at = indices(DType::I32, sizes, at);
            let shape = place.picked("sample", Spec::new(dtype, *table), at.spec());
            let shape = shape.expect("the places are in the table").known().expect("all are known");
            call(op(*place), [varied(dtype, table), at, varied(dtype, &shape)])
        })
    };
    types.iter().flat_map(|dtype| of_type(*dtype)).collect()
}
