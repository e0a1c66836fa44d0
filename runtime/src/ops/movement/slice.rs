//! Parts of a tensor by ranges and indices, and parts put back among zeros. Knows strides, and copies only to put back.

use super::placed::Placed;
use super::range::{Found, Slice, Taken};
use super::slices::Slices;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Effects, Entry, Gradient, Kind, Lowered, Op, Parsed, Sample, Specs, Tensor,
    apply, or_raise,
};
use crate::kernels::lanes::Scalar;
use crate::kernels::{Lowering, Pad, PadMode, View};
use crate::ops::axes;
use crate::ops::forward::on_variables;
use crate::ops::refused::refused;
use crate::ops::samples::{call, varied};
use crate::types::{DType, Dim, Shape, Spec};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

impl Tensor {
    /// A part: of each axis a range, or one element, which takes the axis away. Axes that are not named stay whole.
    ///
    /// Negative numbers count from the end. A range that reaches beyond an axis is cut to it; an index beyond it is
    /// an error. Nothing is copied.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.slice((.., 1..)).to_vec::<i32>(), [2, 3, 5, 6]);
    /// assert_eq!(x.slice((0, -2..)).to_vec::<i32>(), [2, 3]);
    /// assert_eq!(x.slice((.., Slice::new(None, None, -2))).to_vec::<i32>(), [3, 1, 6, 4]);
    /// assert_eq!(x.slice(1..).shape().to_string(), "(1, 3)");
    /// ```
    ///
    /// Of an axis of unknown size, ranges whose ends count from both sides (`1..`, `..-1`) fit any size; those that take a
    /// fixed number (`..3`) need that many at each call.
    ///
    /// # Panics
    /// Raises an error for an index that is out of range, a step of 0, more slices than axes, and a range whose length
    /// has no form while tracing.
    #[track_caller]
    pub fn slice(&self, slices: impl Into<Slices>) -> Tensor {
        let Slices(slices) = slices.into();
        let whole = self.rank().saturating_sub(slices.len());
        let taken = slices.into_iter().map(|it| it.0);
        let taken = taken.chain(std::iter::repeat_n(Slice::ALL.0, whole)).collect();
        apply(StridedSlice { taken }, &[self], "strided_slice")
    }

    /// A part along one axis; the others stay whole.
    ///
    /// # Panics
    /// As [`slice`](Tensor::slice), and for an axis that is out of range.
    #[track_caller]
    pub fn slice_axis(&self, axis: isize, slice: impl Into<Slice>) -> Tensor {
        let axis = or_raise(axes::one("slice", axis, self.rank()));
        let mut slices: SmallVec<[Slice; 4]> = smallvec![Slice::ALL; axis];
        slices.push(slice.into());
        self.slice(Slices(slices))
    }

    /// The part at one index of an axis, which goes away; a negative index counts from the end.
    ///
    /// # Panics
    /// Raises an error for an axis or index that is out of range.
    #[track_caller]
    pub fn index(&self, axis: isize, at: isize) -> Tensor {
        self.slice_axis(axis, at)
    }

    /// The part at one index of the first axis: `x.at(0)` is the first row of a matrix.
    ///
    /// # Panics
    /// Raises an error for an index that is out of range, and for a scalar.
    #[track_caller]
    pub fn at(&self, at: isize) -> Tensor {
        self.index(0, at)
    }
}

on_variables![
    slice(slices: impl Into<Slices>) -> Tensor,
    slice_axis(axis: isize, slice: impl Into<Slice>) -> Tensor,
    index(axis: isize, at: isize) -> Tensor,
    at(at: isize) -> Tensor,
];

/// A tensor like another, of zeros but for a part.
#[track_caller]
pub(super) fn put_back(part: &Tensor, like: &Tensor, taken: &[Taken]) -> Tensor {
    apply(StridedSliceGrad { taken: taken.into() }, &[part, like], "StridedSliceGrad")
}

pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "StridedSlice",
        make: |attrs| Ok(StridedSlice { taken: parsed(attrs)? }.into()),
        samples: || samples(|taken| call(StridedSlice { taken }, [varied(DType::F32, &[4, 5])])),
    },
    Entry {
        name: "StridedSliceGrad",
        make: |attrs| Ok(StridedSliceGrad { taken: parsed(attrs)? }.into()),
        samples: || {
            samples(|taken| {
                let like = varied(DType::F64, &[4, 5]);
                let taken: Parts = taken.into_iter().map(Taken::as_range).collect();
                let part = sliced(&taken, like.spec().shape()).expect("the samples fit");
                let sizes = part.known().expect("the samples have known sizes");
                call(StridedSliceGrad { taken }, [varied(DType::F64, &sizes), like])
            })
        },
    },
];

fn samples(one: impl Fn(Parts) -> Sample) -> Vec<Sample> {
    let slices = [
        Slices::from((1..3, ..-1)),
        Slices::from((-2, ..)),
        Slices::from((Slice::new(None, None, -1), Slice::new(Some(1), None, 3))),
        Slices::from((Slice::new(Some(2), Some(-9), -2), 4)),
        Slices::from((Slice::between(3, 1), ..)),
    ];
    slices.into_iter().map(|it| one(it.0.into_iter().map(|slice| slice.0).collect())).collect()
}

type Parts = SmallVec<[Taken; 4]>;

/// TensorFlow's attributes: ends that a mask covers do not count.
fn attrs(parts: &[Taken]) -> Attrs {
    let (mut ends, mut masks) = ([Vec::new(), Vec::new(), Vec::new()], [0i64; 3]);
    for (axis, part) in parts.iter().enumerate() {
        let Taken::Range { start, stop, step } = part.as_range() else {
            unreachable!("it is a range now")
        };
        for (of, end) in [(0, start), (1, stop), (2, Some(step))] {
            ends[of].push(end.unwrap_or(0) as i64);
        }
        for (of, is_masked) in [(0, start.is_none()), (1, stop.is_none()), (2, !part.stays())] {
            masks[of] |= i64::from(is_masked) << axis;
        }
    }
    let [begin, end, strides] = ends;
    let named = Attrs::none().with("begin", begin).with("end", end).with("strides", strides);
    let [begin, end, shrink] = masks;
    named.with("begin_mask", begin).with("end_mask", end).with("shrink_axis_mask", shrink)
}

fn parsed(attrs: &Parsed) -> Result<Parts> {
    let [begin, end, strides] = [attrs.ints("begin")?, attrs.ints("end")?, attrs.ints("strides")?];
    if begin.len() != end.len() || begin.len() != strides.len() {
        let message = format!(
            "`slice` needs an end for each begin and step, found {}, {} and {}",
            begin.len(),
            end.len(),
            strides.len()
        );
        return Err(Error::new(ErrorKind::Format, message).with_help("give each axis all three"));
    }
    let masks = [attrs.int("begin_mask")?, attrs.int("end_mask")?, attrs.int("shrink_axis_mask")?];
    let part = |axis: usize| {
        let is_masked = |of: usize| masks[of] >> axis & 1 == 1;
        if is_masked(2) {
            return Taken::Index(begin[axis] as isize);
        }
        let start = (!is_masked(0)).then_some(begin[axis] as isize);
        let stop = (!is_masked(1)).then_some(end[axis] as isize);
        Taken::Range { start, stop, step: strides[axis] as isize }
    };
    Ok((0..begin.len()).map(part).collect())
}

/// The shape of a part of a tensor.
fn sliced(parts: &[Taken], shape: &Shape) -> Result<Shape> {
    if parts.len() != shape.rank() {
        let message = format!(
            "`slice` needs a slice for each axis at most, found {} and {shape:?}",
            parts.len()
        );
        return Err(Error::new(ErrorKind::Index, message)
            .with_help("leave out slices: axes that are not named stay whole"));
    }
    let dims = parts.iter().enumerate().map(|(axis, part)| part.len(axis, &shape[axis]));
    Ok(Shape::new(dims.collect::<Result<Vec<Option<Dim>>>>()?.into_iter().flatten()))
}

/// The elements taken of each axis of these sizes, or the complaint that they are not those that were inferred.
fn found(parts: &[Taken], sizes: &[usize], inferred: &[usize]) -> Result<SmallVec<[Found; 4]>> {
    let mut inferred = inferred.iter();
    let one = |(axis, (part, size)): (usize, (&Taken, &usize))| {
        let inferred = if part.stays() { inferred.next().copied() } else { Some(1) };
        let found = part.found(*size).filter(|found| Some(found.count) == inferred);
        found.ok_or_else(|| part.outside(axis, *size))
    };
    parts.iter().zip(sizes).enumerate().map(one).collect()
}

