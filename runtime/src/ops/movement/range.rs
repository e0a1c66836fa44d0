//! What is taken of one axis: a range with a step, or one element. Knows Python's rules for ends beyond the axis.

use crate::error::{Error, ErrorKind, Result};
use crate::types::Dim;

/// What [`Tensor::slice`](crate::Tensor::slice) takes of one axis.
///
/// Ranges are Rust's: `1..3`, `..`, `-2..` (from the second to last on), `..=4`. A number takes one element, and its
/// axis goes away. [`Slice::new`] has a step, too. Negative ends count from the end; ends beyond the axis are cut to
/// it, as in Python; a number beyond it is an error.
///
/// Clippy takes a range such as `1..-1` for a mistake, which it is elsewhere: [`Slice::between`] says the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice(pub(super) Taken);

/// What is taken of one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// One element; the axis goes away.
    Index(isize),
    /// The elements from one on to before another.
    Range { start: Option<isize>, stop: Option<isize>, step: isize },
}

/// Elements of an axis of known size: the first, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub first: usize,
    pub count: usize,
}

impl Slice {
    /// The elements from `start` (or the first) to before `stop` (or to the last), in steps; a negative step goes backwards.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([0, 1, 2, 3, 4, 5]);
    /// assert_eq!(x.slice(Slice::new(None, None, 2)).to_vec::<i32>(), [0, 2, 4]);
    /// assert_eq!(x.slice(Slice::new(Some(-2), Some(1), -1)).to_vec::<i32>(), [4, 3, 2]);
    /// ```
    pub const fn new(start: Option<isize>, stop: Option<isize>, step: isize) -> Slice {
        Slice(Taken::Range { start, stop, step })
    }

    /// The elements from `start` to before `stop`; negative ones count from the end.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([0, 1, 2, 3, 4, 5]);
    /// assert_eq!(x.slice(Slice::between(1, -1)).to_vec::<i32>(), [1, 2, 3, 4]);
    /// ```
    pub const fn between(start: isize, stop: isize) -> Slice {
        Slice::new(Some(start), Some(stop), 1)
    }

    /// The whole axis.
    pub const ALL: Slice = Slice::new(None, None, 1);
}

impl Taken {
    /// How many elements are taken of an axis of this size; `None` if the axis goes away.
    ///
    /// # Errors
    /// If the step is 0, if the element is not there, or if the number has no linear form.
    pub fn len(self, axis: usize, size: &Dim) -> Result<Option<Dim>> {
        match (self, size.known()) {
            (Taken::Range { step: 0, .. }, _) => Err(no_step(axis)),
            (_, Some(size)) => {
                let found = self.found(size).ok_or_else(|| self.outside(axis, size))?;
                Ok(self.stays().then_some(Dim::Known(found.count)))
            }
            (Taken::Index(_), None) => Ok(None),
            (Taken::Range { start, stop, step }, None) => unknown_len(start, stop, step, size)
                .map(Some)
                .ok_or_else(|| self.unknown(axis, size)),
        }
    }

    /// Whether the axis stays.
    pub fn stays(self) -> bool {
        matches!(self, Taken::Range { .. })
    }

    /// The distance from one element to the next.
    pub fn step(self) -> isize {
        match self {
            Taken::Index(_) => 1,
            Taken::Range { step, .. } => step,
        }
    }

    /// The range that takes the same elements, and leaves the axis.
    pub fn as_range(self) -> Taken {
        match self {
            Taken::Index(at) => {
                Taken::Range { start: Some(at), stop: (at != -1).then_some(at + 1), step: 1 }
            }
            range => range,
        }
    }

    /// The elements taken of an axis of a known size; `None` if the one that is asked for is not there.
    pub fn found(self, size: usize) -> Option<Found> {
        let end = size.cast_signed();
        let (start, stop, step) = match self {
            Taken::Index(at) => {
                let first = usize::try_from(if at < 0 { at + end } else { at }).ok()?;
                return (first < size).then_some(Found { first, count: 1 });
            }
            Taken::Range { start, stop, step } => (start, stop, step),
        };
        // A range that goes backwards begins at the last element and ends before the first.
        let (low, high) = if step < 0 { (-1, end - 1) } else { (0, end) };
        let cut = |at: isize| if at < 0 { at.saturating_add(end).max(low) } else { at.min(high) };
        let (from, to) = if step < 0 { (high, low) } else { (low, high) };
        let (from, to) = (start.map_or(from, cut), stop.map_or(to, cut));
        let span = if step < 0 { from - to } else { to - from };
        let count = usize::try_from(span).unwrap_or(0).div_ceil(step.unsigned_abs());
        Some(Found { first: if count == 0 { 0 } else { from.unsigned_abs() }, count })
    }

