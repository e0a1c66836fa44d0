//! How the elements of a value lie in memory, without where: element type, sizes and strides. Knows no bytes.

use super::value::{is_row_major, row_major};
use crate::types::{DType, Spec};
use smallvec::SmallVec;

/// Element type, sizes, and distances in elements from one element to the next along each axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Element type and sizes; no size is unknown.
    pub spec: Spec,
    /// Distances in elements; negative where a view runs backwards, 0 where it repeats.
    pub strides: SmallVec<[isize; 6]>,
}

impl Layout {
    /// The layout of row-major elements.
    pub fn row_major(spec: Spec) -> Layout {
        Layout { spec, strides: row_major(spec.sizes()) }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.spec.dtype()
    }

    /// The sizes of the axes.
    pub fn sizes(&self) -> &'static [usize] {
        self.spec.sizes()
    }

    /// Whether the elements follow each other in row-major order.
    pub fn is_row_major(&self) -> bool {
        is_row_major(self.sizes(), &self.strides)
    }

    /// The layout broadcast to more or larger axes: new axes in front, axes of one element repeated.
    ///
    /// # Panics
    /// If the sizes do not broadcast.
    #[must_use]
    pub fn broadcast_to(&self, sizes: &[usize]) -> SmallVec<[isize; 6]> {
        let new =
            sizes.len().checked_sub(self.sizes().len()).expect("a broadcast does not drop axes");
        let own = self.sizes().iter().zip(&self.strides).zip(&sizes[new..]).map(
            |((own, stride), size)| {
                assert!(
                    own == size || *own == 1,
                    "{:?} does not broadcast to {sizes:?}",
                    self.sizes()
                );
                if own == size { *stride } else { 0 }
            },
        );
        std::iter::repeat_n(0, new).chain(own).collect()
    }
}
