//! Where the largest or smallest element of a row is: the first NaN, else the first of the extreme ones.
//! Knows elements that come in order, and no axes.

use crate::kernels::ReduceKind;
use crate::kernels::lanes::tile::Number;
use crate::kernels::{Isa, wide_versions};
use crate::types::DType;
use std::marker::PhantomData;

/// A compiled search that goes on: the best elements so far and their indices, the next elements, two numbers, and
/// the index of the first of the next elements; where that is 0, there is nothing best so far.
pub(super) type SearchFn = unsafe fn(*mut u8, *mut i64, *const u8, usize, usize, usize);

/// The two ways through the elements.
#[derive(Clone, Copy)]
pub(super) struct Search {
    /// Through rows that follow each other, each a search of its own: their number and their length, not zero.
    pub rows: SearchFn,
    /// Through rows with an element of each search: their number and their length.
    pub columns: SearchFn,
}

/// The search of a kind, on elements of a type as they are in memory.
///
/// # Panics
/// If the kind keeps no index.
pub(super) fn search(kind: ReduceKind, dtype: DType, isa: Isa) -> Search {
    macro_rules! of {
        ($order:ident) => {
            match dtype {
                DType::F32 => compiled::<$order<f32>>(isa),
                DType::F64 => compiled::<$order<f64>>(isa),
                DType::I32 => compiled::<$order<i32>>(isa),
                DType::I64 => compiled::<$order<i64>>(isa),
                DType::U8 | DType::Bool => compiled::<$order<u8>>(isa),
            }
        };
    }
    match kind {
        ReduceKind::ArgMax => of!(Above),
        ReduceKind::ArgMin => of!(Below),
        _ => panic!("{kind:?} keeps no index"),
    }
}

/// Enough elements to ask at once whether any is better; mostly none is.
const BLOCK: usize = 64;

/// Which of two elements is better.
trait Order {
    type T: Number;
    /// Whether an element takes the place of one that came before it.
    fn is_better(element: Self::T, best: Self::T) -> bool;
}

struct Above<T>(PhantomData<T>);

impl<T: Number> Order for Above<T> {
    type T = T;
    #[inline(always)]
    fn is_better(element: T, best: T) -> bool {
        element > best || (element.is_nan() && !best.is_nan())
    }
}

struct Below<T>(PhantomData<T>);

impl<T: Number> Order for Below<T> {
    type T = T;
    #[inline(always)]
    fn is_better(element: T, best: T) -> bool {
        element < best || (element.is_nan() && !best.is_nan())
    }
}

fn compiled<O: Order>(isa: Isa) -> Search {
    Search {
        rows: wide_rows::<O>(isa).unwrap_or(rows::<O>),
        columns: wide_columns::<O>(isa).unwrap_or(columns::<O>),
    }
}

wide_versions!(
    wide_rows<O: Order> -> SearchFn =
        rows(best: *mut u8, index: *mut i64, src: *const u8, count: usize, len: usize, first: usize)
);
wide_versions!(
    wide_columns<O: Order> -> SearchFn =
        columns(best: *mut u8, index: *mut i64, src: *const u8, count: usize, len: usize, first: usize)
);

/// # Safety
/// `best` and `index` are writable for `count` elements, `src` is readable for `count * len`; all are aligned, and
/// apart. Unless `first` is 0, `best` and `index` hold what was found before.
#[inline(always)]
unsafe fn rows<O: Order>(
    best: *mut u8,
    index: *mut i64,
    src: *const u8,
    count: usize,
    len: usize,
    first: usize,
) {
    let (best, src) = (best.cast::<O::T>(), src.cast::<O::T>());
    for row in 0..count {
        // SAFETY: the row lies in the elements that are readable, and has a place in the others.
        unsafe {
            let src = src.add(row * len);
            let found = if first == 0 { (*src, 0) } else { (*best.add(row), *index.add(row)) };
            let (mut top, mut place) = found;
            let mut at = 0;
            while at < len {
                let block = at..len.min(at + BLOCK);
                at = block.end;
                if block.len() == BLOCK
                    && !block.clone().fold(false, |any, i| any | O::is_better(*src.add(i), top))
                {
                    continue;
                }
                for i in block {
                    if O::is_better(*src.add(i), top) {
                        top = *src.add(i);
                        place = (first + i).cast_signed() as i64;
                    }
                }
            }
            best.add(row).write(top);
            index.add(row).write(place);
        }
    }
}

/// # Safety
/// `best` and `index` are writable for `len` elements, `src` is readable for `count * len`; all are aligned, and
/// apart. Unless `first` is 0, `best` and `index` hold what was found before.
#[inline(always)]
unsafe fn columns<O: Order>(
    best: *mut u8,
    index: *mut i64,
    src: *const u8,
    count: usize,
    len: usize,
    first: usize,
) {
    let (best, src) = (best.cast::<O::T>(), src.cast::<O::T>());
    for row in 0..count {
        let mut at = 0;
        while at < len {
            let block = at..len.min(at + BLOCK);
            at = block.end;
            // SAFETY: there are `count` rows of `len` elements, and as many best ones and indices as columns.
            unsafe {
                let src = src.add(row * len);
                if first + row > 0
                    && !block
                        .clone()
                        .fold(false, |any, i| any | O::is_better(*src.add(i), *best.add(i)))
                {
                    continue;
                }
                for i in block {
                    if first + row == 0 || O::is_better(*src.add(i), *best.add(i)) {
                        best.add(i).write(*src.add(i));
                        index.add(i).write((first + row).cast_signed() as i64);
                    }
                }
            }
        }
    }
}
