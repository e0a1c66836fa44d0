//! The summation tree: which elements are added to which, decided by their number alone.
//! Knows elements in vectors of any width, one tree for each of their columns, and not where they come from.
//!
//! Elements are taken in chunks of [`CHUNK`]; in a chunk, lane `l` takes the elements `l`, `l + LANES`, and so on; lanes
//! are added in halves, `l` and `l + 8` first; and the results of chunks are added in pairs, and pairs of pairs.

use super::fold::LANES;
use crate::kernels::lanes::tile::{Moving, TileFn};

/// The elements of a chunk.
pub(super) const CHUNK: usize = 1024;

/// The loops that a tree is made of.
#[derive(Clone, Copy)]
pub(super) struct Loops {
    /// Makes one element of two.
    pub combine: TileFn,
    pub copy: TileFn,
    /// The bytes of an element.
    pub size: usize,
}

impl Loops {
    /// # Safety
    /// Both are vectors of `n` elements, and apart.
    unsafe fn copy(&self, dst: *mut u8, src: *const u8, n: usize) {
        // SAFETY: as promised; the operands that a copy does not take are not read.
        unsafe { (self.copy)(dst, src, src, src, n, Moving::ALL) };
    }

    /// # Safety
    /// All are vectors of `n` elements; `dst` may be one of the others.
    unsafe fn combine(&self, dst: *mut u8, left: *const u8, right: *const u8, n: usize) {
        // SAFETY: as promised; the operand that the loop does not take is not read.
        unsafe { (self.combine)(dst, left, right, right, n, Moving::ALL) };
    }
}

/// A chunk of vectors on the way: `LANES` vectors in memory, one after the other, are its lanes.
pub(super) struct Chunk {
    pub loops: Loops,
    pub memory: *mut u8,
    /// The elements of a vector.
    pub width: usize,
    /// The vectors taken so far.
    pub taken: usize,
}

impl Chunk {
    /// Takes the next vectors of the chunk.
    ///
    /// # Safety
    /// `src` is readable for `count` vectors, one after the other, and apart from the lanes.
    pub unsafe fn take(&mut self, mut src: *const u8, count: usize) {
        let end = self.taken + count;
        while self.taken < end {
            let lane = self.taken % LANES;
            let vectors = (LANES - lane).min(end - self.taken);
            let n = vectors * self.width;
            // SAFETY: the lanes have room for the vectors from `lane` on, and `src` has as many.
            unsafe {
                let lane = self.memory.add(lane * self.width * self.loops.size);
                if self.taken < LANES {
                    self.loops.copy(lane, src, n);
                } else {
                    self.loops.combine(lane, lane, src, n);
                }
                src = src.add(n * self.loops.size);
            }
            self.taken += vectors;
        }
    }

    /// Makes one vector of all lanes, the first, and is ready for the next chunk.
    ///
    /// # Safety
    /// A vector was taken.
    pub unsafe fn fold(&mut self) -> *mut u8 {
        let mut used = self.taken.min(LANES);
        for half in [8, 4, 2, 1] {
            if used > half {
                // SAFETY: the lanes from `half` to `used` were written, and are apart from those before.
                unsafe {
                    let upper = self.memory.add(half * self.width * self.loops.size);
                    self.loops.combine(self.memory, self.memory, upper, (used - half) * self.width);
                }
                used = half;
            }
        }
        self.taken = 0;
        self.memory
    }
}

/// The results of chunks, added in pairs as the carries of a binary counter: level `i` holds `2^i` chunks.
pub(super) struct Pairs {
    pub loops: Loops,
    pub memory: *mut u8,
    /// The elements of a vector.
    pub width: usize,
    /// The vectors taken so far.
    pub taken: usize,
}

impl Pairs {
    /// The levels that so many elements need.
    pub fn levels(elements: usize) -> usize {
        (usize::BITS - elements.div_ceil(CHUNK).leading_zeros()) as usize
    }

    /// Takes the result of the next chunk, and overwrites it.
    ///
    /// # Safety
    /// `vector` is writable and apart from the memory, which has room for the levels of all elements.
    pub unsafe fn take(&mut self, vector: *mut u8) {
        // SAFETY: the levels below the lowest zero of the count hold vectors; that level is free.
        unsafe {
            let full = self.taken.trailing_ones() as usize;
            for level in 0..full {
                self.loops.combine(vector, self.level(level), vector, self.width);
            }
            self.loops.copy(self.level(full), vector, self.width);
        }
        self.taken += 1;
    }

    /// Adds what the levels hold, the least first, into `dst`, and is ready for the next elements.
    ///
    /// # Safety
    /// A vector was taken; `dst` is writable and apart from the memory.
    pub unsafe fn fold(&mut self, dst: *mut u8) {
        let lowest = self.taken.trailing_zeros() as usize;
        // SAFETY: the levels of the ones of the count hold vectors.
        unsafe {
            self.loops.copy(dst, self.level(lowest), self.width);
            for level in lowest + 1..usize::BITS as usize {
                if self.taken >> level & 1 == 1 {
                    self.loops.combine(dst, self.level(level), dst, self.width);
                }
            }
        }
        self.taken = 0;
    }

    unsafe fn level(&self, level: usize) -> *mut u8 {
        // SAFETY: the caller uses levels that there is room for.
        unsafe { self.memory.add(level * self.width * self.loops.size) }
    }
}
