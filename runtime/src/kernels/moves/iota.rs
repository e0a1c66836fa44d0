//! Counting along an axis. Knows how a count becomes an element: as casts do.

use super::Transfer;
use crate::error::Result;
use crate::types::{DType, Spec};

/// 0, 1, 2, .. along an axis, the same for all positions of the others.
#[derive(Clone, Debug)]
pub struct Iota {
    dtype: DType,
    count: usize,
    /// How many elements show the same count side by side.
    inner: usize,
    /// From the first stretch of counts to all further ones.
    rest: Transfer,
    rest_at: usize,
}

impl Iota {
    /// Prepares counting along `axis` of the output.
    pub fn new(axis: usize, output: Spec) -> Iota {
        let (sizes, element) = (output.sizes(), output.dtype().size());
        let inner: usize = sizes[axis + 1..].iter().product();
        let outer: usize = sizes[..axis].iter().product();
        let stretch = inner * sizes[axis];
        let further = [outer.saturating_sub(1), stretch];
        Iota {
            dtype: output.dtype(),
            count: if outer == 0 { 0 } else { sizes[axis] },
            inner,
            rest: Transfer::new(element, &further, &[0, 1], &[stretch.cast_signed(), 1]),
            rest_at: stretch * element,
        }
    }

    /// Writes the counts.
    ///
    /// # Safety
    /// The only output is row-major and aligned to its elements.
    ///
    /// # Errors
    /// None; the result is that of every kernel.
    pub unsafe fn run(&self, _inputs: &[*const u8], outputs: &[*mut u8]) -> Result<()> {
        let output = outputs[0];
        // SAFETY: the first stretch lies within the output, whose elements are of this type.
        unsafe {
            match self.dtype {
                DType::F32 => self.first(output, |at| at as f32),
                DType::F64 => self.first(output, |at| at as f64),
                DType::I32 => self.first(output, |at| i32::try_from(at).unwrap_or(i32::MAX)),
                DType::I64 => self.first(output, |at| at as i64),
                DType::U8 => self.first(output, |at| u8::try_from(at).unwrap_or(u8::MAX)),
                DType::Bool => self.first(output, |at| at != 0),
            }
        }
        // SAFETY: the further stretches lie behind the first and within the output.
        unsafe { self.rest.run(output, output.wrapping_add(self.rest_at)) };
        Ok(())
    }

    /// Writes the first stretch: each count `inner` times.
    unsafe fn first<T: Copy>(&self, output: *mut u8, element: impl Fn(usize) -> T) {
        let output = output.cast::<T>();
        for at in 0..self.count {
            for inner in 0..self.inner {
                // SAFETY: as for `run`; the stretch has count * inner elements.
                unsafe { output.add(at * self.inner + inner).write(element(at)) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Element;

    fn check<T: Element>(sizes: &[usize], axis: usize, element: impl Fn(usize) -> T) {
        let spec = Spec::new(T::DTYPE, sizes);
        let mut found = vec![element(1); sizes.iter().product()];
        // SAFETY: the vector has the elements of the spec.
        unsafe { Iota::new(axis, spec).run(&[], &[found.as_mut_ptr().cast()]).unwrap() };
        let inner: usize = sizes[axis + 1..].iter().product();
        let expected: Vec<T> =
            (0..found.len()).map(|at| element(at / inner % sizes[axis])).collect();
        assert_eq!(found, expected, "{spec} along {axis}");
    }

    #[test]
    fn counts_along_any_axis_as_any_type() {
        for (sizes, axis) in [
            (&[5][..], 0),
            (&[3, 4], 0),
            (&[3, 4], 1),
            (&[2, 3, 4, 2], 1),
            (&[2, 0, 4], 1),
            (&[0, 3], 1),
            (&[3, 0], 0),
        ] {
            check(sizes, axis, |at| at as f32);
            check(sizes, axis, |at| at as f64);
            check(sizes, axis, |at| i32::try_from(at).unwrap());
            check(sizes, axis, |at| i64::try_from(at).unwrap());
            check(sizes, axis, |at| u8::try_from(at).unwrap());
            check(sizes, axis, |at| at != 0);
        }
    }

    #[test]
    fn counts_that_do_not_fit_saturate() {
        check(&[300], 0, |at| u8::try_from(at).unwrap_or(u8::MAX));
    }
}
