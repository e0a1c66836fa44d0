//! The places that indices point at, and the complaint about those that point nowhere.
//! Knows offsets only: whether elements are picked or added there, its users know.

use crate::error::{Error, ErrorKind, Result};
use crate::kernels::lowering::Gather;
use crate::kernels::walk::{Axes, Axis, axes, walk};
use crate::types::DType;
use crate::value::Layout;
use smallvec::SmallVec;

/// Where each index points: for each position of the picked tensor an index, a place of the tensor that is indexed
/// (`table`) and a place of the tensor that is not (`picked`). An index is one coordinate or several.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// Strides of the indices, of the table with coordinate 0 along the indexed axes, and of the picked tensor.
    outer: Axes<3>,
    inner: Axis<3>,
    coordinates: SmallVec<[Coordinate; 2]>,
    /// The distance between the coordinates of one index.
    step: isize,
    indices: Layout,
    /// The axes of the indices alone, but for that of their coordinates: for the check.
    index_axes: Axes<1>,
    /// What users call: messages name it.
    method: &'static str,
}

/// One coordinate of an index.
#[derive(Clone, Debug)]
struct Coordinate {
    axis: usize,
    /// The distance between neighbours along the axis.
    stride: isize,
    /// What it is less than.
    bound: usize,
}

impl Places {
    pub(super) fn new(
        gather: Gather,
        method: &'static str,
        table: &Layout,
        indices: &Layout,
        picked: &Layout,
    ) -> Places {
        assert!(
            matches!(indices.dtype(), DType::I32 | DType::I64),
            "indices are i32 or i64, found {}",
            indices.dtype()
        );
        let wanted = picked_sizes(gather, table.sizes(), indices.sizes(), picked.sizes())
            .unwrap_or_else(|| panic!("{gather:?} of {table:?} by {indices:?} fits nothing"));
        assert_eq!(
            picked.sizes(),
            wanted.as_slice(),
            "the picked tensor has the sizes of its places"
        );
        let Strides { index, table: steps, apart } = Strides::new(gather, table, indices);
        let mut outer = axes(&wanted, [&index, &steps, &picked.strides]);
        let inner = outer.pop().expect("a walk has an axis");
        let coordinate = |axis: usize| {
            let size = table.sizes()[axis];
            let bound = match gather {
                Gather::Window => size - wanted[axis] + 1,
                _ => size,
            };
            Coordinate { axis, stride: table.strides[axis], bound }
        };
        let points = indices.sizes().len() - usize::from(apart.is_some());
        Places {
            outer,
            inner,
            coordinates: match gather {
                Gather::Slices { axis } | Gather::Along { axis } => {
                    (axis..=axis).map(coordinate).collect()
                }
                Gather::Points | Gather::Window => {
                    (0..indices.sizes()[points]).map(coordinate).collect()
                }
            },
            step: apart.unwrap_or(0),
            index_axes: axes(&indices.sizes()[..points], [&indices.strides[..points]]),
            indices: indices.clone(),
            method,
        }
    }

    /// Refuses the first index that is out of range.
    ///
    /// # Safety
    /// `indices` lie as prepared.
    pub(super) unsafe fn check(&self, indices: *const u8) -> Result<()> {
        // SAFETY: the caller's promise.
        let found = unsafe {
            match self.indices.dtype() {
                DType::I32 => self.first_outside(indices.cast::<i32>()),
                _ => self.first_outside(indices.cast::<i64>()),
            }
        };
        match found {
            None => Ok(()),
            Some((index, position)) => Err(self.complaint(index, position)),
        }
    }

    /// The first index out of range, and how many stand before it.
    unsafe fn first_outside<I: Copy + Into<i64>>(&self, indices: *const I) -> Option<(i64, usize)> {
        let mut position = 0;
        let mut found = None;
        walk(&self.index_axes, [0], &mut |[at]| {
            for (coordinate, number) in self.coordinates.iter().zip(0..) {
                // SAFETY: the walk stays within the indices.
                let index: i64 = unsafe { indices.offset(at + number * self.step).read() }.into();
                if !usize::try_from(index).is_ok_and(|index| index < coordinate.bound) {
                    found.get_or_insert((index, position));
                }
                position += 1;
            }
        });
        found
    }

