//! Elements moved from one strided place to another, in whatever order is fastest.
//! Knows sizes of elements in bytes and distances in elements; whose memory it is, the caller knows.

use crate::kernels::walk::{Axes, Axis, axes, walk};

/// A move of the elements of a shape, prepared for two operands of given strides.
#[derive(Clone, Debug)]
pub(in crate::kernels) struct Transfer {
    /// The size of an element in bytes: 1, 4 or 8.
    element: usize,
    outer: Axes<2>,
    inner: Inner,
}

/// What happens at each position of the outer axes. Strides are those of the source and the target.
#[derive(Clone, Copy, Debug)]
enum Inner {
    /// Both sides lie side by side.
    Run(usize),
    /// One element of the source many times side by side.
    Fill(usize),
    /// The source lies side by side along one axis, the target along the other.
    Turn { source: Axis<2>, target: Axis<2> },
    /// Any strides.
    Step(Axis<2>),
}

// A tile of 16 x 16 elements touches 16 cache lines on each side, whatever the element
// (benches/kernels.rs, `copy 1024x1024 transposed`).
const TILE: usize = 16;

impl Transfer {
    /// Prepares a move of elements of `element` bytes.
    pub(in crate::kernels) fn new(
        element: usize,
        sizes: &[usize],
        source: &[isize],
        target: &[isize],
    ) -> Transfer {
        assert!(matches!(element, 1 | 4 | 8), "elements have 1, 4 or 8 bytes, found {element}");
        let mut outer = axes(sizes, [source, target]);
        let last = outer.pop().expect("a walk has an axis");
        let inner = match last.strides {
            [1, 1] => Inner::Run(last.size),
            [0, 1] => Inner::Fill(last.size),
            [_, 1] => match outer.iter().rposition(|axis| axis.strides[0] == 1) {
                Some(at) => Inner::Turn { source: outer.remove(at), target: last },
                None => Inner::Step(last),
            },
            _ => Inner::Step(last),
        };
        Transfer { element, outer, inner }
    }

    /// Moves the elements.
    ///
    /// # Safety
    /// `source` and `target` point at elements of the prepared size, aligned to it. All that the strides reach
    /// from there must be readable and writable, and no element may be both read and written.
    pub(in crate::kernels) unsafe fn run(&self, source: *const u8, target: *mut u8) {
        // SAFETY: the caller's promise; any bytes are a valid integer of their size.
        unsafe {
            match self.element {
                1 => self.run_as(source, target),
                4 => self.run_as(source.cast::<u32>(), target.cast()),
                _ => self.run_as(source.cast::<u64>(), target.cast()),
            }
        }
    }

    /// As `run`, with elements of a type of their size.
    unsafe fn run_as<T: std::marker::Copy>(&self, source: *const T, target: *mut T) {
        walk(&self.outer, [0, 0], &mut |[from, to]| {
            // SAFETY: the walk stays within what the strides reach, as do the inner axes.
            unsafe {
                let (source, target) = (source.offset(from), target.offset(to));
                match self.inner {
                    Inner::Run(count) => target.copy_from_nonoverlapping(source, count),
                    Inner::Fill(count) => fill(source, target, count),
                    Inner::Turn { source: along, target: across } => {
                        turn(source, target, along, across);
                    }
                    Inner::Step(axis) => step(source, target, axis),
                }
            }
        });
    }
}

unsafe fn fill<T: std::marker::Copy>(source: *const T, target: *mut T, count: usize) {
    if count == 0 {
        return;
    }
    // SAFETY: the source has one element, the target `count`, as for `Transfer::run`.
    unsafe {
        let element = source.read();
        (0..count).for_each(|at| target.add(at).write(element));
    }
}

unsafe fn step<T: std::marker::Copy>(source: *const T, target: *mut T, axis: Axis<2>) {
    let [from, to] = axis.strides;
    for at in 0..axis.size.cast_signed() {
        // SAFETY: `at` is a position of the axis, as for `Transfer::run`.
        unsafe { target.offset(at * to).write(source.offset(at * from).read()) };
    }
}

