//! Along which axes a reduction goes, and whether they stay. Knows no reduction.

use crate::error::Result;
use crate::kernels;
use crate::ops::axes::Axes;
use crate::types::{Dim, Shape};

/// The axes that a reduction goes along: they go away, or stay with size 1 if given as `KeepDims(axes)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Along {
    axes: Axes,
    keep: bool,
}

/// Axes that a reduction leaves with size 1, so that its result broadcasts against what was reduced.
///
/// ```
/// use graphfn::prelude::*;
///
/// let x = Tensor::from([[1.0f32, 3.0], [5.0, 7.0]]);
/// let rows = &x - x.mean_axis(KeepDims(1));
/// assert_eq!(rows.to_vec::<f32>(), [-1.0, 1.0, -1.0, 1.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepDims<A>(pub A);

impl<A: Into<Axes>> From<A> for Along {
    fn from(axes: A) -> Along {
        Along { axes: axes.into(), keep: false }
    }
}

impl<A: Into<Axes>> From<KeepDims<A>> for Along {
    fn from(KeepDims(axes): KeepDims<A>) -> Along {
        Along { axes: axes.into(), keep: true }
    }
}

impl Along {
    /// Whether it goes along all axes, and none stays.
    pub(super) fn is_everything(&self) -> bool {
        self.axes.count().is_none() && !self.keep
    }

    /// The axes that are meant among those of a tensor.
    ///
    /// # Errors
    /// If one is out of range, or is there twice.
    pub(super) fn of(&self, op: &str, rank: usize) -> Result<Reduced> {
        Ok(Reduced { axes: self.axes.ascending(op, rank)?, keep: self.keep })
    }
}

/// The axes of one tensor that a reduction goes along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reduced {
    /// From 0, ascending.
    pub axes: kernels::Axes,
    /// Whether they stay with size 1.
    pub keep: bool,
}

impl Reduced {
    /// What is left of a shape.
    pub fn shape(&self, shape: &Shape) -> Shape {
        let dims = shape.dims().iter().enumerate();
        Shape::new(dims.filter_map(|(axis, size)| match (self.axes.contains(&axis), self.keep) {
            (false, _) => Some(size.clone()),
            (true, true) => Some(Dim::Known(1)),
            (true, false) => None,
        }))
    }

    /// The first of the axes that surely has no elements, if there are results for which this matters.
    pub fn empty_axis(&self, shape: &Shape) -> Option<usize> {
        let empty = self.axes.iter().copied().find(|axis| shape[*axis] == 0)?;
        (!self.shape(shape).is_empty()).then_some(empty)
    }

    /// Whether one of the axes may turn out to have no elements.
    pub fn may_be_empty(&self, shape: &Shape) -> bool {
        self.axes.iter().any(|axis| shape[*axis].known().is_none())
    }
}
