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
                assert!(
                    stays_within(starts, axes, input.sizes(), output.sizes()),
                    "{self:?} of {input:?} leaves it"
                );
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

/// Whether a view reaches no element outside its input. Ops infer shapes so that none does; they are not trusted.
pub(super) fn stays_within(
    starts: &[usize],
    axes: &[Option<(usize, isize)>],
    from: &[usize],
    to: &[usize],
) -> bool {
    let follows_axes = axes.iter().flatten().all(|(axis, _)| *axis < from.len());
    if (starts.len(), axes.len()) != (from.len(), to.len()) || !follows_axes {
        return false;
    }
    to.contains(&0) || (0..from.len()).all(|axis| reaches_within(axis, starts, axes, from, to))
}

fn reaches_within(
    axis: usize,
    starts: &[usize],
    axes: &[Option<(usize, isize)>],
    from: &[usize],
    to: &[usize],
) -> bool {
    let (mut first, mut last) = (starts[axis] as i128, starts[axis] as i128);
    for (step, count) in axes.iter().zip(to) {
        match step {
            Some((follows, step)) if *follows == axis => {
                let reach = *step as i128 * (*count as i128 - 1);
                first = first.saturating_add(reach.min(0));
                last = last.saturating_add(reach.max(0));
            }
            _ => {}
        }
    }
    first >= 0 && last < from[axis] as i128
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
        // SAFETY: a reshape reaches the same elements, and `stays_within` made sure that a strided view reaches no others.
        Some(unsafe { self.view(output, offset, &layout.strides) })
    }
}
