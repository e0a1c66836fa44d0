//! Axes as users write them: one, several or all, counted from the front or, if negative, from the end.
//! Knows ranks, and no op but by its name.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::Parsed;
use crate::kernels;
use smallvec::SmallVec;

/// Which axes of a tensor: `1`, `-1` for the last, `[0, -1]` for several, `()` for all.
///
/// ```
/// use graphfn::prelude::*;
///
/// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(x.transpose([1, 0]).shape().to_string(), "(3, 2)");
/// assert_eq!(x.flip(-1).to_vec::<f32>(), [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
/// assert_eq!(x.flip(()).to_vec::<f32>(), [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axes(Which);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Which {
    All,
    These(SmallVec<[i64; 4]>),
}

impl Axes {
    /// The axes that are meant among those of a tensor, from 0, in the order in which they were given.
    ///
    /// # Errors
    /// If one is out of range, or is there twice.
    pub(crate) fn among(&self, op: &str, rank: usize) -> Result<kernels::Axes> {
        let Which::These(axes) = &self.0 else { return Ok((0..rank).collect()) };
        let mut found = kernels::Axes::new();
        for (at, axis) in axes.iter().enumerate() {
            let place = place(op, *axis, rank)?;
            if let Some(before) = found.iter().position(|it| *it == place) {
                return Err(twice(op, place, [axes[before], axes[at]], rank));
            }
            found.push(place);
        }
        Ok(found)
    }

    /// How many there are, unless all are meant.
    pub(crate) fn count(&self) -> Option<usize> {
        match &self.0 {
            Which::All => None,
            Which::These(axes) => Some(axes.len()),
        }
    }

    /// As [`Axes::among`], in ascending order.
    ///
    /// # Errors
    /// As [`Axes::among`].
    pub(crate) fn ascending(&self, op: &str, rank: usize) -> Result<kernels::Axes> {
        let mut axes = self.among(op, rank)?;
        axes.sort_unstable();
        Ok(axes)
    }
}

/// The one axis that is meant among those of a tensor, from 0.
///
/// # Errors
/// If it is out of range.
pub(crate) fn one(op: &str, axis: isize, rank: usize) -> Result<usize> {
    place(op, axis as i64, rank)
}

/// The attribute of this name as axes that count from 0.
///
/// # Errors
/// If it is missing, or an axis in it is negative.
pub(crate) fn parsed(attrs: &Parsed, name: &str) -> Result<kernels::Axes> {
    let axis = |axis: &i64| {
        usize::try_from(*axis).map_err(|_| {
            let message = format!("attribute `{name}` needs numbers from 0, found {axis}");
            Error::new(ErrorKind::Format, message)
                .with_help("in graph text the last of two axes is 1, not -1")
        })
    };
    attrs.ints(name)?.iter().map(axis).collect()
}

/// The attribute of this name as a number from 0: an axis, or a count.
///
/// # Errors
/// If it is missing or negative.
pub(crate) fn number(attrs: &Parsed, name: &str) -> Result<usize> {
    let number = attrs.int(name)?;
    usize::try_from(number).map_err(|_| {
        let message = format!("attribute `{name}` needs a number from 0, found {number}");
        Error::new(ErrorKind::Format, message)
            .with_help("in graph text the last of two axes is 1, not -1")
    })
}

fn place(op: &str, axis: i64, rank: usize) -> Result<usize> {
    let places = rank.cast_signed() as i64;
    let place = if axis < 0 { axis + places } else { axis };
    usize::try_from(place).ok().filter(|place| *place < rank).ok_or_else(|| {
        let (range, help) = match rank {
            0 => ("none".to_string(), "a scalar has no axes".to_string()),
            _ => (
                format!("one from {} to {}", -places, places - 1),
                "axes count from 0, or from -1 at the end".to_string(),
            ),
        };
        let message =
            format!("`{op}` needs an axis of a tensor of rank {rank}, {range}, found {axis}");
        Error::new(ErrorKind::Index, message).with_help(help)
    })
}

fn twice(op: &str, place: usize, given: [i64; 2], rank: usize) -> Error {
    let [first, second] = given;
    let message = format!(
        "`{op}` needs each axis once, found axis {place} of rank {rank} as {first} and {second}"
    );
    Error::new(ErrorKind::Index, message).with_help("give each axis in one way only")
}

/// All axes.
impl From<()> for Axes {
    fn from((): ()) -> Axes {
        Axes(Which::All)
    }
}

macro_rules! from {
    ($($number:ty),*) => {$(
        impl From<$number> for Axes {
            fn from(axis: $number) -> Axes {
                Axes::from([axis])
            }
        }

        impl<const N: usize> From<[$number; N]> for Axes {
            fn from(axes: [$number; N]) -> Axes {
                Axes::from(&axes[..])
            }
        }

        impl<const N: usize> From<&[$number; N]> for Axes {
            fn from(axes: &[$number; N]) -> Axes {
                Axes::from(&axes[..])
            }
        }

        impl From<&[$number]> for Axes {
            fn from(axes: &[$number]) -> Axes {
                // An axis beyond i64 is out of any range, as is the largest.
                Axes(Which::These(axes.iter().map(|it| i64::try_from(*it as i128).unwrap_or(i64::MAX)).collect()))
            }
        }

        impl From<Vec<$number>> for Axes {
            fn from(axes: Vec<$number>) -> Axes {
                Axes::from(&axes[..])
            }
        }
    )*};
}
from!(i32, i64, isize, usize);

#[cfg(test)]
mod tests {
    use super::*;

    fn check(axes: impl Into<Axes>, rank: usize, expected: Result<&[usize], &str>) {
        let found = axes.into().among("sum", rank);
        let found = found.as_ref().map(|it| &it[..]).map_err(|it| it.message());
        assert_eq!(found, expected);
    }

    #[test]
    fn axes_count_from_either_end() {
        check(1, 3, Ok(&[1]));
        check(-1, 3, Ok(&[2]));
        check([2, -3], 3, Ok(&[2, 0]));
        check(vec![0isize, 1], 2, Ok(&[0, 1]));
        check((), 2, Ok(&[0, 1]));
        check((), 0, Ok(&[]));
        check([0usize; 0], 2, Ok(&[]));
        assert_eq!(Axes::from([2, 0]).ascending("sum", 3).unwrap()[..], [0, 2]);
        assert_eq!(one("sum", -2, 2), Ok(0));
    }

    #[test]
    fn an_axis_out_of_range_names_op_axis_and_rank() {
        let text = "`sum` needs an axis of a tensor of rank 2, one from -2 to 1, found";
        check(2, 2, Err(&format!("{text} 2")));
        check([0, -3], 2, Err(&format!("{text} -3")));
        check(0, 0, Err("`sum` needs an axis of a tensor of rank 0, none, found 0"));
        check(usize::MAX, 2, Err(&format!("{text} {}", i64::MAX)));
        let error = one("sum", 5, 1).unwrap_err();
        assert_eq!(
            (error.kind(), error.help().unwrap()),
            (ErrorKind::Index, "axes count from 0, or from -1 at the end")
        );
    }

    #[test]
    fn an_axis_given_twice_names_both_ways() {
        check([1, 0, -1], 2, Err("`sum` needs each axis once, found axis 1 of rank 2 as 1 and -1"));
    }

    #[test]
    fn axes_in_text_count_from_the_front() {
        let attrs = Parsed(vec![("axes".to_string(), crate::graph::Attr::Ints(vec![0, -1]))]);
        let error = parsed(&attrs, "axes").unwrap_err();
        assert_eq!(error.message(), "attribute `axes` needs numbers from 0, found -1");
    }
}
