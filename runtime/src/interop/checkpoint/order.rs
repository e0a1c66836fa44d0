//! The order of the bytes of a number, and of the numbers of an array, in files. Knows no format.

use std::borrow::Cow;

/// Which byte of a number stands first in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    /// The order of this machine.
    pub(super) const NATIVE: Order =
        if cfg!(target_endian = "big") { Order::Big } else { Order::Little };
}

/// Numbers of so many bytes each, which stand in this order, in the order of this machine; or the other way round.
pub(super) fn native(bytes: &[u8], order: Order, size: usize) -> Cow<'_, [u8]> {
    if order == Order::NATIVE || size == 1 {
        return Cow::Borrowed(bytes);
    }
    let mut turned = bytes.to_vec();
    turned.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    Cow::Owned(turned)
}

/// Elements of so many bytes each, whose first index runs fastest, as elements whose last index does. There must be
/// just as many bytes as the sizes say.
pub(super) fn row_major(bytes: &[u8], sizes: &[usize], size: usize) -> Vec<u8> {
    let mut turned = Vec::with_capacity(bytes.len());
    let mut index = vec![0; sizes.len()];
    while turned.len() < bytes.len() {
        let at = index.iter().zip(sizes).rev().fold(0, |at, (index, size)| at * size + index);
        turned.extend_from_slice(&bytes[at * size..(at + 1) * size]);
        for axis in (0..sizes.len()).rev() {
            index[axis] += 1;
            if index[axis] < sizes[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_turned_when_the_file_has_the_other_order() {
        let other = if Order::NATIVE == Order::Little { Order::Big } else { Order::Little };
        let bytes = [1, 2, 3, 4];
        assert_eq!(*native(&bytes, Order::NATIVE, 2), bytes);
        assert_eq!(*native(&bytes, other, 2), [2, 1, 4, 3]);
        assert_eq!(*native(&bytes, other, 4), [4, 3, 2, 1]);
        assert_eq!(*native(&bytes, other, 1), bytes);
    }

    /// `np.arange(6).reshape(2, 3)` lies as 0 3 1 4 2 5 in Fortran's order, and with an axis more as below.
    #[test]
    fn the_last_index_runs_fastest() {
        assert_eq!(row_major(&[0, 3, 1, 4, 2, 5], &[2, 3], 1), [0, 1, 2, 3, 4, 5]);
        assert_eq!(row_major(&[0, 4, 2, 6, 1, 5, 3, 7], &[2, 2, 2], 1), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(row_major(&[0, 0, 2, 2, 1, 1, 3, 3], &[2, 2], 2), [0, 0, 1, 1, 2, 2, 3, 3]);
        assert_eq!(row_major(&[], &[0, 3], 4), [0; 0]);
    }
}