/// Moves tile by tile, so that the cache lines of a tile are used up on both sides before they leave the cache.
unsafe fn turn<T: std::marker::Copy>(
    source: *const T,
    target: *mut T,
    along: Axis<2>,
    across: Axis<2>,
) {
    for first_row in (0..along.size).step_by(TILE) {
        let rows = first_row..(first_row + TILE).min(along.size);
        for first_column in (0..across.size).step_by(TILE) {
            let columns = first_column..(first_column + TILE).min(across.size);
            for row in rows.clone() {
                for column in columns.clone() {
                    let (row, column) = (row.cast_signed(), column.cast_signed());
                    // SAFETY: row and column are positions of the two axes, as for `Transfer::run`;
                    // the source steps by 1 along rows, the target by 1 along columns.
                    unsafe {
                        let element = source.offset(row + column * across.strides[0]).read();
                        target.offset(row * along.strides[1] + column).write(element);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves numbered elements between buffers of bytes and compares with a walk over all axes.
    fn check<T: std::marker::Copy + PartialEq + std::fmt::Debug + TryFrom<usize>>(
        sizes: &[usize],
        source: &[isize],
        target: &[isize],
    ) {
        let number = |at: usize| T::try_from(at % 251).ok().unwrap();
        let reach = |strides: &[isize]| {
            let far = |(size, stride): (&usize, &isize)| {
                (size.saturating_sub(1).cast_signed() * stride).unsigned_abs()
            };
            sizes.iter().zip(strides).map(far).sum::<usize>()
        };
        let elements: Vec<T> = (0..2 * reach(source) + 1).map(number).collect();
        let middle = [reach(source), reach(target)];
        let mut expected = vec![number(250); 2 * reach(target) + 1];
        let mut found = expected.clone();
        let all: Vec<Axis<2>> = (0..sizes.len())
            .map(|at| Axis { size: sizes[at], strides: [source[at], target[at]] })
            .collect();
        walk(&all, [0, 0], &mut |[from, to]| {
            expected[middle[1].strict_add_signed(to)] = elements[middle[0].strict_add_signed(from)];
        });
        let transfer = Transfer::new(size_of::<T>(), sizes, source, target);
        // SAFETY: both buffers reach as far to either side of their middle as the strides do.
        unsafe {
            let from = elements.as_ptr().add(middle[0]);
            transfer.run(from.cast(), found.as_mut_ptr().add(middle[1]).cast());
        }
        assert_eq!(found, expected, "{sizes:?} {source:?} {target:?}");
    }

    #[test]
    fn any_strides_move_the_same_elements_as_a_plain_walk() {
        let cases: &[(&[usize], &[isize], &[isize])] = &[
            (&[], &[], &[]),
            (&[0], &[1], &[1]),
            (&[7], &[1], &[1]),
            (&[7], &[0], &[1]),
            (&[7], &[-1], &[1]),
            (&[5, 3], &[3, 1], &[3, 1]),
            (&[37, 35], &[1, 37], &[35, 1]),
            (&[16, 17], &[1, -16], &[40, 1]),
            (&[4, 5], &[0, 2], &[5, 1]),
            (&[4, 5], &[2, 0], &[5, 1]),
            (&[2, 3, 4], &[1, 2, 6], &[12, 4, 1]),
            (&[2, 3, 4], &[12, -4, 2], &[24, -8, 2]),
            (&[3, 2, 20, 18], &[720, 360, 1, 20], &[720, 360, 18, 1]),
            (&[3, 0, 2, 2], &[0, 4, 2, 1], &[4, 4, 2, 1]),
        ];
        for (sizes, source, target) in cases {
            check::<u8>(sizes, source, target);
            check::<u32>(sizes, source, target);
            check::<u64>(sizes, source, target);
        }
    }
}
