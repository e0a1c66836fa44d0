//! The kernel that puts a part among zeros with steps between its elements. Knows nothing of how it was taken.

use crate::error::Result;
use crate::kernels::Kernel;
use crate::types::{DType, Element, Spec};
use crate::value::Value;
use ndarray::{ArrayD, IxDyn};

/// Zeros, but for the elements of the first input.
#[derive(Debug)]
pub(super) struct Placed {
    /// For each axis where its first element goes, the step from one to the next, and how many there are.
    steps: Vec<(usize, isize, usize)>,
    output: Spec,
}

impl Placed {
    /// Puts elements into zeros of this spec.
    pub fn new(steps: Vec<(usize, isize, usize)>, output: Spec) -> Placed {
        Placed { steps, output }
    }

    fn place<T: Element>(&self, part: &Value, zero: T) -> Result<Value> {
        let mut whole = ArrayD::from_elem(IxDyn(self.output.sizes()), zero);
        let mut target = whole.slice_each_axis_mut(|axis| {
            let (first, step, count) = self.steps[axis.axis.index()];
            let last = first.wrapping_add_signed(step * count.saturating_sub(1).cast_signed());
            let end = |at: usize| (if count == 0 { first } else { at + 1 }).cast_signed();
            ndarray::Slice::new(first.min(last).cast_signed(), Some(end(first.max(last))), step)
        });
        target.assign(&part.view_array::<T>()?);
        Ok(whole.into())
    }
}

impl Kernel for Placed {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let part = &inputs[0];
        Ok(vec![match part.dtype() {
            DType::F32 => self.place(part, 0f32),
            DType::F64 => self.place(part, 0f64),
            DType::I32 => self.place(part, 0i32),
            DType::I64 => self.place(part, 0i64),
            DType::U8 => self.place(part, 0u8),
            DType::Bool => self.place(part, false),
        }?])
    }
}
