//! A loop over the elements of a tile, made of a function of one element and compiled for each instruction set.
//! Knows no instruction of lane programs.

use crate::kernels::{Isa, wide_versions};

/// The elements that a loop computes between reading its operands and writing its results.
///
/// Blocks are computed into registers before they are stored, so that a result may stand where an operand stood; and
/// an operand that is the same for all elements is one block of copies that the loop reads again and again.
pub(in crate::kernels) const BLOCK: usize = 64;

/// A compiled loop: destination, three operands (those that it does not take are not read), the number of elements,
/// and which operands move on. Gives the number of elements before the first fault, which is all if there is none.
pub(in crate::kernels) type TileFn =
    unsafe fn(*mut u8, *const u8, *const u8, *const u8, usize, Moving) -> usize;

/// Which operands have an element for each result: bit `i` is operand `i`. The others repeat one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kernels) struct Moving(pub u8);

impl Moving {
    /// All operands.
    pub const ALL: Moving = Moving(0b111);

    #[inline(always)]
    fn step(self, operand: u8) -> usize {
        usize::from(self.0 >> operand & 1) * BLOCK
    }
}

/// A function of one element: its operands (`()` where there are fewer than three) and its result.
pub(in crate::kernels) trait Map {
    /// The type of the first operand.
    type A: Copy;
    /// The type of the second operand.
    type B: Copy;
    /// The type of the third operand.
    type C: Copy;
    /// The type of the result.
    type R: Copy + Default;
    /// Whether some operands are faults.
    const FAULTS: bool = false;
    /// Whether some operands are redone by a scalar routine.
    const REDOES: bool = false;

    /// The result; anything for operands that are a fault.
    fn map(a: Self::A, b: Self::B, c: Self::C) -> Self::R;

    /// Whether these operands are a fault.
    #[inline(always)]
    fn fault(_a: Self::A, _b: Self::B) -> bool {
        false
    }

    /// The scalar routine for an operand that the function is not made for.
    #[inline(always)]
    fn redo(_a: Self::A) -> Option<fn(Self::A) -> Self::R> {
        None
    }
}

/// The loop over a function, compiled for an instruction set that the processor has.
pub(in crate::kernels) fn compiled<M: Map>(isa: Isa) -> TileFn {
    compiled_as::<M, M>(isa)
}

/// The loop over one function for the baseline, or over another for the wide instruction sets.
pub(in crate::kernels) fn compiled_as<Baseline: Map, Wide: Map>(isa: Isa) -> TileFn {
    wide::<Wide>(isa).unwrap_or(each::<Baseline>)
}

/// The loop over a function that no instruction set does many of at once, such as a division of integers.
pub(in crate::kernels) fn scalar<M: Map>() -> TileFn {
    each::<M>
}

wide_versions!(
    wide<M: Map> -> TileFn =
        each(dst: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, moving: Moving) -> usize
);

/// The plain loop.
///
/// # Safety
/// `dst` is writable for `n` elements of `M::R`; each operand is readable for `n` elements of its type, or for
/// a block if it does not move. All are aligned for their elements. `dst` may be an operand with elements of the same
/// size, and overlaps operands in no other way.
#[inline(always)]
unsafe fn each<M: Map>(
    dst: *mut u8,
    a: *const u8,
    b: *const u8,
    c: *const u8,
    n: usize,
    moving: Moving,
) -> usize {
    let (mut dst, mut a, mut b, mut c) =
        (dst.cast::<M::R>(), a.cast::<M::A>(), b.cast::<M::B>(), c.cast::<M::C>());
    let mut left = n;
    // SAFETY: `left` elements are still to be computed, and the pointers stand at the first of them; a block that
    // repeats is read up to its own length, since what is left after the loop is shorter than a block.
    unsafe {
        while left >= BLOCK {
            if M::FAULTS
                && let Some(at) = first_fault::<M>(a, b, BLOCK)
            {
                return n - left + at;
            }
            block::<M, BLOCK>(dst, a, b, c);
            dst = dst.add(BLOCK);
            a = a.add(moving.step(0));
            b = b.add(moving.step(1));
            c = c.add(moving.step(2));
            left -= BLOCK;
        }
        if M::FAULTS
            && let Some(at) = first_fault::<M>(a, b, left)
        {
            return n - left + at;
        }
        let mut at = 0;
        while left - at >= 8 {
            block::<M, 8>(dst.add(at), a.add(at), b.add(at), c.add(at));
            at += 8;
            not_vectorised();
        }
        while at < left {
            block::<M, 1>(dst.add(at), a.add(at), b.add(at), c.add(at));
            at += 1;
            not_vectorised();
        }
    }
    n
}

/// Keeps the optimiser from vectorising the loop around it, which for few elements costs more than it gains.
#[inline(always)]
pub(in crate::kernels) fn not_vectorised() {
    std::hint::black_box(());
}

/// # Safety
/// As [`each`] with `N` elements.
#[inline(always)]
unsafe fn block<M: Map, const N: usize>(
    dst: *mut M::R,
    a: *const M::A,
    b: *const M::B,
    c: *const M::C,
) {
    let mut results = [M::R::default(); N];
    for (i, result) in results.iter_mut().enumerate() {
        // SAFETY: there are N elements.
        *result = unsafe { M::map(*a.add(i), *b.add(i), *c.add(i)) };
    }
    if M::REDOES {
        // Asked for all before any is redone, so that the common answer is a few vector comparisons.
        // SAFETY: there are N elements.
        let any = (0..N).fold(false, |any, i| any | unsafe { M::redo(*a.add(i)) }.is_some());
        if any {
            for (i, result) in results.iter_mut().enumerate() {
                // SAFETY: there are N elements.
                let x = unsafe { *a.add(i) };
                if let Some(scalar) = M::redo(x) {
                    *result = scalar(x);
                }
            }
        }
    }
    // SAFETY: there are N elements, and an array is aligned as its elements.
    unsafe { dst.cast::<[M::R; N]>().write(results) };
}

/// # Safety
/// As [`each`].
#[inline(always)]
unsafe fn first_fault<M: Map>(a: *const M::A, b: *const M::B, n: usize) -> Option<usize> {
    // SAFETY: there are n elements.
    (0..n).find(|i| unsafe { M::fault(*a.add(*i), *b.add(*i)) })
}
