//! A strided tensor copied into row-major order. Knows no other order of the output.

use super::Transfer;
use crate::error::Result;
use crate::value::Layout;

/// A copy of the only input in row-major order.
#[derive(Clone, Debug)]
pub struct Copy(Transfer);

impl Copy {
    /// Prepares a copy of an input that lies like this.
    pub fn new(input: &Layout) -> Copy {
        let target = Layout::row_major(input.spec).strides;
        Copy(Transfer::new(input.dtype().size(), input.sizes(), &input.strides, &target))
    }

    /// Copies.
    ///
    /// # Safety
    /// The only input lies as prepared, aligned to its elements; the only output has room for as many, likewise
    /// aligned, and does not overlap the input.
    ///
    /// # Errors
    /// None; the result is that of every kernel.
    pub unsafe fn run(&self, inputs: &[*const u8], outputs: &[*mut u8]) -> Result<()> {
        // SAFETY: the caller's promise; a row-major output is reached without gaps.
        unsafe { self.0.run(inputs[0], outputs[0]) };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{DType, Spec};

    #[test]
    fn a_reversed_transposed_view_becomes_row_major() {
        let elements = [1i32, 2, 3, 4, 5, 6];
        let input = Layout {
            spec: Spec::new(DType::I32, [3, 2]),
            strides: [-1isize, 3].into_iter().collect(),
        };
        let mut output = [0i32; 6];
        // SAFETY: from the third element, both strides stay within the six.
        unsafe {
            Copy::new(&input)
                .run(&[elements.as_ptr().add(2).cast()], &[output.as_mut_ptr().cast()])
                .unwrap();
        }
        assert_eq!(output, [3, 6, 2, 5, 1, 4]);
    }
}