    #[cold]
    fn complaint(&self, index: i64, position: usize) -> Error {
        let mut rest = position;
        let mut at: Vec<usize> = Vec::new();
        for size in self.indices.sizes().iter().rev() {
            at.insert(0, rest % size);
            rest /= size;
        }
        let Coordinate { axis, bound, .. } = self.coordinates[position % self.coordinates.len()];
        let message = format!(
            "`{}` needs indices in 0..{bound} for axis {axis}, found {index} at {at:?} of the indices",
            self.method
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
                self.coordinates.iter().zip(0..).fold(table, |table, (coordinate, number)| {
                    // SAFETY: the walk stays within the indices.
                    let index: i64 =
                        unsafe { indices.offset(at + number * self.step).read() }.into();
                    table + index as isize * coordinate.stride
                })
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

/// How far the places of the picked tensor's neighbours are apart, along each of its axes.
struct Strides {
    index: SmallVec<[isize; 6]>,
    table: SmallVec<[isize; 6]>,
    /// The distance between the coordinates of one index, where they have an axis.
    apart: Option<isize>,
}

impl Strides {
    fn new(gather: Gather, table: &Layout, indices: &Layout) -> Strides {
        let rank = indices.strides.len();
        let zeros = |count: usize| std::iter::repeat_n(0, count);
        let (of_table, of_indices) = (&table.strides, &indices.strides);
        match gather {
            Gather::Slices { axis } => {
                let (before, after) = (&of_table[..axis], &of_table[axis + 1..]);
                Strides {
                    index: zeros(axis)
                        .chain(of_indices.iter().copied())
                        .chain(zeros(after.len()))
                        .collect(),
                    table: before
                        .iter()
                        .copied()
                        .chain(zeros(rank))
                        .chain(after.iter().copied())
                        .collect(),
                    apart: None,
                }
            }
            Gather::Along { axis } => {
                let mut table: SmallVec<[isize; 6]> = of_table.iter().copied().collect();
                table[axis] = 0;
                Strides { index: of_indices.iter().copied().collect(), table, apart: None }
            }
            Gather::Points => {
                let after = &of_table[indices.sizes()[rank - 1]..];
                let (apart, index) = of_indices.split_last().expect("an index has an axis");
                Strides {
                    index: index.iter().copied().chain(zeros(after.len())).collect(),
                    table: zeros(rank - 1).chain(after.iter().copied()).collect(),
                    apart: Some(*apart),
                }
            }
            Gather::Window => Strides {
                index: zeros(of_table.len()).collect(),
                table: of_table.iter().copied().collect(),
                apart: Some(of_indices[0]),
            },
        }
    }
}

/// The sizes of what is picked; `None` if table, indices and a window do not fit together.
pub(in crate::kernels) fn picked_sizes(
    gather: Gather,
    table: &[usize],
    indices: &[usize],
    window: &[usize],
) -> Option<SmallVec<[usize; 6]>> {
    match gather {
        Gather::Slices { axis } => {
            let (before, after) = (table.get(..axis)?, table.get(axis + 1..)?);
            Some([before, indices, after].into_iter().flatten().copied().collect())
        }
        Gather::Along { axis } => {
            let fits = |at: usize| at == axis || indices[at] == table[at];
            let rank = table.len();
            (axis < rank && indices.len() == rank && (0..rank).all(fits))
                .then(|| SmallVec::from_slice(indices))
        }
        Gather::Points => {
            let (count, points) = indices.split_last()?;
            let after = table.get(*count..)?;
            Some([points, after].into_iter().flatten().copied().collect())
        }
        Gather::Window => {
            let fits = window.len() == table.len() && window.iter().zip(table).all(|(a, b)| a <= b);
            (fits && indices == [table.len()]).then(|| SmallVec::from_slice(window))
        }
    }
}
