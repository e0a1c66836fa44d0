//! Products of a vector and a matrix, which lies along rows or along columns.
//! Knows one order of summation for both: `LANES` sums, each over every `LANES`-th element, added pair by pair.

use super::direct::Product;
use super::simd::{Family, Number, Simd};

/// How many sums there are: enough to keep a processor busy that waits four steps for each.
const LANES: usize = 16;

/// How many columns are in a strip: their sums fill half of a first-level cache of 32 KiB, for `f32`
/// (benches/kernels.rs, `matmul 1x1000x1000`).
const STRIP: usize = 256;
/// How many rows of a strip are read at once, so that memory is asked for more than one run at a time.
const ROWS: usize = 4;

/// Multiplies a row (`m == 1`, its elements side by side) by a matrix whose steps are 1 along one axis.
///
/// # Safety
/// The processor has the family's instruction set; all that sizes and steps reach is readable, and the output, which
/// overlaps no operand, writable.
#[inline(always)]
pub(super) unsafe fn multiply<F: Family>(product: Product<F::Number>) {
    debug_assert!(product.m == 1 && (product.a_steps[1] == 1 || product.k < 2));
    // SAFETY: the caller's promise; the width is at most the number of columns.
    unsafe {
        match product.n {
            _ if product.b_steps[0] == 1 => dots::<F>(product),
            n if n >= F::Wide::WIDTH => {
                let begin = strips::<F::Wide>(&product);
                columns::<F::Wide>(product, begin);
            }
            n if n >= F::Half::WIDTH => columns::<F::Half>(product, 0),
            n if n >= F::Quarter::WIDTH => columns::<F::Quarter>(product, 0),
            _ => columns::<F::One>(product, 0),
        }
    }
}

/// Columns lie side by side and are many: strips of them, whose sums wait in the nearest cache, so that memory is
/// read in long runs. Gives the first column that is not done.
#[inline(always)]
unsafe fn strips<V: Simd>(product: &Product<V::Number>) -> usize {
    let Product { k, n, a, b, b_steps: [b_step, _], c, .. } = *product;
    let whole = n / STRIP * STRIP;
    for begin in (0..whole).step_by(STRIP) {
        let mut sums = [[V::Number::ZERO; STRIP]; LANES];
        // SAFETY: the strip lies within the matrix, each step of `k` within the operands, and vectors within strips.
        unsafe {
            let mut at = 0;
            while at + ROWS <= k {
                add::<V, ROWS>(
                    a.add(at),
                    b.offset(at.cast_signed() * b_step).add(begin),
                    b_step,
                    &mut sums[at % LANES..],
                );
                at += ROWS;
            }
            while at < k {
                add::<V, 1>(
                    a.add(at),
                    b.offset(at.cast_signed() * b_step).add(begin),
                    b_step,
                    &mut sums[at % LANES..],
                );
                at += 1;
            }
            for column in (0..STRIP).step_by(V::WIDTH) {
                let lane = |at: usize| V::load(sums[at].as_ptr().add(column));
                total(std::array::from_fn(lane)).store(c.add(begin + column));
            }
        }
    }
    whole
}

/// Adds the products of some rows of a strip, each to the sums of its own lane.
#[inline(always)]
unsafe fn add<V: Simd, const R: usize>(
    a: *const V::Number,
    b: *const V::Number,
    b_step: isize,
    sums: &mut [[V::Number; STRIP]],
) {
    // SAFETY: the rows and the strip lie within the operands, and vectors within strips.
    unsafe {
        let factors: [V; R] = std::array::from_fn(|row| V::splat(a.add(row).read()));
        for column in (0..STRIP).step_by(V::WIDTH) {
            for (row, factor) in factors.iter().enumerate() {
                let numbers = V::load(b.offset(row.cast_signed() * b_step).add(column));
                let sum = sums[row].as_mut_ptr().add(column);
                factor.times_plus(numbers, V::load(sum)).store(sum);
            }
        }
    }
}

