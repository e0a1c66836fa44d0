//! Elements picked by indices that are data, and added at them. Knows one rule: an index out of range is an error,
//! never clamped, and a negative one does not count from the end.

use super::axes;
use super::forward::on_variables;
use super::rows::{check_type, different_types, sample};
use super::samples::{call, varied};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Effects, Entry, Gradient, Kind, Lowered, Op, Sample, Specs, Tensor, apply,
    or_raise,
};
use crate::kernels::{Gather, Lowering};
use crate::types::{ALL, DType, Dim, NUMBERS, Shape, Spec};
use crate::value::Value;
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
        apply(Pick(Gather::Slices { axis }), &[self, indices], "GatherV2")
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
        apply(Pick(Gather::Along { axis }), &[self, indices], "take_along_axis")
    }

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
        apply(Add(Gather::Slices { axis }), &[self, indices, updates], "scatter_add")
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
        apply(Add(Gather::Along { axis }), &[self, indices, updates], "scatter_add_along_axis")
    }
}

on_variables![
    gather(indices: &Tensor, axis: isize) -> Tensor,
    take_along_axis(indices: &Tensor, axis: isize) -> Tensor,
    scatter_add(indices: &Tensor, updates: &Tensor, axis: isize) -> Tensor,
    scatter_add_along_axis(indices: &Tensor, updates: &Tensor, axis: isize) -> Tensor,
];

/// The axis that indices are about.
fn axis_of(gather: Gather) -> usize {
    match gather {
        Gather::Slices { axis } | Gather::Along { axis } => axis,
    }
}

/// The shape of what indices pick.
///
/// # Errors
/// If they are no indices of this table along the axis.
fn picked(op: &str, gather: Gather, table: Spec, indices: Spec) -> Result<Shape> {
    let axis = axes::one(op, axis_of(gather).cast_signed(), table.rank())?;
    if !matches!(indices.dtype(), DType::I32 | DType::I64) {
        let message = format!("`{op}` needs indices of int32 or int64, found {indices}");
        return Err(Error::new(ErrorKind::Type, message)
            .with_help("convert them first: `indices.cast(DType::I32)`"));
    }
    let (table, indices) = (table.shape().dims(), indices.shape().dims());
    match gather {
        Gather::Slices { .. } => {
            let dims = table[..axis].iter().chain(indices).chain(&table[axis + 1..]);
            Ok(Shape::new(dims.cloned()))
        }
        Gather::Along { .. } if fits_along(table, indices, axis) => {
            Ok(Shape::new(indices.iter().cloned()))
        }
        Gather::Along { .. } => {
            let message = format!(
                "`{op}` needs indices of the tensor's sizes but along axis {axis}, found {indices:?} for {table:?}"
            );
            Err(Error::new(ErrorKind::Shape, message).with_help(
                "repeat the indices with `broadcast_to`, or pick whole slices with `gather`",
            ))
        }
    }
}

fn fits_along(table: &[Dim], indices: &[Dim], axis: usize) -> bool {
    table.len() == indices.len()
        && (0..table.len()).all(|at| at == axis || table[at] == indices[at])
}

/// Elements of the first input at the places that the second gives.
#[derive(Debug)]
struct Pick(Gather);

impl Op for Pick {
    fn name(&self) -> &'static str {
        match self.0 {
            Gather::Slices { .. } => "GatherV2",
            Gather::Along { .. } => "TakeAlongAxis",
        }
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", axis_of(self.0))
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let name = match self.0 {
            Gather::Slices { .. } => "gather",
            Gather::Along { .. } => "take_along_axis",
        };
        Ok(smallvec![inputs[0].with_shape(picked(name, self.0, inputs[0], inputs[1])?)])
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn effects(&self, _: &[Spec]) -> Effects {
        Effects::FAILS
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let [table, indices] = [&call.inputs[0], &call.inputs[1]];
        let back = call.grads[0].as_ref().map(|g| {
            let op = Add(self.0);
            let label = op.name();
            apply(op, &[&table.zeros_like(), indices, g], label)
        });
        Gradient::Inputs(vec![back, None])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::Gather(self.0))
    }
}

/// The third input added to the first at the places that the second gives.
#[derive(Debug)]
struct Add(Gather);

