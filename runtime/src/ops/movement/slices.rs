//! Rust's ranges, numbers and tuples of them as slices. Knows how users write them, and no axis.

use super::range::{Slice, Taken};
use smallvec::SmallVec;
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// What [`Tensor::slice`](crate::Tensor::slice) takes of the axes: a tuple, array or list, or one for the first axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slices(pub(super) SmallVec<[Slice; 4]>);

impl<T: Into<Slice>> From<T> for Slices {
    fn from(first: T) -> Slices {
        Slices(SmallVec::from_iter([first.into()]))
    }
}

impl<T: Into<Slice> + Clone> From<&[T]> for Slices {
    fn from(slices: &[T]) -> Slices {
        Slices(slices.iter().cloned().map(Into::into).collect())
    }
}

impl<T: Into<Slice>, const N: usize> From<[T; N]> for Slices {
    fn from(slices: [T; N]) -> Slices {
        Slices(slices.into_iter().map(Into::into).collect())
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        impl<$($name: Into<Slice>),+> From<($($name,)+)> for Slices {
            #[allow(non_snake_case)] // The names are those of the types.
            fn from(($($name,)+): ($($name,)+)) -> Slices {
                Slices(SmallVec::from_iter([$($name.into()),+]))
            }
        }
    )*};
}
tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
}

impl From<RangeFull> for Slice {
    fn from(_: RangeFull) -> Slice {
        Slice::ALL
    }
}

macro_rules! from {
    ($($number:ty),*) => {$(
        impl From<$number> for Slice {
            fn from(at: $number) -> Slice {
                Slice(Taken::Index(end(at as i128)))
            }
        }

        impl From<Range<$number>> for Slice {
            fn from(it: Range<$number>) -> Slice {
                Slice::new(Some(end(it.start as i128)), Some(end(it.end as i128)), 1)
            }
        }

        impl From<RangeFrom<$number>> for Slice {
            fn from(it: RangeFrom<$number>) -> Slice {
                Slice::new(Some(end(it.start as i128)), None, 1)
            }
        }

        impl From<RangeTo<$number>> for Slice {
            fn from(it: RangeTo<$number>) -> Slice {
                Slice::new(None, Some(end(it.end as i128)), 1)
            }
        }

        impl From<RangeInclusive<$number>> for Slice {
            fn from(it: RangeInclusive<$number>) -> Slice {
                Slice::new(Some(end(*it.start() as i128)), behind(*it.end() as i128), 1)
            }
        }

        impl From<RangeToInclusive<$number>> for Slice {
            fn from(it: RangeToInclusive<$number>) -> Slice {
                Slice::new(None, behind(it.end as i128), 1)
            }
        }
    )*};
}
from!(i32, i64, isize, usize);

/// The end behind an element; the end of the axis behind the last one.
fn behind(at: i128) -> Option<isize> {
    (at != -1).then(|| end(at.saturating_add(1)))
}

/// A number of the user's as an end; one beyond any axis stays so, far enough from overflow.
fn end(at: i128) -> isize {
    const FAR: i128 = isize::MAX as i128 / 4;
    at.clamp(-FAR, FAR) as isize
}
