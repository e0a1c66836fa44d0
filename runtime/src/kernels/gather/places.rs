//! The places that indices point at, and the complaint about those that point nowhere.
//! Knows offsets only: whether elements are picked or added there, its users know.

use crate::error::{Error, ErrorKind, Result};
use crate::kernels::lowering::Gather;
use crate::kernels::walk::{Axes, Axis, axes, walk};
use crate::types::DType;
use crate::value::Layout;
use smallvec::SmallVec;
use std::ops::Range;

/// Where each index points: for each position of the picked tensor an index, a place of the tensor that is indexed
/// (`table`) and a place of the tensor that is not (`picked`).
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// Strides of the indices, of the table with coordinate 0 along the indexed axis, and of the picked tensor.
    outer: Axes<3>,
    inner: Axis<3>,
    /// The distance between neighbours along the indexed axis.
    stride: isize,
    axis: usize,
    bound: usize,
    indices: Layout,
    /// The axes of the indices alone, for the check.
    index_axes: Axes<1>,
}

impl Places {
    pub(super) fn new(gather: Gather, table: &Layout, indices: &Layout, picked: &Layout) -> Places {
        assert!(
            matches!(indices.dtype(), DType::I32 | DType::I64),
            "indices are i32 or i64, found {}",
            indices.dtype()
        );
        let rank = indices.sizes().len();
        let (axis, span) = match gather {
            Gather::Slices { axis } => (axis, axis..axis + rank),
            Gather::Along { axis } => (axis, 0..rank),
        };
        let wanted = picked_sizes(gather, table.sizes(), indices.sizes());
        assert_eq!(
            picked.sizes(),
            wanted.as_slice(),
            "the picked tensor has the sizes of its places"
        );
        let index_strides = spread(&indices.strides, span, wanted.len());
        let table_strides: SmallVec<[isize; 6]> = match gather {
            Gather::Slices { .. } => table.strides[..axis]
                .iter()
                .copied()
                .chain(std::iter::repeat_n(0, rank))
                .chain(table.strides[axis + 1..].iter().copied())
                .collect(),
            Gather::Along { .. } => {
                let mut strides = table.strides.clone();
                strides[axis] = 0;
                strides
            }
        };
        let mut outer = axes(&wanted, [&index_strides, &table_strides, &picked.strides]);
        let inner = outer.pop().expect("a walk has an axis");
        Places {
            outer,
            inner,
            stride: table.strides[axis],
            axis,
            bound: table.sizes()[axis],
            index_axes: axes(indices.sizes(), [&indices.strides]),
            indices: indices.clone(),
        }
    }

    /// Refuses the first index that is out of range.
    ///
    /// # Safety
    /// `indices` lie as prepared.
    pub(super) unsafe fn check(&self, name: &str, indices: *const u8) -> Result<()> {
        // SAFETY: the caller's promise.
        let found = unsafe {
            match self.indices.dtype() {
                DType::I32 => self.first_outside(indices.cast::<i32>()),
                _ => self.first_outside(indices.cast::<i64>()),
            }
        };
        match found {
            None => Ok(()),
            Some((index, position)) => Err(self.complaint(name, index, position)),
        }
    }

    /// The first index out of range, and how many stand before it.
    unsafe fn first_outside<I: Copy + Into<i64>>(&self, indices: *const I) -> Option<(i64, usize)> {
        let mut position = 0;
        let mut found = None;
        walk(&self.index_axes, [0], &mut |[at]| {
            // SAFETY: the walk stays within the indices.
            let index: i64 = unsafe { indices.offset(at).read() }.into();
            if !usize::try_from(index).is_ok_and(|index| index < self.bound) {
                found.get_or_insert((index, position));
            }
            position += 1;
        });
        found
    }

    #[cold]
    fn complaint(&self, name: &str, index: i64, position: usize) -> Error {
        let mut rest = position;
        let mut at: Vec<usize> = Vec::new();
        for size in self.indices.sizes().iter().rev() {
            at.insert(0, rest % size);
            rest /= size;
        }
        let (axis, bound) = (self.axis, self.bound);
        let message = format!(
            "`{name}` needs indices in 0..{bound} for axis {axis}, found {index} at {at:?} of the indices"
        );
        let help = match (bound, index) {
            (0, _) => "the axis is empty: nothing can be picked from it".to_string(),
            (_, ..0) => format!(
                "negative indices do not count from the end here: add {bound} to them yourself"
            ),
            _ => format!("indices go from 0 to {}; clamp them if that is what you mean", bound - 1),
        };
        Error::new(ErrorKind::Index, message).with_help(help)
    }

    /// Calls `each` with stretches of places, in row-major order of the picked tensor: how many, where in the table
    /// and its step, where in the picked tensor and its step.
    ///
    /// # Safety
    /// `indices` lie as prepared.
    pub(super) unsafe fn visit(
        &self,
        indices: *const u8,
        each: impl FnMut(usize, isize, isize, isize, isize),
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            match self.indices.dtype() {
                DType::I32 => self.visit_as(indices.cast::<i32>(), each),
                _ => self.visit_as(indices.cast::<i64>(), each),
            }
        }
    }

    unsafe fn visit_as<I: Copy + Into<i64>>(
        &self,
        indices: *const I,
        mut each: impl FnMut(usize, isize, isize, isize, isize),
    ) {
        let Axis { size, strides: [index_step, table_step, picked_step] } = self.inner;
        walk(&self.outer, [0, 0, 0], &mut |[at, table, picked]| {
            let place = |at: isize| {
                // SAFETY: the walk stays within the indices.
                let index: i64 = unsafe { indices.offset(at).read() }.into();
                table + index as isize * self.stride
            };
            if index_step == 0 && size > 0 {
                return each(size, place(at), table_step, picked, picked_step);
            }
            for step in 0..size.cast_signed() {
                let table = place(at + step * index_step) + step * table_step;
                each(1, table, 1, picked + step * picked_step, 1);
            }
        });
    }
}

/// The sizes of what is picked.
fn picked_sizes(gather: Gather, table: &[usize], indices: &[usize]) -> SmallVec<[usize; 6]> {
    match gather {
        Gather::Slices { axis } => {
            [&table[..axis], indices, &table[axis + 1..]].into_iter().flatten().copied().collect()
        }
        Gather::Along { axis } => {
            let fits = |at: usize| at == axis || indices[at] == table[at];
            assert!(
                indices.len() == table.len() && (0..table.len()).all(fits),
                "indices {indices:?} do not fit {table:?} along axis {axis}"
            );
            SmallVec::from_slice(indices)
        }
    }
}

/// Strides over the axes of a span, and 0 along the others.
fn spread(strides: &[isize], span: Range<usize>, rank: usize) -> SmallVec<[isize; 6]> {
    (0..rank).map(|at| if span.contains(&at) { strides[at - span.start] } else { 0 }).collect()
}