/// Columns lie side by side: a vector of those from `begin` on at a time, the last one overlapping what is done.
#[inline(always)]
unsafe fn columns<V: Simd>(product: Product<V::Number>, begin: usize) {
    let Product { k, n, a, b, b_steps: [b_step, _], c, .. } = product;
    for index in 0..(n - begin).div_ceil(V::WIDTH) {
        let column = (begin + index * V::WIDTH).min(n - V::WIDTH);
        // SAFETY: the columns lie within the matrix, and each step of `k` within the operands.
        unsafe {
            let mut sums = [V::splat(V::Number::ZERO); LANES];
            let mut b = b.add(column);
            let mut begin = 0;
            while begin < k {
                let lanes = LANES.min(k - begin);
                let step = |at: usize, sum: V| {
                    let factor = V::splat(a.add(begin + at).read());
                    factor.times_plus(V::load(b.offset(at.cast_signed() * b_step)), sum)
                };
                if lanes == LANES {
                    // The count is known here, so that the sums stay in registers.
                    (0..LANES).for_each(|at| sums[at] = step(at, sums[at]));
                } else {
                    (0..lanes).for_each(|at| sums[at] = step(at, sums[at]));
                }
                b = b.wrapping_offset(LANES.cast_signed() * b_step);
                begin += LANES;
            }
            total(sums).store(c.add(column));
        }
    }
}

/// The elements along `k` lie side by side: some columns at a time.
#[inline(always)]
unsafe fn dots<F: Family>(product: Product<F::Number>) {
    const TOGETHER: usize = 4;
    let mut column = 0;
    // SAFETY: the columns lie within the matrix.
    unsafe {
        while column + TOGETHER <= product.n {
            dot::<F, TOGETHER>(&product, column);
            column += TOGETHER;
        }
        while column < product.n {
            dot::<F, 1>(&product, column);
            column += 1;
        }
    }
}

/// `N` columns from `column` on.
#[inline(always)]
unsafe fn dot<F: Family, const N: usize>(product: &Product<F::Number>, column: usize) {
    let Product { k, a, b, b_steps: [_, b_column], c, .. } = *product;
    let width = F::Wide::WIDTH;
    let parts = LANES / width;
    // SAFETY: the columns lie within the matrix, and each step of `k` within the operands.
    unsafe {
        let zero = F::Wide::splat(F::Number::ZERO);
        // Families have at least 4 numbers in their widest vector, so at most 4 parts.
        let mut sums = [[zero; 4]; N];
        let b: [*const F::Number; N] =
            std::array::from_fn(|at| b.offset((column + at).cast_signed() * b_column));
        let whole = k / LANES * LANES;
        for begin in (0..whole).step_by(LANES) {
            for part in 0..parts {
                let at = begin + part * width;
                let factors = F::Wide::load(a.add(at));
                for (sums, b) in sums.iter_mut().zip(b) {
                    sums[part] = factors.times_plus(F::Wide::load(b.add(at)), sums[part]);
                }
            }
        }
        for (number, (sums, b)) in sums.iter().zip(b).enumerate() {
            let mut lanes = [F::Number::ZERO; LANES];
            for (part, sum) in sums.iter().enumerate().take(parts) {
                sum.store(lanes.as_mut_ptr().add(part * width));
            }
            let mut lanes = lanes.map(|lane| F::One::splat(lane));
            for at in whole..k {
                let lane = &mut lanes[at - whole];
                *lane = F::One::load(a.add(at)).times_plus(F::One::load(b.add(at)), *lane);
            }
            total(lanes).store(c.add(column + number));
        }
    }
}

/// The sum of all lanes, pair by pair. Written out by halves, so that they stay in registers.
#[inline(always)]
unsafe fn total<V: Simd>(sums: [V; LANES]) -> V {
    // SAFETY: the caller has the instruction set.
    unsafe {
        let sums: [V; 8] = halved(&sums);
        let sums: [V; 4] = halved(&sums);
        let sums: [V; 2] = halved(&sums);
        sums[0].plus(sums[1])
    }
}

/// The sums of each lane of the lower half and its fellow of the upper half.
#[inline(always)]
unsafe fn halved<V: Simd, const N: usize>(sums: &[V]) -> [V; N] {
    // SAFETY: the caller has the instruction set.
    std::array::from_fn(|at| unsafe { sums[at].plus(sums[at + N]) })
}
