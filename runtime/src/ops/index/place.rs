//! What indices are about: slices along an axis, elements along one, or points. Knows shapes, and not what happens there.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Attrs, Parsed};
use crate::kernels::Gather;
use crate::ops::axes;
use crate::types::{DType, Dim, Shape, Spec};

/// What an index stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A slice along an axis.
    Slice(usize),
    /// An element along an axis, at its own other coordinates.
    Along(usize),
    /// With its neighbours along the last axis, the first coordinates of a place.
    Point,
}

impl Place {
    /// How the kernels call it.
    pub fn gather(self) -> Gather {
        match self {
            Place::Slice(axis) => Gather::Slices { axis },
            Place::Along(axis) => Gather::Along { axis },
            Place::Point => Gather::Points,
        }
    }

    /// The axis, where there is one.
    pub fn attrs(self) -> Attrs {
        match self {
            Place::Slice(axis) | Place::Along(axis) => Attrs::none().with("axis", axis),
            Place::Point => Attrs::none(),
        }
    }

    /// The slices along the axis that attributes name.
    ///
    /// # Errors
    /// If they name none.
    pub fn slice(attrs: &Parsed) -> Result<Place> {
        Ok(Place::Slice(axes::number(attrs, "axis")?))
    }

    /// The elements along the axis that attributes name.
    ///
    /// # Errors
    /// If they name none.
    pub fn along(attrs: &Parsed) -> Result<Place> {
        Ok(Place::Along(axes::number(attrs, "axis")?))
    }

    /// The shape of what indices pick.
    ///
    /// # Errors
    /// If they are no indices of this table.
    pub fn picked(self, op: &str, table: Spec, indices: Spec) -> Result<Shape> {
        if let Place::Slice(axis) | Place::Along(axis) = self {
            axes::one(op, axis.cast_signed(), table.rank())?;
        }
        check_indices(op, indices)?;
        let (table, indices) = (table.shape().dims(), indices.shape().dims());
        match self {
            Place::Slice(axis) => {
                let dims = table[..axis].iter().chain(indices).chain(&table[axis + 1..]);
                Ok(Shape::new(dims.cloned()))
            }
            Place::Along(axis) if fits_along(table, indices, axis) => {
                Ok(Shape::new(indices.iter().cloned()))
            }
            Place::Along(axis) => {
                let message = format!(
                    "`{op}` needs indices of the tensor's sizes but along axis {axis}, found {indices:?} for {table:?}"
                );
                Err(Error::new(ErrorKind::Shape, message).with_help(
                    "repeat the indices with `broadcast_to`, or pick whole slices with `gather`",
                ))
            }
            Place::Point => {
                let (count, points) = coordinates(op, table, indices)?;
                Ok(Shape::new(points.iter().chain(&table[count..]).cloned()))
            }
        }
    }
}

/// Checks that indices are integers.
///
/// # Errors
/// If they are not.
pub(super) fn check_indices(op: &str, indices: Spec) -> Result<()> {
    if matches!(indices.dtype(), DType::I32 | DType::I64) {
        return Ok(());
    }
    let message = format!("`{op}` needs indices of int32 or int64, found {indices}");
    Err(Error::new(ErrorKind::Type, message)
        .with_help("convert them first: `indices.cast(DType::I32)`"))
}

fn fits_along(table: &[Dim], indices: &[Dim], axis: usize) -> bool {
    table.len() == indices.len()
        && (0..table.len()).all(|at| at == axis || table[at] == indices[at])
}

/// How many coordinates each point has, and the sizes of the points.
fn coordinates<'a>(op: &str, table: &[Dim], indices: &'a [Dim]) -> Result<(usize, &'a [Dim])> {
    if let Some((last, points)) = indices.split_last()
        && let Some(count) = last.known()
        && count <= table.len()
    {
        return Ok((count, points));
    }
    let message = format!(
        "`{op}` needs indices whose last axis holds up to {} coordinates, found {indices:?} for {table:?}",
        table.len()
    );
    Err(Error::new(ErrorKind::Shape, message)
        .with_help("one point is a vector of coordinates: `stack` them along a last axis"))
}
