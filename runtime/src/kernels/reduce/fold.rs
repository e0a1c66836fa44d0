//! Folds of rows that follow each other in memory: 16 lanes, then halves. Knows no rows longer than a chunk.

use crate::kernels::ReduceKind;
use crate::kernels::lanes::tile::{Number, not_vectorised};
use crate::kernels::{Isa, wide_versions};
use crate::types::DType;
use std::marker::PhantomData;

/// Lane `l` of a fold takes the elements `l`, `l + LANES`, and so on, in order.
pub(super) const LANES: usize = 16;

/// A compiled fold: where the results go, one for each row; the first element of the first row; the number of rows,
/// which follow each other; and their length, which is not zero.
pub(super) type FoldFn = unsafe fn(*mut u8, *const u8, usize, usize);

/// The fold of a kind, on elements of a type as they are in memory.
///
/// # Panics
/// If the kind does not take the type, or keeps an index.
pub(super) fn fold(kind: ReduceKind, dtype: DType, isa: Isa) -> FoldFn {
    macro_rules! of {
        ($fold:ident) => {
            match dtype {
                DType::F32 => compiled::<$fold<f32>>(isa),
                DType::F64 => compiled::<$fold<f64>>(isa),
                DType::I32 => compiled::<$fold<i32>>(isa),
                DType::I64 => compiled::<$fold<i64>>(isa),
                DType::U8 | DType::Bool => compiled::<$fold<u8>>(isa),
            }
        };
    }
    match kind {
        ReduceKind::Sum => of!(Sum),
        ReduceKind::Prod => of!(Prod),
        ReduceKind::Max => of!(Max),
        ReduceKind::Min => of!(Min),
        ReduceKind::Any => compiled::<Max<u8>>(isa),
        ReduceKind::All => compiled::<Min<u8>>(isa),
        ReduceKind::ArgMax | ReduceKind::ArgMin => panic!("{kind:?} keeps an index"),
    }
}

/// How two elements become one.
trait Fold {
    type T: Number;
    fn fold(left: Self::T, right: Self::T) -> Self::T;
}

macro_rules! folds {
    ($($name:ident($x:ident, $y:ident) = $result:expr;)*) => {$(
        struct $name<T>(PhantomData<T>);

        impl<T: Number> Fold for $name<T> {
            type T = T;
            #[inline(always)]
            fn fold($x: T, $y: T) -> T {
                $result
            }
        }
    )*};
}
folds! {
    Sum(x, y) = x.add(y);
    Prod(x, y) = x.mul(y);
    Max(x, y) = x.max(y);
    Min(x, y) = x.min(y);
}

fn compiled<F: Fold>(isa: Isa) -> FoldFn {
    wide::<F>(isa).unwrap_or(rows::<F>)
}

wide_versions!(wide<F: Fold> -> FoldFn = rows(dst: *mut u8, src: *const u8, count: usize, len: usize));

/// The rows that are folded side by side, since each addition waits for the one before in its lane.
const BESIDE: usize = 4;

/// # Safety
/// `src` is readable for `count * len` elements of `F::T`, `dst` writable for `count`; both are aligned, and apart.
#[inline(always)]
unsafe fn rows<F: Fold>(dst: *mut u8, src: *const u8, count: usize, len: usize) {
    let (dst, src) = (dst.cast::<F::T>(), src.cast::<F::T>());
    let mut row = 0;
    // SAFETY: each row lies in the elements that are readable, and has a result that is writable.
    unsafe {
        if len >= LANES {
            while count - row >= BESIDE {
                let results = long::<F, BESIDE>(src.add(row * len), len);
                dst.add(row).cast::<[F::T; BESIDE]>().write(results);
                row += BESIDE;
            }
            while row < count {
                let [result] = long::<F, 1>(src.add(row * len), len);
                dst.add(row).write(result);
                row += 1;
            }
        } else {
            while count - row >= LANES {
                let results = short::<F, LANES>(src.add(row * len), len);
                dst.add(row).cast::<[F::T; LANES]>().write(results);
                row += LANES;
            }
            while row < count {
                let [result] = short::<F, 1>(src.add(row * len), len);
                dst.add(row).write(result);
                row += 1;
            }
        }
    }
}

/// The folds of `N` rows of at least `LANES` elements.
///
/// # Safety
/// `src` is readable for `N * len` elements.
#[inline(always)]
unsafe fn long<F: Fold, const N: usize>(src: *const F::T, len: usize) -> [F::T; N] {
    let mut lanes = [[F::T::default(); LANES]; N];
    // SAFETY: all elements that are read are among the first `len` of a row.
    unsafe {
        for (row, lanes) in lanes.iter_mut().enumerate() {
            *lanes = src.add(row * len).cast::<[F::T; LANES]>().read();
        }
        let mut at = LANES;
        while len - at >= LANES {
            for (row, lanes) in lanes.iter_mut().enumerate() {
                for (l, lane) in lanes.iter_mut().enumerate() {
                    *lane = F::fold(*lane, *src.add(row * len + at + l));
                }
            }
            at += LANES;
        }
        for (row, lanes) in lanes.iter_mut().enumerate() {
            for (l, lane) in lanes[..len - at].iter_mut().enumerate() {
                *lane = F::fold(*lane, *src.add(row * len + at + l));
            }
        }
    }
    lanes.map(|mut lanes| {
        for half in [8, 4, 2, 1] {
            for l in 0..half {
                lanes[l] = F::fold(lanes[l], lanes[l + half]);
            }
        }
        lanes[0]
    })
}

/// The folds of `N` rows of fewer than `LANES` elements, side by side: each element has a lane to itself.
///
/// # Safety
/// `src` is readable for `N * len` elements.
#[inline(always)]
unsafe fn short<F: Fold, const N: usize>(src: *const F::T, len: usize) -> [F::T; N] {
    let mut lanes = [[F::T::default(); N]; LANES];
    for row in 0..N {
        for (l, lane) in lanes[..len].iter_mut().enumerate() {
            // SAFETY: there are `N` rows of `len` elements.
            lane[row] = unsafe { *src.add(row * len + l) };
            if N > 1 {
                // Gathers are slower than these single reads.
                not_vectorised();
            }
        }
    }
    let mut used = len;
    for half in [8_usize, 4, 2, 1] {
        let (lower, upper) = lanes[..used].split_at_mut(half.min(used));
        for (lane, other) in lower.iter_mut().zip(upper) {
            for (x, y) in lane.iter_mut().zip(other) {
                *x = F::fold(*x, *y);
            }
        }
        used = used.min(half);
    }
    lanes[0]
}