    /// The complaint about an axis that does not have what is taken of it.
    pub fn outside(self, axis: usize, size: usize) -> Error {
        let (what, help) = match self {
            Taken::Index(at) => (
                match size {
                    0 => format!("an element, found index {at}"),
                    _ => format!("an index from -{size} to {}, found {at}", size - 1),
                },
                "count from 0, or from -1 at the end",
            ),
            Taken::Range { .. } => (
                format!("as many elements as the trace took for granted, found {self}"),
                "slice by ends that count from either side, as in `..-3`, for any size",
            ),
        };
        let message = format!("`slice` needs of axis {axis} of size {size} {what}");
        Error::new(ErrorKind::Index, message).with_help(help)
    }

    fn unknown(self, axis: usize, size: &Dim) -> Error {
        let message = format!(
            "`slice` cannot tell how many elements {self} are of axis {axis} of size {size}, unknown while tracing"
        );
        Error::new(ErrorKind::Shape, message)
            .with_help("use ends that count from either side, and a step that divides the size")
    }
}

fn no_step(axis: usize) -> Error {
    Error::new(
        ErrorKind::Index,
        format!("`slice` needs a step other than 0 along axis {axis}, found 0"),
    )
    .with_help("a step of 1 takes each element, one of -1 goes backwards")
}

/// An end of a range: so many from the first element, or (`from_end`) from behind the last.
#[derive(Clone, Copy)]
struct End {
    from_end: bool,
    by: isize,
}

/// How many elements a range takes of an axis of unknown size, if it is long enough.
fn unknown_len(start: Option<isize>, stop: Option<isize>, step: isize, size: &Dim) -> Option<Dim> {
    let end = |at: isize| End { from_end: at < 0, by: at };
    let first = End { from_end: false, by: 0 };
    let (from, to) = match step > 0 {
        true => (start.map_or(first, end), stop.map_or(End { from_end: true, by: 0 }, end)),
        false => {
            let to = stop.map_or(End { from_end: false, by: -1 }, end);
            (to, start.map_or(End { from_end: true, by: -1 }, end))
        }
    };
    let span = to.by - from.by;
    let known = |span: isize| usize::try_from(span).unwrap_or(0);
    let step = step.unsigned_abs();
    match (from.from_end, to.from_end) {
        (false, true) => {
            let span = match span < 0 {
                true => size.minus(&Dim::Known(span.unsigned_abs()))?,
                false => size.plus(&Dim::Known(span.unsigned_abs()))?,
            };
            // Rounded up: one of the next numbers is a multiple, if the factors of the unknown sizes are.
            (0..step).find_map(|more| span.plus(&Dim::Known(more))?.over(&Dim::Known(step)))
        }
        (true, false) => None,
        _ => Some(Dim::Known(known(span).div_ceil(step))),
    }
}

