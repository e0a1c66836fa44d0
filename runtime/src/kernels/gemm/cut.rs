//! Products cut into parts that several threads compute.
//! Knows sizes only: cuts may change the order of sums, so neither strides nor the number of threads may count.

use super::direct::Product;
use super::kernel::Method;

/// How a product is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    along: Along,
    /// The rows or columns of a part; the last one has what is left.
    size: usize,
    pub parts: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Along {
    Rows,
    Columns,
}

// A part of this many products keeps a thread busy for some 20 us or more, and is not much slower for being small
// (benches/kernels.rs, `matmul`).
const VECTOR_WORK: usize = 200_000;
const DIRECT_WORK: usize = 400_000;
const BLOCKED_WORK: usize = 8_000_000;
const BLOCKED_LEAST: usize = 128;

impl Cut {
    /// The cut of a product of these sizes.
    pub(super) fn new(method: Method, m: usize, k: usize, n: usize) -> Cut {
        let (along, len, work, least) = match method {
            Method::Vector => (Along::Columns, n, VECTOR_WORK, 64),
            Method::Direct => (Along::Rows, m, DIRECT_WORK, 8),
            // Each part packs its operands anew, and packing the right one is the dearer: it is shared out if it can.
            Method::Blocked if n >= 2 * BLOCKED_LEAST => {
                (Along::Columns, n, BLOCKED_WORK, BLOCKED_LEAST)
            }
            Method::Blocked => (Along::Rows, m, BLOCKED_WORK, BLOCKED_LEAST),
        };
        let wanted = (m * k * n / work).min(len / least).max(1);
        let size = len.div_ceil(wanted).max(1);
        Cut { along, size, parts: len.div_ceil(size).max(1) }
    }

    /// One part of a product.
    pub(super) fn part<T>(&self, product: Product<T>, part: usize) -> Product<T> {
        let begin = part * self.size;
        let at = begin.cast_signed();
        match self.along {
            Along::Rows => Product {
                m: self.size.min(product.m - begin),
                a: product.a.wrapping_offset(at * product.a_steps[0]),
                c: product.c.wrapping_offset(at * product.c_row),
                ..product
            },
            Along::Columns => Product {
                n: self.size.min(product.n - begin),
                b: product.b.wrapping_offset(at * product.b_steps[1]),
                c: product.c.wrapping_add(begin),
                ..product
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_every_row_and_column_once() {
        for method in [Method::Vector, Method::Direct, Method::Blocked] {
            for [m, k, n] in [
                [0, 3, 0],
                [1, 1, 1],
                [1, 1000, 5001],
                [1000, 77, 130],
                [1000, 1000, 1],
                [129, 5000, 700],
            ] {
                let cut = Cut::new(method, m, k, n);
                let whole = Product {
                    m,
                    k,
                    n,
                    a: std::ptr::null::<f32>(),
                    a_steps: [k.cast_signed(), 1],
                    b: std::ptr::null(),
                    b_steps: [n.cast_signed(), 1],
                    c: std::ptr::null_mut(),
                    c_row: n.cast_signed(),
                };
                let parts: Vec<_> = (0..cut.parts).map(|part| cut.part(whole, part)).collect();
                assert_eq!(parts.iter().map(|it| it.m * it.n).sum::<usize>(), m * n, "{cut:?}");
                assert!(parts.len() == 1 || parts.iter().all(|it| it.m * it.n > 0), "{cut:?}");
            }
        }
    }
}
