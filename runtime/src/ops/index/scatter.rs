//! Elements put or added at indices that are data. Knows whose gradient counts where indices repeat.

use super::Place;
use super::pick::picked;
use super::samples::{ALONG, POINTS, SLICES, updates};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Effects, Entry, Gradient, Kind, Lowered, Op, Specs, Tensor, apply, or_raise,
};
use crate::kernels::{Lowering, Meet};
use crate::ops::axes;
use crate::ops::broadcast::zeros_like;
use crate::ops::forward::on_variables;
use crate::ops::movement::count;
use crate::ops::rows::{check_type, different_types};
use crate::ops::sequence::iota;
use crate::types::{ALL, DType, Dim, NUMBERS, Shape, Spec};
use smallvec::smallvec;

impl Tensor {
    /// This tensor with slices added along an axis, at the places where [`gather`](Tensor::gather) would pick them.
    /// Repeated indices add up, in the order of the indices.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let counts = Tensor::from([0.0f32; 3]).scatter_add(&Tensor::from([2, 2, 0]), &Tensor::from([1.0f32; 3]), 0);
    /// assert_eq!(counts.to_vec::<f32>(), [1.0, 0.0, 2.0]);
    /// ```
    ///
    /// # Panics
    /// As [`gather`](Tensor::gather), and if the updates have not the shape and type of what it would pick.
    #[track_caller]
    pub fn scatter_add(&self, indices: &Tensor, updates: &Tensor, axis: isize) -> Tensor {
        let axis = or_raise(axes::one("scatter_add", axis, self.rank()));
        scattered(Place::Slice(axis), Meet::Add, [self, indices, updates], "scatter_add")
    }

    /// This tensor with elements added at the places where [`take_along_axis`](Tensor::take_along_axis) would take them.
    /// Repeated indices add up, in the order of the indices.
    ///
    /// # Panics
    /// As [`take_along_axis`](Tensor::take_along_axis), and if the updates have not the shape and type of what it would
    /// take.
    #[track_caller]
    pub fn scatter_add_along_axis(
        &self,
        indices: &Tensor,
        updates: &Tensor,
        axis: isize,
    ) -> Tensor {
        let axis = or_raise(axes::one("scatter_add_along_axis", axis, self.rank()));
        let label = "scatter_add_along_axis";
        scattered(Place::Along(axis), Meet::Add, [self, indices, updates], label)
    }

    /// This tensor with updates added at points, where [`gather_nd`](Tensor::gather_nd) would pick them. Repeated points
    /// add up, in the order of the indices.
    ///
    /// # Panics
    /// As [`gather_nd`](Tensor::gather_nd), and if the updates have not the shape and type of what it would pick.
    #[track_caller]
    pub fn scatter_nd_add(&self, indices: &Tensor, updates: &Tensor) -> Tensor {
        scattered(Place::Point, Meet::Add, [self, indices, updates], "scatter_nd_add")
    }

    /// This tensor with slices along an axis replaced, at the places where [`gather`](Tensor::gather) would pick them. Of
    /// the updates of one place the last stays, and it alone gets a gradient.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([1.0f32, 2.0, 3.0]);
    /// let y = x.scatter_update(&Tensor::from([2, 0]), &Tensor::from([7.0f32, 8.0]), 0);
    /// assert_eq!(y.to_vec::<f32>(), [8.0, 2.0, 7.0]);
    /// ```
    ///
    /// # Panics
    /// As [`gather`](Tensor::gather), and if the updates have not the shape and type of what it would pick.
    #[track_caller]
    pub fn scatter_update(&self, indices: &Tensor, updates: &Tensor, axis: isize) -> Tensor {
        let axis = or_raise(axes::one("scatter_update", axis, self.rank()));
        let label = "scatter_update";
        scattered(Place::Slice(axis), Meet::Replace, [self, indices, updates], label)
    }

    /// This tensor with elements replaced, at the places where [`take_along_axis`](Tensor::take_along_axis) would take
    /// them; as `put_along_axis` of NumPy. Of the updates of one place the last stays, and it alone gets a gradient.
    ///
    /// # Panics
    /// As [`take_along_axis`](Tensor::take_along_axis), and if the updates have not the shape and type of what it would
    /// take.
    #[track_caller]
    pub fn scatter_update_along_axis(
        &self,
        indices: &Tensor,
        updates: &Tensor,
        axis: isize,
    ) -> Tensor {
        let axis = or_raise(axes::one("scatter_update_along_axis", axis, self.rank()));
        let label = "scatter_update_along_axis";
        scattered(Place::Along(axis), Meet::Replace, [self, indices, updates], label)
    }

