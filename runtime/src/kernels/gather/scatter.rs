//! Elements put or added at indices. Knows one order, that of the indices, so that it comes out the same on every run.

use super::Places;
use crate::error::Result;
use crate::kernels::lowering::Meet;
use crate::kernels::{lowering, moves};
use crate::types::{DType, Spec};
use crate::value::Layout;

/// The third input put into a copy of the first at the places that the second gives.
#[derive(Clone, Debug)]
pub struct Scatter {
    copy: moves::Copy,
    places: Places,
    meet: Meet,
    dtype: DType,
}

impl Scatter {
    /// Prepares putting the third of three inputs into a copy of the first, at the places that the second gives.
    ///
    /// # Panics
    /// If the sizes do not fit together, the indices are not `i32` or `i64`, or `bool` is to be added.
    pub fn new(gather: lowering::Gather, meet: Meet, inputs: &[Layout], output: Spec) -> Scatter {
        let [base, indices, updates] = inputs else { panic!("scatter has 3 inputs") };
        let dtype = output.dtype();
        assert!((dtype, meet) != (DType::Bool, Meet::Add), "bool has no sum");
        assert_eq!(
            (base.spec, updates.dtype()),
            (output, dtype),
            "scatter keeps its first input's spec"
        );
        let method = method(gather, meet);
        let places = Places::new(gather, method, &Layout::row_major(output), indices, updates);
        Scatter { copy: moves::Copy::new(base), places, meet, dtype }
    }

    /// Copies the base, then puts.
    ///
    /// # Safety
    /// The inputs lie as prepared, aligned to their elements; the only output is row-major, likewise aligned, and
    /// overlaps no input.
    ///
    /// # Errors
    /// If an index is out of range; nothing is written then.
    pub unsafe fn run(&self, inputs: &[*const u8], outputs: &[*mut u8]) -> Result<()> {
        let (indices, updates, output) = (inputs[1], inputs[2], outputs[0]);
        // SAFETY: the caller's promise, and the element type is as prepared; any bytes are a valid integer of their size.
        unsafe {
            self.places.check(indices)?;
            self.copy.run(&inputs[..1], outputs)?;
            match (self.meet, self.dtype) {
                (Meet::Add, DType::F32) => self.put::<f32>(output, indices, updates, |a, b| a + b),
                (Meet::Add, DType::F64) => self.put::<f64>(output, indices, updates, |a, b| a + b),
                (Meet::Add, DType::I32) => self.put(output, indices, updates, i32::wrapping_add),
                (Meet::Add, DType::I64) => self.put(output, indices, updates, i64::wrapping_add),
                (Meet::Add, DType::U8) => self.put(output, indices, updates, u8::wrapping_add),
                (Meet::Add, DType::Bool) => unreachable!("refused by `new`"),
                (Meet::Replace, dtype) => match dtype.size() {
                    1 => self.put::<u8>(output, indices, updates, |_, b| b),
                    4 => self.put::<u32>(output, indices, updates, |_, b| b),
                    _ => self.put::<u64>(output, indices, updates, |_, b| b),
                },
            }
        }
        Ok(())
    }

    unsafe fn put<T: Copy>(
        &self,
        output: *mut u8,
        indices: *const u8,
        updates: *const u8,
        meet: impl Fn(T, T) -> T,
    ) {
        let (output, updates) = (output.cast::<T>(), updates.cast::<T>());
        // SAFETY: the indices were checked, so all places lie within the output.
        unsafe {
            self.places.visit(indices, |count, to, to_step, from, from_step| {
                for at in 0..count.cast_signed() {
                    let place = output.offset(to + at * to_step);
                    place.write(meet(place.read(), updates.offset(from + at * from_step).read()));
                }
            });
        }
    }
}

/// What users call: messages name it.
fn method(gather: lowering::Gather, meet: Meet) -> &'static str {
    match (gather, meet) {
        (lowering::Gather::Slices { .. }, Meet::Add) => "scatter_add",
        (lowering::Gather::Slices { .. }, Meet::Replace) => "scatter_update",
        (lowering::Gather::Along { .. }, Meet::Add) => "scatter_add_along_axis",
        (lowering::Gather::Along { .. }, Meet::Replace) => "scatter_update_along_axis",
        (lowering::Gather::Points, Meet::Add) => "scatter_nd_add",
        (lowering::Gather::Points, Meet::Replace) => "scatter_nd_update",
        (lowering::Gather::Window, _) => "dynamic_update_slice",
    }
}
