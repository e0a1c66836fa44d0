//! Elements picked by indices that are data. Knows that repeated indices send their gradients to one place.

use super::samples::{ALONG, POINTS, SLICES, picks};
use super::{Place, scatter};
use crate::error::Result;
use crate::graph::{
    Attrs, Backward, Effects, Entry, Gradient, Kind, Lowered, Op, Specs, Tensor, apply, or_raise,
};
use crate::kernels::Lowering;
use crate::ops::axes;
use crate::ops::forward::on_variables;
use crate::types::Spec;
use smallvec::smallvec;

impl Tensor {
    /// The slices along an axis that the indices pick: the axis is replaced by the axes of the indices, which are `i32`
    /// or `i64`.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let table = Tensor::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    /// let rows = table.gather(&Tensor::from([2, 0]), 0);
    /// assert_eq!(rows.to_vec::<f32>(), [5.0, 6.0, 1.0, 2.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error for an axis out of range and for indices of another type; when it runs, for an index outside
    /// `0..size` of the axis.
    #[track_caller]
    pub fn gather(&self, indices: &Tensor, axis: isize) -> Tensor {
        let axis = or_raise(axes::one("gather", axis, self.rank()));
        apply(Pick(Place::Slice(axis)), &[self, indices], "GatherV2")
    }

    /// For each position of the indices the element at that position, but for the coordinate along the axis, which is
    /// the index; as `take_along_axis` of NumPy, with the same sizes along the other axes.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// let last_and_first = Tensor::from([[2, 0], [2, 0]]);
    /// assert_eq!(x.take_along_axis(&last_and_first, 1).to_vec::<f32>(), [3.0, 1.0, 6.0, 4.0]);
    /// ```
    ///
    /// # Panics
    /// As [`gather`](Tensor::gather), and if the sizes along the other axes differ.
    #[track_caller]
    pub fn take_along_axis(&self, indices: &Tensor, axis: isize) -> Tensor {
        let axis = or_raise(axes::one("take_along_axis", axis, self.rank()));
        apply(Pick(Place::Along(axis)), &[self, indices], "take_along_axis")
    }

    /// What stands at points: the last axis of the indices, which are `i32` or `i64`, holds the coordinates of a point along
    /// the first axes of this tensor, and each point picks an element, or what the axes that it leaves out hold.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    /// let points = Tensor::from([[2, 0], [0, 1]]);
    /// assert_eq!(x.gather_nd(&points).to_vec::<f32>(), [5.0, 2.0]);
    /// let rows = Tensor::from([[1]]);
    /// assert_eq!(x.gather_nd(&rows).to_vec::<f32>(), [3.0, 4.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error for indices of another type, and for points of more coordinates than there are axes, or of an
    /// unknown number; when it runs, for a coordinate outside `0..size` of its axis.
    #[track_caller]
    pub fn gather_nd(&self, indices: &Tensor) -> Tensor {
        apply(Pick(Place::Point), &[self, indices], "GatherNd")
    }

    /// The rows of this table that ids name: [`gather`](Tensor::gather) along the first axis.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let table = Tensor::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    /// let words = table.embedding_lookup(&Tensor::from([[0, 2]]));
    /// assert_eq!(words.shape().to_string(), "(1, 2, 2)");
    /// ```
    ///
    /// # Panics
    /// As [`gather`](Tensor::gather).
    #[track_caller]
    pub fn embedding_lookup(&self, ids: &Tensor) -> Tensor {
        let axis = or_raise(axes::one("embedding_lookup", 0, self.rank()));
        apply(Pick(Place::Slice(axis)), &[self, ids], "embedding_lookup")
    }
}

on_variables![
    gather(indices: &Tensor, axis: isize) -> Tensor,
    take_along_axis(indices: &Tensor, axis: isize) -> Tensor,
    gather_nd(indices: &Tensor) -> Tensor,
    embedding_lookup(ids: &Tensor) -> Tensor,
];

/// The ops of this file.
pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "GatherV2",
        make: |attrs| Ok(Pick(Place::slice(attrs)?).into()),
        samples: || picks(Pick, SLICES),
    },
    Entry {
        name: "TakeAlongAxis",
        make: |attrs| Ok(Pick(Place::along(attrs)?).into()),
        samples: || picks(Pick, ALONG),
    },
    Entry {
        name: "GatherNd",
        make: |_| Ok(Pick(Place::Point).into()),
        samples: || picks(Pick, POINTS),
    },
];

/// Elements of the first input at the places that the second gives.
#[derive(Debug)]
pub(super) struct Pick(pub Place);

impl Op for Pick {
    fn name(&self) -> &'static str {
        match self.0 {
            Place::Slice(_) => "GatherV2",
            Place::Along(_) => "TakeAlongAxis",
            Place::Point => "GatherNd",
        }
    }

    fn attrs(&self) -> Attrs {
        self.0.attrs()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let method = match self.0 {
            Place::Slice(_) => "gather",
            Place::Along(_) => "take_along_axis",
            Place::Point => "gather_nd",
        };
        Ok(smallvec![inputs[0].with_shape(self.0.picked(method, inputs[0], inputs[1])?)])
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn effects(&self, _: &[Spec]) -> Effects {
        Effects::FAILS
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let [table, indices] = [&call.inputs[0], &call.inputs[1]];
        let back = |g| scatter::added(self.0, &table.zeros_like(), indices, g);
        Gradient::Inputs(vec![call.grads[0].as_ref().map(back), None])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::Gather(self.0.gather()))
    }
}

/// What stands at the places that indices give.
#[track_caller]
pub(super) fn picked(place: Place, table: &Tensor, indices: &Tensor) -> Tensor {
    let op = Pick(place);
    let label = op.name();
    apply(op, &[table, indices], label)
}