    /// This tensor with what stands at points replaced, where [`gather_nd`](Tensor::gather_nd) would pick it. Of the
    /// updates of one point the last stays, and it alone gets a gradient.
    ///
    /// # Panics
    /// As [`gather_nd`](Tensor::gather_nd), and if the updates have not the shape and type of what it would pick.
    #[track_caller]
    pub fn scatter_nd_update(&self, indices: &Tensor, updates: &Tensor) -> Tensor {
        scattered(Place::Point, Meet::Replace, [self, indices, updates], "scatter_nd_update")
    }
}

on_variables![
    scatter_add(indices: &Tensor, updates: &Tensor, axis: isize) -> Tensor,
    scatter_add_along_axis(indices: &Tensor, updates: &Tensor, axis: isize) -> Tensor,
    scatter_nd_add(indices: &Tensor, updates: &Tensor) -> Tensor,
    scatter_update(indices: &Tensor, updates: &Tensor, axis: isize) -> Tensor,
    scatter_update_along_axis(indices: &Tensor, updates: &Tensor, axis: isize) -> Tensor,
    scatter_nd_update(indices: &Tensor, updates: &Tensor) -> Tensor,
];

/// The ops of this file.
pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "ScatterAdd",
        make: |attrs| Ok(Scatter { place: Place::slice(attrs)?, meet: Meet::Add }.into()),
        samples: || updates(|place| Scatter { place, meet: Meet::Add }, SLICES, NUMBERS),
    },
    Entry {
        name: "ScatterAddAlongAxis",
        make: |attrs| Ok(Scatter { place: Place::along(attrs)?, meet: Meet::Add }.into()),
        samples: || updates(|place| Scatter { place, meet: Meet::Add }, ALONG, NUMBERS),
    },
    Entry {
        name: "TensorScatterAdd",
        make: |_| Ok(Scatter { place: Place::Point, meet: Meet::Add }.into()),
        samples: || updates(|place| Scatter { place, meet: Meet::Add }, POINTS, NUMBERS),
    },
    Entry {
        name: "ScatterUpdate",
        make: |attrs| Ok(Scatter { place: Place::slice(attrs)?, meet: Meet::Replace }.into()),
        samples: || updates(|place| Scatter { place, meet: Meet::Replace }, SLICES, ALL),
    },
    Entry {
        name: "ScatterUpdateAlongAxis",
        make: |attrs| Ok(Scatter { place: Place::along(attrs)?, meet: Meet::Replace }.into()),
        samples: || updates(|place| Scatter { place, meet: Meet::Replace }, ALONG, ALL),
    },
    Entry {
        name: "TensorScatterUpdate",
        make: |_| Ok(Scatter { place: Place::Point, meet: Meet::Replace }.into()),
        samples: || updates(|place| Scatter { place, meet: Meet::Replace }, POINTS, ALL),
    },
];

/// Updates added at places.
#[track_caller]
pub(super) fn added(place: Place, base: &Tensor, indices: &Tensor, updates: &Tensor) -> Tensor {
    let label = Scatter { place, meet: Meet::Add }.name();
    scattered(place, Meet::Add, [base, indices, updates], label)
}

#[track_caller]
fn replaced(place: Place, base: &Tensor, indices: &Tensor, updates: &Tensor) -> Tensor {
    let label = Scatter { place, meet: Meet::Replace }.name();
    scattered(place, Meet::Replace, [base, indices, updates], label)
}

#[track_caller]
fn scattered(place: Place, meet: Meet, inputs: [&Tensor; 3], label: &str) -> Tensor {
    apply(Scatter { place, meet }, &inputs, label)
}

/// The third input put into the first at the places that the second gives.
#[derive(Debug)]
pub(super) struct Scatter {
    pub place: Place,
    pub meet: Meet,
}

impl Scatter {
    fn method(&self) -> &'static str {
        match (self.place, self.meet) {
            (Place::Slice(_), Meet::Add) => "scatter_add",
            (Place::Along(_), Meet::Add) => "scatter_add_along_axis",
            (Place::Point, Meet::Add) => "scatter_nd_add",
            (Place::Slice(_), Meet::Replace) => "scatter_update",
            (Place::Along(_), Meet::Replace) => "scatter_update_along_axis",
            (Place::Point, Meet::Replace) => "scatter_nd_update",
        }
    }
}