impl Op for Add {
    fn name(&self) -> &'static str {
        match self.0 {
            Gather::Slices { .. } => "ScatterAdd",
            Gather::Along { .. } => "ScatterAddAlongAxis",
        }
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", axis_of(self.0))
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let name = match self.0 {
            Gather::Slices { .. } => "scatter_add",
            Gather::Along { .. } => "scatter_add_along_axis",
        };
        let [table, indices, updates] = [inputs[0], inputs[1], inputs[2]];
        check_type(name, table.dtype(), NUMBERS)?;
        if updates.dtype() != table.dtype() {
            return Err(different_types(name, table, updates));
        }
        let wanted = picked(name, self.0, table, indices)?;
        if *updates.shape() != wanted {
            let message =
                format!("`{name}` needs updates of shape {wanted:?}, found {:?}", updates.shape());
            return Err(Error::new(ErrorKind::Shape, message)
                .with_help("each index needs one update; repeat them with `broadcast_to`"));
        }
        Ok(smallvec![table])
    }

    fn kind(&self) -> Kind {
        Kind::Reduction
    }

    fn effects(&self, _: &[Spec]) -> Effects {
        Effects::FAILS
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let Some(g) = &call.grads[0] else { return Gradient::None };
        let op = Pick(self.0);
        let label = op.name();
        let updates = apply(op, &[g, &call.inputs[1]], label);
        Gradient::Inputs(vec![Some(g.clone()), None, Some(updates)])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::ScatterAdd(self.0))
    }
}

/// The ops of this family.
pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "GatherV2",
        make: |attrs| Ok(Pick(Gather::Slices { axis: axes::number(attrs, "axis")? }).into()),
        samples: || picks(&SLICES),
    },
    Entry {
        name: "TakeAlongAxis",
        make: |attrs| Ok(Pick(Gather::Along { axis: axes::number(attrs, "axis")? }).into()),
        samples: || picks(&ALONG),
    },
    Entry {
        name: "ScatterAdd",
        make: |attrs| Ok(Add(Gather::Slices { axis: axes::number(attrs, "axis")? }).into()),
        samples: || adds(&SLICES),
    },
    Entry {
        name: "ScatterAddAlongAxis",
        make: |attrs| Ok(Add(Gather::Along { axis: axes::number(attrs, "axis")? }).into()),
        samples: || adds(&ALONG),
    },
];