/// As Python writes it: `1:3`, `::-1`, `4`.
impl std::fmt::Display for Taken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let end = |end: Option<isize>| end.map_or(String::new(), |it| it.to_string());
        match *self {
            Taken::Index(at) => write!(f, "`{at}`"),
            Taken::Range { start, stop, step: 1 } => write!(f, "`{}..{}`", end(start), end(stop)),
            Taken::Range { start, stop, step } => {
                write!(f, "`{}..{}` in steps of {step}", end(start), end(stop))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Symbol;

    fn taken(slice: impl Into<Slice>, size: usize) -> Vec<usize> {
        let Slice(taken) = slice.into();
        let Found { first, count } = taken.found(size).unwrap();
        (0..count).map(|at| first.wrapping_add_signed(taken.step() * at.cast_signed())).collect()
    }

    /// What Python's `list(range(size))[start:stop:step]` is, by its definition: elements whose index is not less than
    /// the start and less than the stop (or the other way round), the ends counted from the end when negative.
    fn python(start: Option<isize>, stop: Option<isize>, step: isize, size: usize) -> Vec<usize> {
        let size = size.cast_signed();
        let end = |it: isize| if it < 0 { it + size } else { it };
        let (mut at, stop) = match step > 0 {
            true => (start.map_or(0, end).max(0), stop.map_or(size, end)),
            false => (start.map_or(size - 1, end).min(size - 1), stop.map_or(-1, end).max(-1)),
        };
        let mut found = Vec::new();
        while (0..size).contains(&at) && if step > 0 { at < stop } else { at > stop } {
            found.push(at.unsigned_abs());
            at += step;
        }
        found
    }

    #[test]
    fn ranges_take_what_python_takes() {
        let ends = || std::iter::once(None).chain((-7..=7).map(Some));
        for size in 0..5 {
            for (start, stop) in ends().flat_map(|start| ends().map(move |stop| (start, stop))) {
                for step in [-3, -2, -1, 1, 2, 3] {
                    let found = taken(Slice::new(start, stop, step), size);
                    assert_eq!(
                        found,
                        python(start, stop, step, size),
                        "{start:?}:{stop:?}:{step} of {size}"
                    );
                }
            }
        }
    }

    #[test]
    fn rust_ranges_are_slices() {
        assert_eq!(taken(1..3, 5), [1, 2]);
        assert_eq!(taken(-2.., 5), [3, 4]);
        assert_eq!(taken(..-3, 5), [0, 1]);
        assert_eq!(taken(.., 2), [0, 1]);
        assert_eq!(taken(-3..=-1, 4), [1, 2, 3]);
        assert_eq!(taken(..=1, 4), [0, 1]);
        assert_eq!(taken(2.., 2), [0; 0]);
        assert_eq!(taken(1..usize::MAX, 3), [1, 2]);
        assert_eq!(taken(-1, 3), [2]);
        assert_eq!(taken(isize::MIN..isize::MAX, 2), [0, 1]);
    }

    #[test]
    fn unknown_sizes_are_sliced_from_either_side() {
        let n = Dim::symbol(Symbol::new("n"));
        let two_n = n.plus(&n).unwrap();
        let check = |slice: Slice, size: &Dim, expected: Option<&str>| {
            let found = slice
                .0
                .len(0, size)
                .ok()
                .map(|it| it.map_or("gone".to_string(), |it| it.to_string()));
            assert_eq!(found.as_deref(), expected, "{slice:?} of {size}");
        };
        check((..).into(), &n, Some("n"));
        check((2..).into(), &n, Some("n-2"));
        check(Slice::between(1, -1), &n, Some("n-2"));
        check((..3).into(), &n, Some("3"));
        check((-3..-1).into(), &n, Some("2"));
        check(4.into(), &n, Some("gone"));
        check(Slice::new(None, None, -1), &n, Some("n"));
        check(Slice::new(Some(-2), None, -1), &n, Some("n-1"));
        check(Slice::new(None, Some(0), -1), &n, Some("n-1"));
        check(Slice::new(None, None, 2), &two_n, Some("n"));
        check(Slice::new(Some(1), None, 2), &two_n, Some("n"));
        check(Slice::new(None, None, -2), &two_n, Some("n"));
        check(Slice::new(None, None, 2), &n, None);
        check((-3..5).into(), &n, None);
    }

    #[test]
    fn messages_name_axis_and_size() {
        let message =
            |slice: Slice, size: &Dim| slice.0.len(1, size).unwrap_err().message().to_string();
        let three = Dim::Known(3);
        assert_eq!(
            message(3.into(), &three),
            "`slice` needs of axis 1 of size 3 an index from -3 to 2, found 3"
        );
        assert_eq!(
            message((-4).into(), &three),
            "`slice` needs of axis 1 of size 3 an index from -3 to 2, found -4"
        );
        assert_eq!(
            message(0.into(), &Dim::Known(0)),
            "`slice` needs of axis 1 of size 0 an element, found index 0"
        );
        assert_eq!(
            message(Slice::new(None, None, 0), &three),
            "`slice` needs a step other than 0 along axis 1, found 0"
        );
        let n = Dim::symbol(Symbol::new("n"));
        assert_eq!(
            message((-3..5).into(), &n),
            "`slice` cannot tell how many elements `-3..5` are of axis 1 of size n, unknown while tracing"
        );
    }
}
