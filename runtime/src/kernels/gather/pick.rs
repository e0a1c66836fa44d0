//! Elements picked by indices. Knows no clamping: an index out of range is an error.

use super::Places;
use crate::error::Result;
use crate::kernels::lowering;
use crate::types::{DType, Spec};
use crate::value::Layout;

/// Elements of the first input picked by the second.
#[derive(Clone, Debug)]
pub struct Gather {
    places: Places,
    dtype: DType,
}

impl Gather {
    /// Prepares picking from the first of two inputs by the second.
    ///
    /// # Panics
    /// If the sizes do not fit together or the indices are not `i32` or `i64`.
    pub fn new(gather: lowering::Gather, inputs: &[Layout], output: Spec) -> Gather {
        let [input, indices] = inputs else { panic!("gather has 2 inputs") };
        let method = match gather {
            lowering::Gather::Slices { .. } => "gather",
            lowering::Gather::Along { .. } => "take_along_axis",
            lowering::Gather::Points => "gather_nd",
            lowering::Gather::Window => "dynamic_slice",
        };
        let places = Places::new(gather, method, input, indices, &Layout::row_major(output));
        Gather { places, dtype: input.dtype() }
    }

    /// Picks.
    ///
    /// # Safety
    /// The inputs lie as prepared, aligned to their elements; the only output is row-major, likewise aligned, and
    /// overlaps no input.
    ///
    /// # Errors
    /// If an index is out of range; nothing is written then.
    pub unsafe fn run(&self, inputs: &[*const u8], outputs: &[*mut u8]) -> Result<()> {
        let (input, indices, output) = (inputs[0], inputs[1], outputs[0]);
        // SAFETY: the caller's promise; any bytes are a valid integer of the element's size.
        unsafe {
            self.places.check(indices)?;
            match self.dtype.size() {
                1 => self.pick(input, indices, output),
                4 => self.pick(input.cast::<u32>(), indices, output.cast()),
                _ => self.pick(input.cast::<u64>(), indices, output.cast()),
            }
        }
        Ok(())
    }

    unsafe fn pick<T: Copy>(&self, input: *const T, indices: *const u8, output: *mut T) {
        // SAFETY: the indices were checked, so all places lie within the input.
        unsafe {
            self.places.visit(indices, |count, from, from_step, to, to_step| {
                let (source, target) = (input.offset(from), output.offset(to));
                if from_step == 1 && to_step == 1 {
                    return target.copy_from_nonoverlapping(source, count);
                }
                for at in 0..count.cast_signed() {
                    target.offset(at * to_step).write(source.offset(at * from_step).read());
                }
            });
        }
    }
}