/// Where tests pick: how, the sizes of the table and of the indices, and the indices, some of them twice.
type Place = (Gather, &'static [usize], &'static [usize], &'static [f64]);

const SLICES: [Place; 4] = [
    (Gather::Slices { axis: 0 }, &[3, 2], &[3], &[2.0, 2.0, 0.0]),
    (Gather::Slices { axis: 1 }, &[2, 3, 2], &[2, 2], &[0.0, 2.0, 2.0, 1.0]),
    (Gather::Slices { axis: 0 }, &[4], &[], &[3.0]),
    (Gather::Slices { axis: 1 }, &[2, 3], &[0], &[]),
];

const ALONG: [Place; 3] = [
    (Gather::Along { axis: 0 }, &[3, 2], &[2, 2], &[2.0, 0.0, 2.0, 1.0]),
    (Gather::Along { axis: 1 }, &[2, 3], &[2, 1], &[0.0, 2.0]),
    (Gather::Along { axis: 0 }, &[4], &[5], &[3.0, 0.0, 3.0, 1.0, 2.0]),
];

fn indices(dtype: DType, sizes: &[usize], indices: &[f64]) -> Value {
    let flat = sample(dtype, indices.iter().copied());
    flat.reshaped(Spec::new(dtype, sizes)).expect("a new value is in row-major order")
}

fn picks(places: &[Place]) -> Vec<Sample> {
    let of_type = |dtype: DType| {
        places.iter().map(move |(gather, table, sizes, at)| {
            call(Pick(*gather), [varied(dtype, table), indices(DType::I64, sizes, at)])
        })
    };
    ALL.iter().flat_map(|dtype| of_type(*dtype)).collect()
}

fn adds(places: &[Place]) -> Vec<Sample> {
    let of_type = |dtype: DType| {
        places.iter().map(move |(gather, table, sizes, at)| {
            let at = indices(DType::I32, sizes, at);
            let shape = picked("sample", *gather, Spec::new(dtype, *table), at.spec());
            let shape = shape.expect("the places are in the table").known().expect("all are known");
            call(Add(*gather), [varied(dtype, table), at, varied(dtype, &shape)])
        })
    };
    NUMBERS.iter().flat_map(|dtype| of_type(*dtype)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{OpRef, attempt, run_eagerly};

    fn table() -> Tensor {
        Tensor::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]])
    }

    #[test]
    fn slices_are_picked_along_any_axis() {
        let rows = table().gather(&Tensor::from([[2, 0], [0, 0]]), 0);
        assert_eq!(rows.shape().to_string(), "(2, 2, 2)");
        assert_eq!(rows.to_vec::<f32>(), [5.0, 6.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
        let column = table().t().gather(&Tensor::from(1i64), -2);
        assert_eq!(column.to_vec::<f32>(), [2.0, 4.0, 6.0]);
    }

    #[test]
    fn elements_are_taken_and_added_along_an_axis() {
        let at = Tensor::from([[1, 1], [0, 1], [0, 0]]);
        let taken = table().take_along_axis(&at, -1);
        assert_eq!(taken.to_vec::<f32>(), [2.0, 2.0, 3.0, 4.0, 5.0, 5.0]);
        let added = table().zeros_like().scatter_add_along_axis(&at, &table(), 1);
        assert_eq!(added.to_vec::<f32>(), [0.0, 3.0, 3.0, 4.0, 11.0, 0.0]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (error, message) in [
            (
                attempt(|| table().gather(&Tensor::from([0.0f32]), 0)),
                "`gather` needs indices of int32 or int64, found f32[1]",
            ),
            (
                attempt(|| table().take_along_axis(&Tensor::from([[0, 1, 0]]), 0)),
                "`take_along_axis` needs indices of the tensor's sizes but along axis 0, found [1, 3] for [3, 2]",
            ),
            (
                attempt(|| table().scatter_add(&Tensor::from([0]), &Tensor::from([1.0f32]), 0)),
                "`scatter_add` needs updates of shape [1, 2], found [1]",
            ),
            (
                attempt(|| table().scatter_add(&Tensor::from([0]), &Tensor::from([[1, 2]]), 0)),
                "`scatter_add` needs one element type, found f32[3, 2] and i32[1, 2]",
            ),
            (
                attempt(|| table().gather(&Tensor::from([0]), 2)),
                "`gather` needs an axis of a tensor of rank 2, one from -2 to 1, found 2",
            ),
        ] {
            assert_eq!(error.unwrap_err().message(), message);
        }
        let truth = attempt(|| {
            let x = Tensor::from([true]);
            x.scatter_add(&Tensor::from([0]), &x, 0)
        });
        assert!(truth.unwrap_err().message().starts_with("`scatter_add` takes float32"));
    }

    /// The gradients of the sum of a function's output, by the ops' own rules.
    fn backward(op: &OpRef, inputs: &[Tensor], g: Tensor) -> Vec<Option<Tensor>> {
        let refs: Vec<&Tensor> = inputs.iter().collect();
        let outputs = run_eagerly(op, &refs).unwrap();
        match op.grad(&Backward { inputs, outputs: &outputs, grads: &[Some(g)] }) {
            Gradient::Inputs(gradients) => gradients,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn d7_gradients_of_repeated_rows_add_up() {
        let inputs = [table(), Tensor::from([2, 2, 0])];
        let op = Pick(Gather::Slices { axis: 0 }).into();
        let gradients = backward(&op, &inputs, Tensor::ones::<f32>([3, 2]));
        let table = gradients[0].as_ref().unwrap();
        assert_eq!(table.to_vec::<f32>(), [1.0, 1.0, 0.0, 0.0, 2.0, 2.0]);
        assert!(gradients[1].is_none());
        let added = [inputs[0].clone(), inputs[1].clone(), Tensor::ones::<f32>([3, 2])];
        let op = Add(Gather::Slices { axis: 0 }).into();
        let gradients = backward(&op, &added, inputs[0].clone());
        assert_eq!(gradients[0].as_ref().unwrap().to_vec::<f32>(), inputs[0].to_vec::<f32>());
        let updates = gradients[2].as_ref().unwrap();
        assert_eq!(updates.to_vec::<f32>(), [5.0, 6.0, 5.0, 6.0, 1.0, 2.0]);
    }
}
