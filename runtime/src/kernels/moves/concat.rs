//! Tensors put one after the other along an axis. Knows nothing of how many the user wrote in which call.

use super::Transfer;
use crate::error::Result;
use crate::types::Spec;
use crate::value::Layout;

/// The inputs one after the other along an axis.
#[derive(Clone, Debug)]
pub struct Concat {
    /// For each input its move, and where in the output it begins, in bytes.
    parts: Vec<(Transfer, usize)>,
}

impl Concat {
    /// Prepares the inputs to stand one after the other along `axis` of the output.
    ///
    /// # Panics
    /// If the sizes along the axis do not add up to the output's.
    pub fn new(axis: usize, inputs: &[Layout], output: Spec) -> Concat {
        let target = Layout::row_major(output).strides;
        let element = output.dtype().size();
        let mut begin = 0;
        let part = |input: &Layout| {
            let bytes = begin * target[axis].unsigned_abs() * element;
            begin += input.sizes()[axis];
            (Transfer::new(element, input.sizes(), &input.strides, &target), bytes)
        };
        let parts = inputs.iter().map(part).collect();
        assert_eq!(begin, output.sizes()[axis], "the inputs of concat fill the output");
        Concat { parts }
    }

    /// Copies all inputs to their places.
    ///
    /// # Safety
    /// Inputs lie as prepared, aligned to their elements; the only output is row-major, likewise aligned, and
    /// overlaps no input.
    ///
    /// # Errors
    /// None; the result is that of every kernel.
    pub unsafe fn run(&self, inputs: &[*const u8], outputs: &[*mut u8]) -> Result<()> {
        for ((transfer, begin), input) in self.parts.iter().zip(inputs) {
            // SAFETY: the part lies within the output, because the sizes along the axis add up.
            unsafe { transfer.run(*input, outputs[0].wrapping_add(*begin)) };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::DType;

    /// Concatenates blocks of the given sizes along the axis, each filled with its own number.
    fn check<T: std::marker::Copy + PartialEq + std::fmt::Debug + From<u8>>(
        dtype: DType,
        axis: usize,
        parts: &[[usize; 3]],
        repeated: bool,
    ) {
        let mut sizes = parts[0];
        sizes[axis] = parts.iter().map(|part| part[axis]).sum();
        let layouts: Vec<Layout> = parts
            .iter()
            .map(|part| {
                let row_major = Layout::row_major(Spec::new(dtype, *part));
                let strides = row_major.strides.iter().map(|it| if repeated { 0 } else { *it });
                Layout { spec: row_major.spec, strides: strides.collect() }
            })
            .collect();
        let number = |part: usize| T::from(u8::try_from(part + 1).unwrap());
        let elements: Vec<Vec<T>> = (0..parts.len())
            .map(|part| vec![number(part); parts[part].iter().product::<usize>().max(1)])
            .collect();
        let mut found = vec![T::from(0); sizes.iter().product()];
        let inputs: Vec<*const u8> = elements.iter().map(|it| it.as_ptr().cast()).collect();
        let concat = Concat::new(axis, &layouts, Spec::new(dtype, sizes));
        // SAFETY: the buffers have the sizes of the layouts.
        unsafe { concat.run(&inputs, &[found.as_mut_ptr().cast()]).unwrap() };
        let inner: usize = sizes[axis + 1..].iter().product();
        for (at, element) in found.iter().enumerate() {
            let mut along = at / inner % sizes[axis];
            let part = parts
                .iter()
                .position(|part| match along.checked_sub(part[axis]) {
                    Some(rest) => {
                        along = rest;
                        false
                    }
                    None => true,
                })
                .unwrap();
            assert_eq!(*element, number(part), "{sizes:?} along {axis} at {at}");
        }
    }

    #[test]
    fn each_part_fills_its_own_stretch_of_the_axis() {
        for repeated in [false, true] {
            for (axis, parts) in [
                (0, vec![[2, 3, 4], [1, 3, 4], [0, 3, 4], [3, 3, 4]]),
                (1, vec![[2, 3, 4], [2, 0, 4], [2, 1, 4]]),
                (2, vec![[2, 3, 1], [2, 3, 5]]),
                (1, vec![[2, 3, 0], [2, 1, 0]]),
            ] {
                check::<u8>(DType::U8, axis, &parts, repeated);
                check::<f32>(DType::F32, axis, &parts, repeated);
                check::<i64>(DType::I64, axis, &parts, repeated);
            }
        }
    }
}
