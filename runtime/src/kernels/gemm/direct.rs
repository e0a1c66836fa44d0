//! Products of small matrices: blocks of the output in registers, operands read where they lie.
//! Knows rows of the right operand side by side. Each element is one sum in the order of `k`, whatever the blocks.

use super::simd::{Family, Number, Simd};

/// What a small product needs: sizes, and places with distances in elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product<T> {
    pub m: usize,
    pub k: usize,
    pub n: usize,
    pub a: *const T,
    /// From row to row, and along `k`.
    pub a_steps: [isize; 2],
    pub b: *const T,
    /// Along `k`, and from column to column.
    pub b_steps: [isize; 2],
    /// Columns lie side by side.
    pub c: *mut T,
    /// From row to row.
    pub c_row: isize,
}

/// The most rows in a block: with two vectors of columns 16 sums, 2 vectors and 1 splat, of 32 registers.
const ROWS: usize = 8;

/// Multiplies; the columns of the right operand must lie side by side (`b_steps[1] == 1`).
///
/// # Safety
/// The processor has the family's instruction set; all that sizes and steps reach is readable, and the output, which
/// overlaps no operand, writable.
#[inline(always)]
pub(super) unsafe fn multiply<F: Family>(product: Product<F::Number>) {
    debug_assert_eq!(product.b_steps[1], 1);
    // SAFETY: the caller's promise; the width is at most the number of columns.
    unsafe {
        match product.n {
            n if n >= F::Wide::WIDTH => columns::<F::Wide>(product),
            n if n >= F::Half::WIDTH => columns::<F::Half>(product),
            n if n >= F::Quarter::WIDTH => columns::<F::Quarter>(product),
            _ => columns::<F::One>(product),
        }
    }
}

/// Vector after vector of columns, two at a time. The last one overlaps the one before rather than being cut: what
/// both write is the same to the bit.
#[inline(always)]
unsafe fn columns<V: Simd>(product: Product<V::Number>) {
    let vectors = product.n.div_ceil(V::WIDTH);
    let column = |vector: usize| (vector * V::WIDTH).min(product.n - V::WIDTH);
    for vector in (0..vectors).step_by(2) {
        // SAFETY: the columns of each vector lie within the matrix.
        unsafe {
            if vector + 1 < vectors {
                rows::<V, 2>(&product, [column(vector), column(vector + 1)]);
            } else {
                rows::<V, 1>(&product, [column(vector)]);
            }
        }
    }
}

/// Blocks of rows of even height; the last one overlaps, as columns do.
#[inline(always)]
unsafe fn rows<V: Simd, const N: usize>(product: &Product<V::Number>, columns: [usize; N]) {
    let blocks = product.m.div_ceil(ROWS);
    let height = product.m.div_ceil(blocks.max(1));
    for index in 0..blocks {
        let row = (index * height).min(product.m - height);
        // SAFETY: the rows of each block lie within the matrix.
        unsafe {
            match height {
                1 => block::<V, 1, N>(product, row, columns),
                2 => block::<V, 2, N>(product, row, columns),
                3 => block::<V, 3, N>(product, row, columns),
                4 => block::<V, 4, N>(product, row, columns),
                5 => block::<V, 5, N>(product, row, columns),
                6 => block::<V, 6, N>(product, row, columns),
                7 => block::<V, 7, N>(product, row, columns),
                _ => block::<V, ROWS, N>(product, row, columns),
            }
        }
    }
}

/// `M` rows and `N` vectors of columns.
#[inline(always)]
unsafe fn block<V: Simd, const M: usize, const N: usize>(
    product: &Product<V::Number>,
    row: usize,
    columns: [usize; N],
) {
    let Product { k, c_row, a_steps: [a_row, a_step], b_steps: [b_step, _], .. } = *product;
    // SAFETY: the block lies within the matrices, and each step of `k` within the operands.
    unsafe {
        let mut a = product.a.offset(row.cast_signed() * a_row);
        let mut b = product.b;
        let mut sums = [[V::splat(V::Number::ZERO); N]; M];
        for _ in 0..k {
            let vectors: [V; N] = std::array::from_fn(|at| V::load(b.add(columns[at])));
            for (at, sums) in sums.iter_mut().enumerate() {
                let factor = V::splat(a.offset(at.cast_signed() * a_row).read());
                for (sum, vector) in sums.iter_mut().zip(vectors) {
                    *sum = factor.times_plus(vector, *sum);
                }
            }
            a = a.wrapping_offset(a_step);
            b = b.wrapping_offset(b_step);
        }
        for (at, sums) in sums.iter().enumerate() {
            for (sum, column) in sums.iter().zip(columns) {
                sum.store(product.c.offset((row + at).cast_signed() * c_row).add(column));
            }
        }
    }
}
