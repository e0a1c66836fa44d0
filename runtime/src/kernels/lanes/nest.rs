//! The axes that an operand is walked along, merged as far as its strides allow, and the copy of a part into a row.
//! Knows no values: sizes, strides and a pointer are all there is.

use crate::types::DType;
use smallvec::SmallVec;

/// Sizes and strides (in elements), the innermost axis first, of the elements that a row-major walk visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::kernels) struct Nest {
    axes: SmallVec<[(usize, isize); 4]>,
}

impl Nest {
    /// The walk along these axes; neighbours that act as one become one, and axes of one element go.
    pub fn new(sizes: &[usize], strides: &[isize]) -> Nest {
        let mut axes: SmallVec<[(usize, isize); 4]> = SmallVec::new();
        for (&size, &stride) in sizes.iter().zip(strides).rev().filter(|(size, _)| **size != 1) {
            match axes.last_mut() {
                Some((inner, step)) if *step * inner.cast_signed() == stride => *inner *= size,
                _ => axes.push((size, stride)),
            }
        }
        Nest { axes }
    }

    /// The one stride from each element to the next, if there is one; 1 where there is no next element.
    pub fn stride(&self) -> Option<isize> {
        match self.axes[..] {
            [] => Some(1),
            [(_, stride)] => Some(stride),
            _ => None,
        }
    }

    /// Whether neighbours of the walk follow each other in memory, or are the same, for some while.
    pub fn has_runs(&self) -> bool {
        self.axes.first().is_none_or(|(_, stride)| matches!(stride, 0 | 1))
    }

    /// Copies the elements from the `start`th of the walk to a row.
    ///
    /// # Safety
    /// The walk has `start + n` elements, each readable from `src` (its first) on; `dst` is writable for `n` of them
    /// and does not overlap them; both are aligned for the type.
    pub unsafe fn copy(&self, src: *const u8, dst: *mut u8, start: usize, n: usize, dtype: DType) {
        // SAFETY: as promised; elements of one size are copied alike, whatever they mean.
        unsafe {
            match dtype.size() {
                1 => self.copy_elements::<u8>(src, dst, start, n),
                4 => self.copy_elements::<u32>(src.cast(), dst.cast(), start, n),
                _ => self.copy_elements::<u64>(src.cast(), dst.cast(), start, n),
            }
        }
    }

    /// # Safety
    /// As [`Nest::copy`].
    unsafe fn copy_elements<T: Copy>(&self, src: *const T, dst: *mut T, start: usize, n: usize) {
        // What repeats along an axis is walked once, and doubled in the row.
        let Some(repeated) = (1..self.axes.len()).find(|axis| self.axes[*axis].1 == 0) else {
            // SAFETY: as promised.
            return unsafe { self.walk(src, dst, start, n) };
        };
        let period: usize = self.axes[..repeated].iter().map(|(size, _)| size).product();
        let whole = period * self.axes[repeated].0;
        let mut done = 0;
        while done < n {
            let at = start + done;
            let len = (whole - at % whole).min(n - done);
            let mut copied = period.min(len);
            // SAFETY: as promised; from `at` on `len` elements repeat after `period`, and `copied` is a multiple of that.
            unsafe {
                let dst = dst.add(done);
                self.walk(src, dst, at, copied);
                while copied < len {
                    let more = copied.min(len - copied);
                    dst.copy_to_nonoverlapping(dst.add(copied), more);
                    copied += more;
                }
            }
            done += len;
        }
    }

    /// Copies elements one row of the innermost axis after the other.
    ///
    /// # Safety
    /// As [`Nest::copy`].
    unsafe fn walk<T: Copy>(&self, src: *const T, dst: *mut T, start: usize, n: usize) {
        let Some(((inner, step), outer)) = self.axes.split_first() else {
            // SAFETY: the walk has one element.
            return unsafe { copy_row(src, 0, dst, n) };
        };
        let mut index: SmallVec<[usize; 4]> = SmallVec::new();
        let (mut rest, mut offset) = (start / inner, 0);
        for (size, stride) in outer {
            index.push(rest % size);
            offset += stride * (rest % size).cast_signed();
            rest /= size;
        }
        let (mut column, mut done) = (start % inner, 0);
        while done < n {
            let row = (inner - column).min(n - done);
            // SAFETY: offset and column are those of element `start + done`, and a row has `inner` elements.
            unsafe {
                let from = src.offset(offset + step * column.cast_signed());
                copy_row(from, *step, dst.add(done), row);
            }
            column = 0;
            done += row;
            for ((size, stride), at) in outer.iter().zip(&mut index) {
                *at += 1;
                offset += stride;
                if *at < *size {
                    break;
                }
                offset -= stride * size.cast_signed();
                *at = 0;
            }
        }
    }
}

/// # Safety
/// `src` is readable for `n` elements `step` apart, `dst` writable for `n` elements; they do not overlap.
#[inline(always)]
unsafe fn copy_row<T: Copy>(src: *const T, step: isize, dst: *mut T, n: usize) {
    // A call of memcpy costs as much as the copy of some elements.
    const SHORT: usize = 16;
    // SAFETY: as promised.
    unsafe {
        match step {
            1 if n > SHORT => src.copy_to_nonoverlapping(dst, n),
            0 => {
                let element = src.read();
                (0..n).for_each(|i| dst.add(i).write(element));
            }
            _ => (0..n).for_each(|i| dst.add(i).write(src.offset(step * i.cast_signed()).read())),
        }
    }
}
