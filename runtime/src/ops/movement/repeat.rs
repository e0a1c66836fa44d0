//! Elements repeated and moved round: functions of broadcasts, reshapes and parts. Knows no kernel.

use super::join::concat;
use super::range::Slice;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Effects, Entry, Gradient, Kind, Lowered, Op, Specs, Tensor, apply, raise,
};
use crate::ops::axes;
use crate::ops::forward::on_variables;
use crate::ops::pure::pure;
use crate::ops::samples::{call, varied};
use crate::types::{ALL, Dim, Shape, Spec};
use smallvec::smallvec;

impl Tensor {
    /// The whole so many times along each axis.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([[1, 2]]);
    /// assert_eq!(x.tile(&[2, 2]).to_vec::<i32>(), [1, 2, 1, 2, 1, 2, 1, 2]);
    /// ```
    ///
    /// # Panics
    /// Raises an error unless there is a number for each axis.
    #[track_caller]
    pub fn tile(&self, multiples: &[usize]) -> Tensor {
        apply(Tile { multiples: multiples.to_vec() }, &[self], "Tile")
    }

    /// Each element so many times along an axis, one after the other.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([1, 2]);
    /// assert_eq!(x.repeat(3, 0).to_vec::<i32>(), [1, 1, 1, 2, 2, 2]);
    /// ```
    ///
    /// # Panics
    /// Raises an error for an axis that is out of range.
    #[track_caller]
    pub fn repeat(&self, times: usize, axis: isize) -> Tensor {
        match axes::one("repeat", axis, self.rank()) {
            Ok(axis) => apply(Repeat { axis, times }, &[self], "Repeat"),
            Err(error) => raise(error),
        }
    }

    /// The elements moved along an axis by so many places; those that leave it at one end come back at the other.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([1, 2, 3, 4]);
    /// assert_eq!(x.roll(1, 0).to_vec::<i32>(), [4, 1, 2, 3]);
    /// assert_eq!(x.roll(-1, 0).to_vec::<i32>(), [2, 3, 4, 1]);
    /// ```
    ///
    /// An axis of a size that is unknown while tracing must have at least as many elements at each call.
    ///
    /// # Panics
    /// Raises an error for an axis that is out of range.
    #[track_caller]
    pub fn roll(&self, shift: isize, axis: isize) -> Tensor {
        match axes::one("roll", axis, self.rank()) {
            Ok(axis) => apply(Roll { axis, shift }, &[self], "Roll"),
            Err(error) => raise(error),
        }
    }
}

on_variables![
    tile(multiples: &[usize]) -> Tensor,
    repeat(times: usize, axis: isize) -> Tensor,
    roll(shift: isize, axis: isize) -> Tensor,
];

pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "Tile",
        make: |attrs| Ok(Tile { multiples: axes::parsed(attrs, "multiples")?.into_vec() }.into()),
        samples: || {
            ALL.iter()
                .map(|dtype| call(Tile { multiples: vec![2, 1, 3] }, [varied(*dtype, &[2, 3, 2])]))
                .collect()
        },
    },
    Entry {
        name: "Repeat",
        make: |attrs| {
            Ok(Repeat {
                axis: axes::number(attrs, "axis")?,
                times: axes::number(attrs, "repeats")?,
            }
            .into())
        },
        samples: || {
            ALL.iter()
                .map(|dtype| call(Repeat { axis: 1, times: 3 }, [varied(*dtype, &[2, 3])]))
                .collect()
        },
    },
    Entry {
        name: "Roll",
        make: |attrs| {
            Ok(Roll { axis: axes::number(attrs, "axis")?, shift: attrs.int("shift")? as isize }
                .into())
        },
        samples: || {
            let shifts = [0, 1, -1, 2, 7, -8].into_iter();
            let one = |(dtype, shift)| call(Roll { axis: 1, shift }, [varied(dtype, &[2, 3, 2])]);
            ALL.iter().copied().cycle().zip(shifts).map(one).collect()
        },
    },
];

/// The whole so many times along each axis.
#[derive(Debug)]
struct Tile {
    multiples: Vec<usize>,
}

