//! Element-wise kernels: a lane program over all elements of its outputs, tile after tile.
//! Knows no threads and no allocation; its caller brings the memory.

use super::Program;
use super::code::{Code, Fault, Feed, TILE};
use super::compile::{Outputs, compile};
use crate::error::{Error, Result};
use crate::kernels::Isa;
use crate::value::Layout;
use smallvec::SmallVec;
use std::ops::Range;

/// A lane program made ready for operands of given layouts.
///
/// Its inputs are broadcast to the sizes of the outputs, which are in row-major order.
pub struct Lanes {
    code: Code,
    sizes: SmallVec<[usize; 4]>,
    len: usize,
}

impl Lanes {
    /// Makes a program ready for inputs of these layouts and outputs of these sizes.
    ///
    /// # Panics
    /// If an input does not broadcast to the sizes, or an instruction does not take the type of its operands.
    pub fn new(program: &Program, sizes: &[usize], inputs: &[Layout]) -> Lanes {
        Lanes::with_isa(program, sizes, inputs, Isa::best())
    }

    /// As [`Lanes::new`], for an instruction set that the processor has.
    pub(in crate::kernels) fn with_isa(
        program: &Program,
        sizes: &[usize],
        inputs: &[Layout],
        isa: Isa,
    ) -> Lanes {
        assert!(isa <= Isa::best(), "{isa:?} is not there");
        assert!(
            program.inputs().iter().eq(inputs.iter().map(Layout::dtype).collect::<Vec<_>>().iter()),
            "the program takes {:?}",
            program.inputs()
        );
        let feeds: Vec<Feed> =
            inputs.iter().map(|input| Feed::new(sizes, &input.broadcast_to(sizes))).collect();
        Lanes {
            code: compile(program, &feeds, Outputs::Rows, isa),
            sizes: sizes.into(),
            len: sizes.iter().product(),
        }
    }

    /// The bytes of scratch that each thread of a run needs.
    pub fn scratch(&self) -> usize {
        self.code.scratch()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Computes all elements.
    ///
    /// # Errors
    /// A division of integers by zero, or an integer power with a negative exponent; outputs may be half written.
    ///
    /// # Safety
    /// The pointers stand at the first elements of operands of the layouts that the kernel was made for, aligned for
    /// their elements; inputs are readable and hold elements of their types. An output may be an input of the same
    /// type that is in row-major order of the kernel's sizes; outputs overlap nothing otherwise. `scratch` is aligned
    /// to 64 and writable for [`Lanes::scratch`] bytes.
    #[inline]
    pub unsafe fn run(
        &self,
        inputs: &[*const u8],
        outputs: &[*mut u8],
        scratch: *mut u8,
    ) -> Result<()> {
        // SAFETY: as promised.
        unsafe { self.run_range(0..self.len, inputs, outputs, scratch) }
    }

    /// Computes some elements, in row-major order: the share of a thread.
    ///
    /// # Errors
    /// As [`Lanes::run`].
    ///
    /// # Safety
    /// As [`Lanes::run`]; the range lies in `0..len`, and no other thread uses this scratch or computes these elements.
    #[inline]
    pub unsafe fn run_range(
        &self,
        range: Range<usize>,
        inputs: &[*const u8],
        outputs: &[*mut u8],
        scratch: *mut u8,
    ) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        // SAFETY: as promised.
        let done = unsafe { self.code.prepare(inputs, outputs, scratch) };
        done.map_err(|fault| self.complaint(fault))?;
        let mut start = range.start;
        while start < range.end {
            let n = TILE.min(range.end - start);
            // SAFETY: as promised; the tile lies in the range.
            let done = unsafe { self.code.tile(inputs, outputs, scratch, start, n) };
            done.map_err(|fault| self.complaint(fault))?;
            start += n;
        }
        Ok(())
    }

    #[cold]
    fn complaint(&self, fault: Fault) -> Error {
        let mut rest = fault.element;
        let mut index: SmallVec<[usize; 4]> = SmallVec::from_elem(0, self.sizes.len());
        for (at, size) in index.iter_mut().zip(&self.sizes).rev() {
            *at = rest % size;
            rest /= size;
        }
        fault.error(&index)
    }
}
