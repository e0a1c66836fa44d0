//! Views as arithmetic on strides: no element moves. Knows layouts, not the bytes behind them.

use super::View;
use crate::types::Spec;
use crate::value::{Layout, Value};

impl View {
    /// The layout of the view, and how far its first element is from the input's first, in bytes; `None` if no strides
    /// express it, and the elements must be copied.
    pub fn apply(&self, input: &Layout, output: Spec) -> Option<(isize, Layout)> {
        match self {
            View::Reshape => input.is_row_major().then(|| (0, Layout::row_major(output))),
            View::Strided { starts, axes } => {
                check(starts, axes, input.sizes(), output.sizes());
                let strides = &input.strides;
                let steps: isize = starts
                    .iter()
                    .zip(strides)
                    .map(|(start, stride)| start.cast_signed() * stride)
                    .sum();
                let size = input.dtype().size().cast_signed();
                let strides = axes
                    .iter()
                    .map(|axis| axis.map_or(0, |(axis, step)| strides[axis] * step))
                    .collect();
                // An empty view reaches no element: its start may lie outside.
                let offset = if output.is_empty() { 0 } else { steps * size };
                Some((offset, Layout { spec: output, strides }))
            }
        }
    }
}

/// Checks that a view reaches no element outside its input. Ops infer shapes so that none does; they are not trusted.
///
/// # Panics
/// If it does.
fn check(starts: &[usize], axes: &[Option<(usize, isize)>], from: &[usize], to: &[usize]) {
    assert_eq!(
        (starts.len(), axes.len()),
        (from.len(), to.len()),
        "a view has a start for each axis and a step for each of its own"
    );
    if to.contains(&0) {
        return;
    }
    for (axis, size) in from.iter().enumerate() {
        let steps = axes.iter().zip(to).filter_map(|(step, count)| match step {
            Some((follows, step)) if *follows == axis => Some(step * (count.cast_signed() - 1)),
            _ => None,
        });
        let (back, forth) =
            steps.fold((0, 0), |(back, forth), reach| (back + reach.min(0), forth + reach.max(0)));
        let start = starts[axis].cast_signed();
        assert!(
            start + back >= 0 && start + forth < size.cast_signed(),
            "a view leaves its input along axis {axis}"
        );
    }
}

impl Value {
    /// The layout of the elements.
    pub fn layout(&self) -> Layout {
        Layout { spec: self.spec(), strides: self.strides() }
    }

    /// Another look at the same bytes; `None` if no strides express it.
    pub(crate) fn viewed(&self, view: &View, output: Spec) -> Option<Value> {
        let (offset, layout) = view.apply(&self.layout(), output)?;
        let offset =
            self.offset().checked_add_signed(offset).expect("a view begins within the buffer");
        // SAFETY: a reshape reaches the same elements, and `check` made sure that a strided view reaches no others.
        Some(unsafe { self.view(output, offset, &layout.strides) })
    }
}
