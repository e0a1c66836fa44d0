//! The walk of a reduction through its domain, and what happens to the elements on the way.
//! Knows what was made ready, and not how.

use super::arg::Search;
use super::fold::FoldFn;
use super::kernel::{Method, ROWS, Reduce, Source, WIDTH};
use super::order::Order;
use super::tree::{CHUNK, Chunk, Loops, Pairs};
use crate::kernels::lanes::Fault;
use crate::kernels::lanes::tile::Moving;
use std::ops::Range;

/// The chunks that are folded by one call, so that some of them are on the way at once.
const CHUNKS: usize = 8;

/// The operands of one run.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub reduce: &'a Reduce,
    pub inputs: &'a [*const u8],
    pub output: *mut u8,
    pub scratch: *mut u8,
}

/// Each method is as unsafe as [`Reduce::run_range`], for results and elements in the range and the domain.
impl Run<'_> {
    #[inline]
    pub unsafe fn results(self, range: Range<usize>) -> Result<(), Fault> {
        let Reduce { source, order, method, .. } = self.reduce;
        // SAFETY: as promised.
        unsafe {
            if let Method::Fill { value, loops } = method {
                let value = std::ptr::from_ref(&**value).cast();
                let dst = self.output.add(range.start * loops.size);
                (loops.copy)(dst, value, value, value, range.len(), Moving(0));
                return Ok(());
            }
            if let Source::Code(code) = source {
                code.prepare(self.inputs, &[self.tile()], self.scratch)?;
            }
            if order.inner == 1 {
                return match method {
                    Method::Tree { fold, loops } => self.fold_rows(range, *fold, *loops),
                    Method::Search(search) => self.search_rows(range, *search),
                    Method::Fill { .. } => Ok(()),
                };
            }
            let mut at = range.start;
            while at < range.end {
                let (outer, inner) = (at / order.inner, at % order.inner);
                let width = WIDTH.min(order.inner - inner).min(range.end - at);
                match method {
                    Method::Tree { loops, .. } => self.fold_columns(outer, inner, width, *loops)?,
                    Method::Search(search) => self.search_columns(outer, inner, width, *search)?,
                    Method::Fill { .. } => {}
                }
                at += width;
            }
            Ok(())
        }
    }

    /// Where code writes its tiles.
    fn tile(self) -> *mut u8 {
        self.scratch.wrapping_add(self.reduce.scratch.tile)
    }

    fn lanes(self) -> *mut u8 {
        self.scratch.wrapping_add(self.reduce.scratch.lanes)
    }

    /// Some elements of the walk, at most [`Source::reach`].
    #[inline]
    unsafe fn elements(self, start: usize, n: usize) -> Result<*const u8, Fault> {
        match &self.reduce.source {
            Source::Memory(input) => Ok(self.inputs[*input].wrapping_add(start * self.reduce.size)),
            Source::Code(code) => {
                let tile = self.tile();
                // SAFETY: as promised; the scratch has room for a tile after what the code needs.
                unsafe { code.tile(self.inputs, &[tile], self.scratch, start, n) }?;
                Ok(tile)
            }
        }
    }

    /// Results whose elements follow each other in the walk.
    #[inline]
    unsafe fn fold_rows(
        self,
        range: Range<usize>,
        fold: FoldFn,
        loops: Loops,
    ) -> Result<(), Fault> {
        let Reduce { source, order: Order { reduced, .. }, .. } = self.reduce;
        let mut at = range.start;
        // SAFETY: as promised.
        unsafe {
            while *reduced <= CHUNK && at < range.end {
                let rows = (source.reach() / reduced).min(range.end - at);
                let src = self.elements(at * reduced, rows * reduced)?;
                fold(self.output.add(at * loops.size), src, rows, *reduced);
                at += rows;
            }
            while at < range.end {
                self.fold_row(at, fold, loops)?;
                at += 1;
            }
        }
        Ok(())
    }

    /// A result of more elements than a chunk has.
    unsafe fn fold_row(self, row: usize, fold: FoldFn, loops: Loops) -> Result<(), Fault> {
        let reduced = self.reduce.order.reduced;
        let chunks = (self.reduce.source.reach() / CHUNK).min(CHUNKS);
        let mut pairs = self.pairs(loops, 1);
        let mut at = 0;
        while at < reduced {
            // The last chunk may be a part of one.
            let (rows, len) = match (reduced - at) / CHUNK {
                0 => (1, reduced - at),
                whole => (whole.min(chunks), CHUNK),
            };
            // SAFETY: the elements are those of the row; the lanes have room for a result of each chunk.
            unsafe {
                let src = self.elements(row * reduced + at, rows * len)?;
                fold(self.lanes(), src, rows, len);
                for chunk in 0..rows {
                    pairs.take(self.lanes().add(chunk * loops.size));
                }
            }
            at += rows * len;
        }
        // SAFETY: there was a chunk.
        unsafe { pairs.fold(self.output.add(row * loops.size)) };
        Ok(())
    }

    fn pairs(self, loops: Loops, width: usize) -> Pairs {
        let memory = self.scratch.wrapping_add(self.reduce.scratch.pairs);
        Pairs { loops, memory, width, taken: 0 }
    }

    /// Results side by side, whose elements are columns of the walk.
    unsafe fn fold_columns(
        self,
        outer: usize,
        inner: usize,
        width: usize,
        loops: Loops,
    ) -> Result<(), Fault> {
        let order = &self.reduce.order;
        let mut chunk = Chunk { loops, memory: self.lanes(), width, taken: 0 };
        let mut pairs = self.pairs(loops, width);
        let mut row = 0;
        while row < order.reduced {
            let left = (CHUNK - chunk.taken).min(order.reduced - row);
            let rows = self.rows_at_once(width).min(left);
            let start = (outer * order.reduced + row) * order.inner + inner;
            // SAFETY: the rows are of the chunk, and follow each other if there are several.
            unsafe {
                let src = self.elements(start, rows * width)?;
                chunk.take(src, rows);
                row += rows;
                if rows == left {
                    pairs.take(chunk.fold());
                }
            }
        }
        let dst = (outer * order.inner + inner) * loops.size;
        // SAFETY: there was a chunk.
        unsafe { pairs.fold(self.output.add(dst)) };
        Ok(())
    }

    /// The rows of so many columns that follow each other and that there can be at once.
    fn rows_at_once(self, width: usize) -> usize {
        if width == self.reduce.order.inner { self.reduce.source.reach() / width } else { 1 }
    }

    #[inline]
    unsafe fn search_rows(self, range: Range<usize>, search: Search) -> Result<(), Fault> {
        let Reduce { source, order: Order { reduced, .. }, .. } = self.reduce;
        let len = source.reach().min(*reduced);
        let mut row = range.start;
        while row < range.end {
            let rows = (source.reach() / len).min(range.end - row).min(ROWS);
            let index = self.output.cast::<i64>().wrapping_add(row);
            let mut at = 0;
            while at < *reduced {
                let n = len.min(reduced - at);
                // SAFETY: as promised; there are several rows only if they are searched whole.
                unsafe {
                    let src = self.elements(row * reduced + at, rows * n)?;
                    (search.rows)(self.lanes(), index, src, rows, n, at);
                }
                at += n;
            }
            row += rows;
        }
        Ok(())
    }

    unsafe fn search_columns(
        self,
        outer: usize,
        inner: usize,
        width: usize,
        search: Search,
    ) -> Result<(), Fault> {
        let order = &self.reduce.order;
        let index = self.output.cast::<i64>().wrapping_add(outer * order.inner + inner);
        let mut row = 0;
        while row < order.reduced {
            let rows = self.rows_at_once(width).min(order.reduced - row);
            let start = (outer * order.reduced + row) * order.inner + inner;
            // SAFETY: as promised; the rows follow each other if there are several.
            unsafe {
                let src = self.elements(start, rows * width)?;
                (search.columns)(self.lanes(), index, src, rows, width, row);
            }
            row += rows;
        }
        Ok(())
    }
}
