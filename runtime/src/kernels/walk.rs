//! A walk over all positions of a shape, with an offset into each of several strided operands.
//! Knows offsets only: neither what the elements are nor what is done with them.

use smallvec::SmallVec;

/// One axis of a walk: how often it steps, and how far each operand moves with a step, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis<const N: usize> {
    pub size: usize,
    pub strides: [isize; N],
}

/// The axes of a walk, outermost first; there is always one, so that it can be split off as the inner loop.
pub(super) type Axes<const N: usize> = SmallVec<[Axis<N>; 6]>;

/// The shortest list of axes that visits the positions of a shape in row-major order.
///
/// Axes of one element are left out, and neighbours that every operand steps through evenly become one.
pub(super) fn axes<const N: usize>(sizes: &[usize], strides: [&[isize]; N]) -> Axes<N> {
    let mut axes = Axes::new();
    if sizes.contains(&0) {
        axes.push(Axis { size: 0, strides: [1; N] });
        return axes;
    }
    for (at, &size) in sizes.iter().enumerate().filter(|(_, size)| **size != 1) {
        let axis = Axis { size, strides: strides.map(|operand| operand[at]) };
        match axes.last_mut() {
            Some(outer) if is_even(outer, &axis) => {
                *outer = Axis { size: outer.size * size, strides: axis.strides };
            }
            _ => axes.push(axis),
        }
    }
    if axes.is_empty() {
        axes.push(Axis { size: 1, strides: [1; N] });
    }
    axes
}

/// Calls `visit` with the offsets of each position, in row-major order.
pub(super) fn walk<const N: usize>(
    axes: &[Axis<N>],
    at: [isize; N],
    visit: &mut impl FnMut([isize; N]),
) {
    let Some((axis, inner)) = axes.split_first() else { return visit(at) };
    let mut at = at;
    for _ in 0..axis.size {
        walk(inner, at, visit);
        for (offset, stride) in at.iter_mut().zip(axis.strides) {
            *offset = offset.wrapping_add(stride);
        }
    }
}

/// Whether a step of `outer` is, for every operand, as far as all steps of `inner`.
fn is_even<const N: usize>(outer: &Axis<N>, inner: &Axis<N>) -> bool {
    outer.strides.iter().zip(inner.strides).all(|(o, i)| *o == i * inner.size.cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets<const N: usize>(axes: &[Axis<N>]) -> Vec<[isize; N]> {
        let mut all = Vec::new();
        walk(axes, [0; N], &mut |at| all.push(at));
        all
    }

    #[test]
    fn even_neighbours_become_one_axis_and_keep_the_order() {
        let plain = axes(&[2, 1, 3], [&[3, 7, 1], &[6, 0, 2]]);
        assert_eq!(plain.as_slice(), [Axis { size: 6, strides: [1, 2] }]);
        let turned = axes(&[2, 3], [&[1, 2], &[3, 1]]);
        assert_eq!(turned.len(), 2);
        assert_eq!(offsets(&turned), [[0, 0], [2, 1], [4, 2], [1, 3], [3, 4], [5, 5]]);
    }

    #[test]
    fn a_scalar_is_one_position_and_an_empty_shape_none() {
        assert_eq!(offsets(&axes(&[], [&[]])), [[0]]);
        assert_eq!(offsets(&axes(&[1, 1], [&[5, 5]])), [[0]]);
        assert!(offsets(&axes(&[3, 0, 2], [&[0, 2, 1]])).is_empty());
    }

    #[test]
    fn repeated_and_reversed_axes_are_stepped_as_they_are() {
        assert_eq!(offsets(&axes(&[2, 2], [&[0, 0]])), [[0]; 4]);
        assert_eq!(offsets(&axes(&[2, 2], [&[-2, -1]])), [[0], [-1], [-2], [-3]]);
    }
}