impl Op for Tile {
    fn name(&self) -> &'static str {
        "Tile"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("multiples", &self.multiples[..])
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let shape = inputs[0].shape();
        if self.multiples.len() != shape.rank() {
            let message = format!(
                "`tile` needs a number for each axis, found {:?} and {shape:?}",
                self.multiples
            );
            return Err(Error::new(ErrorKind::Shape, message).with_help(
                "write 1 for an axis that is not repeated; make new axes with `expand_dims`",
            ));
        }
        let dims = shape
            .dims()
            .iter()
            .zip(&self.multiples)
            .map(|(size, times)| multiplied("tile", size, *times));
        Ok(smallvec![inputs[0].with_shape(Shape::new(dims.collect::<Result<Vec<Dim>>>()?))])
    }

    pure!(Composite, Expand);

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            let dims = inputs[0].shape().dims();
            let pairs = || dims.iter().zip(&self.multiples);
            let apart = pairs().flat_map(|(size, _)| [Dim::Known(1), size.clone()]);
            let many = pairs().flat_map(|(size, times)| [Dim::Known(*times), size.clone()]);
            let merged = pairs()
                .map(|(size, times)| multiplied("tile", size, *times).expect("it was inferred"));
            let spread = inputs[0].reshape(Shape::new(apart)).broadcast_to(Shape::new(many));
            vec![spread.reshape(Shape::new(merged))]
        }))
    }
}

fn multiplied(op: &str, size: &Dim, times: usize) -> Result<Dim> {
    size.times(&Dim::Known(times)).ok_or_else(|| {
        let message =
            format!("`{op}` needs a size that fits in memory, found {size} times {times}");
        Error::new(ErrorKind::Shape, message).with_help("repeat less often")
    })
}

/// Each element so many times along an axis.
#[derive(Debug)]
struct Repeat {
    axis: usize,
    times: usize,
}

impl Op for Repeat {
    fn name(&self) -> &'static str {
        "Repeat"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", self.axis).with("repeats", self.times)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        axes::one("repeat", self.axis.cast_signed(), inputs[0].rank())?;
        let mut dims = inputs[0].shape().dims().to_vec();
        dims[self.axis] = multiplied("repeat", &dims[self.axis], self.times)?;
        Ok(smallvec![inputs[0].with_shape(Shape::new(dims))])
    }

    pure!(Composite, Expand);

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            let mut merged = inputs[0].shape().dims().to_vec();
            let mut many = merged.clone();
            many.insert(self.axis + 1, Dim::Known(self.times));
            merged[self.axis] =
                multiplied("repeat", &merged[self.axis], self.times).expect("it was inferred");
            let spread = inputs[0].expand_dims(self.axis + 1).broadcast_to(Shape::new(many));
            vec![spread.reshape(Shape::new(merged))]
        }))
    }
}

/// The elements moved round an axis.
#[derive(Debug)]
struct Roll {
    axis: usize,
    shift: isize,
}

impl Op for Roll {
    fn name(&self) -> &'static str {
        "Roll"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", self.axis).with("shift", self.shift as i64)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        axes::one("roll", self.axis.cast_signed(), inputs[0].rank())?;
        Ok(smallvec![inputs[0]])
    }

    fn kind(&self) -> Kind {
        Kind::Composite
    }

    fn effects(&self, inputs: &[Spec]) -> Effects {
        // Of an unknown size there may be too little.
        let is_known = inputs[0].shape()[self.axis].known().is_some();
        if is_known { Effects::NONE } else { Effects::FAILS }
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let back = |g: &Tensor| g.roll(self.shift.saturating_neg(), self.axis.cast_signed());
        Gradient::Inputs(vec![call.grads[0].as_ref().map(back)])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            let x = &inputs[0];
            let axis = self.axis.cast_signed();
            // Where the first element of the result is: so many from the end, or from the start.
            let first = match x.shape()[self.axis].known() {
                Some(0) => 0,
                Some(size) => self.shift.wrapping_neg().rem_euclid(size.cast_signed()),
                None => -self.shift,
            };
            if first == 0 {
                return vec![x.clone()];
            }
            let part = |start, stop| x.slice_axis(axis, Slice::new(start, stop, 1));
            vec![concat(&[part(Some(first), None), part(None, Some(first))], axis)]
        }))
    }
}