/// What taking parts of a tensor of this spec may do: of an unknown size there may be too little.
fn effects(spec: Spec) -> Effects {
    if spec.known().is_some() { Effects::NONE } else { Effects::FAILS }
}

/// A part of a tensor.
#[derive(Debug)]
struct StridedSlice {
    /// What is taken of each axis.
    taken: Parts,
}

impl Op for StridedSlice {
    fn name(&self) -> &'static str {
        "StridedSlice"
    }

    fn attrs(&self) -> Attrs {
        attrs(&self.taken)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        Ok(smallvec![inputs[0].with_shape(sliced(&self.taken, inputs[0].shape())?)])
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn effects(&self, inputs: &[Spec]) -> Effects {
        effects(inputs[0])
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let Some(g) = &call.grads[0] else { return Gradient::None };
        let gone: Vec<usize> =
            (0..self.taken.len()).filter(|axis| !self.taken[*axis].stays()).collect();
        let ranges: Parts = self.taken.iter().map(|it| it.as_range()).collect();
        let part = if gone.is_empty() { g.clone() } else { g.expand_dims(gone) };
        Gradient::Inputs(vec![Some(put_back(&part, &call.inputs[0], &ranges))])
    }

    fn lower(&self, inputs: &[Spec], outputs: &[Spec]) -> Lowered<'_> {
        let found = match found(&self.taken, inputs[0].sizes(), outputs[0].sizes()) {
            Ok(found) => found,
            Err(error) => return refused(error),
        };
        let starts = found.iter().map(|it| it.first).collect();
        let axes = self.taken.iter().enumerate();
        let axes =
            axes.filter(|(_, it)| it.stays()).map(|(axis, it)| Some((axis, it.step()))).collect();
        Lowered::Kernel(Lowering::View(View::Strided { starts, axes }))
    }
}

/// A tensor like the second input, zero but for the first, which stands where it was taken.
#[derive(Debug)]
struct StridedSliceGrad {
    /// What was taken of each axis: ranges.
    taken: Parts,
}

impl Op for StridedSliceGrad {
    fn name(&self) -> &'static str {
        "StridedSliceGrad"
    }

    fn attrs(&self) -> Attrs {
        attrs(&self.taken)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let [part, like] = [inputs[0], inputs[1]];
        let shape = sliced(&self.taken, like.shape())?;
        if shape != *part.shape() {
            let message = format!(
                "the gradient of `slice` needs a part of shape {shape:?}, found {:?}",
                part.shape()
            );
            return Err(Error::new(ErrorKind::Shape, message)
                .with_help("give what the same slice takes of the second input"));
        }
        Ok(smallvec![part.with_shape(like.shape())])
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn effects(&self, inputs: &[Spec]) -> Effects {
        effects(inputs[1])
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let slices = || Slices(self.taken.iter().map(|it| Slice(*it)).collect());
        Gradient::Inputs(vec![call.grads[0].as_ref().map(|g| g.slice(slices())), None])
    }

    fn lower(&self, inputs: &[Spec], outputs: &[Spec]) -> Lowered<'_> {
        let sizes = outputs[0].sizes();
        let found = match found(&self.taken, sizes, inputs[0].sizes()) {
            Ok(found) => found,
            Err(error) => return refused(error),
        };
        if self.taken.iter().all(|it| it.step() == 1) {
            let widths =
                found.iter().zip(sizes).map(|(it, size)| (it.first, size - it.first - it.count));
            let zero = PadMode::Constant(Scalar::from_f64(0.0, outputs[0].dtype()));
            return Lowered::Kernel(Lowering::Pad(Pad { widths: widths.collect(), mode: zero }));
        }
        let steps =
            found.iter().zip(&self.taken).map(|(it, taken)| (it.first, taken.step(), it.count));
        Lowered::Kernel(Lowering::Custom(Arc::new(Placed::new(steps.collect(), outputs[0]))))
    }
}
