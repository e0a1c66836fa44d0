//! Elements added at indices. Knows one order, that of the indices, so that sums come out the same on every run.

use super::Places;
use crate::error::Result;
use crate::kernels::{lowering, moves};
use crate::types::{DType, Spec};
use crate::value::Layout;

/// The third input added into a copy of the first at the places that the second gives.
///
/// Repeated indices add up in the order of the indices, so the result is the same on every run.
#[derive(Clone, Debug)]
pub struct ScatterAdd {
    copy: moves::Copy,
    places: Places,
    dtype: DType,
}

impl ScatterAdd {
    /// Prepares adding the third of three inputs into a copy of the first, at the places that the second gives.
    ///
    /// # Panics
    /// If the sizes do not fit together, the indices are not `i32` or `i64`, or the elements are `bool`.
    pub fn new(gather: lowering::Gather, inputs: &[Layout], output: Spec) -> ScatterAdd {
        let [base, indices, updates] = inputs else { panic!("scatter has 3 inputs") };
        let dtype = output.dtype();
        assert!(dtype != DType::Bool, "bool has no sum");
        assert_eq!(
            (base.spec, updates.dtype()),
            (output, dtype),
            "scatter keeps its first input's spec"
        );
        let places = Places::new(gather, &Layout::row_major(output), indices, updates);
        ScatterAdd { copy: moves::Copy::new(base), places, dtype }
    }

    /// Copies the base, then adds.
    ///
    /// # Safety
    /// The inputs lie as prepared, aligned to their elements; the only output is row-major, likewise aligned, and
    /// overlaps no input.
    ///
    /// # Errors
    /// If an index is out of range; nothing is written then.
    pub unsafe fn run(&self, inputs: &[*const u8], outputs: &[*mut u8]) -> Result<()> {
        let (indices, updates, output) = (inputs[1], inputs[2], outputs[0]);
        // SAFETY: the caller's promise, and the element type is as prepared.
        unsafe {
            self.places.check("scatter_add", indices)?;
            self.copy.run(&inputs[..1], outputs)?;
            match self.dtype {
                DType::F32 => self.add::<f32>(output, indices, updates, |a, b| a + b),
                DType::F64 => self.add::<f64>(output, indices, updates, |a, b| a + b),
                DType::I32 => self.add(output, indices, updates, i32::wrapping_add),
                DType::I64 => self.add(output, indices, updates, i64::wrapping_add),
                DType::U8 => self.add(output, indices, updates, u8::wrapping_add),
                DType::Bool => unreachable!("refused by `new`"),
            }
        }
        Ok(())
    }

    unsafe fn add<T: Copy>(
        &self,
        output: *mut u8,
        indices: *const u8,
        updates: *const u8,
        sum: impl Fn(T, T) -> T,
    ) {
        let (output, updates) = (output.cast::<T>(), updates.cast::<T>());
        // SAFETY: the indices were checked, so all places lie within the output.
        unsafe {
            self.places.visit(indices, |count, to, to_step, from, from_step| {
                for at in 0..count.cast_signed() {
                    let place = output.offset(to + at * to_step);
                    place.write(sum(place.read(), updates.offset(from + at * from_step).read()));
                }
            });
        }
    }
}