impl Op for Scatter {
    fn name(&self) -> &'static str {
        match (self.place, self.meet) {
            (Place::Slice(_), Meet::Add) => "ScatterAdd",
            (Place::Along(_), Meet::Add) => "ScatterAddAlongAxis",
            (Place::Point, Meet::Add) => "TensorScatterAdd",
            (Place::Slice(_), Meet::Replace) => "ScatterUpdate",
            (Place::Along(_), Meet::Replace) => "ScatterUpdateAlongAxis",
            (Place::Point, Meet::Replace) => "TensorScatterUpdate",
        }
    }

    fn attrs(&self) -> Attrs {
        self.place.attrs()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let (method, [table, indices, updates]) =
            (self.method(), [inputs[0], inputs[1], inputs[2]]);
        if self.meet == Meet::Add {
            check_type(method, table.dtype(), NUMBERS)?;
        }
        if updates.dtype() != table.dtype() {
            return Err(different_types(method, table, updates));
        }
        let wanted = self.place.picked(method, table, indices)?;
        if *updates.shape() != wanted {
            let message = format!(
                "`{method}` needs updates of shape {wanted:?}, found {:?}",
                updates.shape()
            );
            return Err(Error::new(ErrorKind::Shape, message)
                .with_help("each index needs one update; repeat them with `broadcast_to`"));
        }
        Ok(smallvec![table])
    }

    fn kind(&self) -> Kind {
        match self.meet {
            Meet::Add => Kind::Reduction,
            Meet::Replace => Kind::Movement,
        }
    }

    fn effects(&self, _: &[Spec]) -> Effects {
        Effects::FAILS
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let (Some(g), [table, indices, updates]) = (&call.grads[0], call.inputs) else {
            return Gradient::None;
        };
        let to_updates = picked(self.place, g, indices);
        let (to_table, to_updates) = match self.meet {
            Meet::Add => (g.clone(), to_updates),
            Meet::Replace => (
                replaced(self.place, g, indices, &zeros_like(updates)),
                stayed(self.place, table, indices).select(to_updates, 0.0),
            ),
        };
        Gradient::Inputs(vec![Some(to_table), None, Some(to_updates)])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::Scatter { gather: self.place.gather(), meet: self.meet })
    }
}

/// For each update whether it stayed, in a shape that broadcasts to that of the updates: the indices number themselves, and
/// those find their number again that no later one replaced.
#[track_caller]
fn stayed(place: Place, table: &Tensor, indices: &Tensor) -> Tensor {
    let (sizes, at) = (table.shape().dims(), indices.shape().dims());
    let (alone, numbered, bound, rest) = match place {
        Place::Slice(axis) => (Place::Slice(0), at, &sizes[axis..=axis], sizes.len() - axis - 1),
        Place::Along(axis) => (Place::Along(axis), at, sizes, 0),
        Place::Point => {
            let (last, points) = at.split_last().expect("`infer` takes no scalar");
            let count = last.known().expect("`infer` takes a known number of coordinates");
            (Place::Point, points, &sizes[..count], sizes.len() - count)
        }
    };
    let numbers = numbers(indices, numbered);
    let base = Tensor::zeros::<i64>(Shape::new(bound.iter().cloned()));
    let last = picked(alone, &replaced(alone, &base, indices, &numbers), indices);
    let stayed = last.equal(numbers);
    // The axes of the table behind the indexed ones.
    let dims = numbered.iter().cloned().chain(std::iter::repeat_n(Dim::Known(1), rest));
    if rest == 0 { stayed } else { stayed.reshape(Shape::new(dims)) }
}

/// The positions of a shape of the first sizes of a tensor, numbered in row-major order.
#[track_caller]
fn numbers(like: &Tensor, sizes: &[Dim]) -> Tensor {
    let shape = Shape::new(sizes.iter().cloned());
    let along = |axis: usize| {
        let later: Vec<usize> = (axis + 1..sizes.len()).collect();
        iota(DType::I64, shape.clone(), axis) * count(like, &later, DType::I64)
    };
    let all = (0..sizes.len()).map(along).reduce(|sum, number| sum + number);
    all.unwrap_or_else(|| Tensor::from(0i64))
}
