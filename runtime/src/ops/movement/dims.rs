//! The sizes of a new shape as users write them, and what is left for the axis whose size is -1.
//! Knows sizes that are unknown while tracing; they stay linear forms.

use crate::error::{Error, ErrorKind, Result};
use crate::types::{Dim, Shape};
use smallvec::SmallVec;

/// The sizes of a new shape: `[2, 3]`, `[2, -1]` where -1 stands for what is left, a `Shape`, or `()` for a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dims(SmallVec<[Asked; 4]>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Asked {
    Number(i64),
    Dim(Dim),
}

impl Dims {
    /// The shape that holds the elements of another.
    ///
    /// # Errors
    /// If a size is negative and not -1, if there is more than one -1, or if it has no solution.
    pub(super) fn holding(&self, from: &Shape) -> Result<Shape> {
        let mut dims = Vec::with_capacity(self.0.len());
        let mut left = None;
        for (axis, asked) in self.0.iter().enumerate() {
            dims.push(match asked {
                Asked::Dim(dim) => dim.clone(),
                Asked::Number(-1) if left.is_some() => return Err(two_are_left(self)),
                Asked::Number(-1) => {
                    left = Some(axis);
                    Dim::Known(1)
                }
                Asked::Number(size) => match usize::try_from(*size) {
                    Ok(size) => Dim::Known(size),
                    Err(_) => return Err(negative(self, *size)),
                },
            });
        }
        if let Some(axis) = left {
            let others = [&dims[..axis], &dims[axis + 1..]].concat();
            dims[axis] = quotient(from.dims(), &others).ok_or_else(|| unsolved(from, self))?;
        }
        Ok(Shape::new(dims))
    }
}

/// Checks that two shapes have the same number of elements, whatever the unknown sizes are.
///
/// # Errors
/// If they have not, or if that is not known.
pub(super) fn same_elements(from: &Shape, to: &Shape) -> Result<()> {
    // What is left when a common 0 is cancelled may differ.
    if from.is_empty() && to.is_empty() {
        return Ok(());
    }
    let (ours, theirs) = without_common(from.dims(), to.dims());
    let same = match (Factors::of(&ours), Factors::of(&theirs)) {
        (Some(ours), Some(theirs)) => ours.number == theirs.number && ours.have(&theirs),
        _ => false,
    };
    if same { Ok(()) } else { Err(other_elements(from, to)) }
}

/// The product of some sizes over the product of others, if it is a whole linear form.
fn quotient(sizes: &[Dim], divisors: &[Dim]) -> Option<Dim> {
    let (sizes, divisors) = without_common(sizes, divisors);
    let (sizes, divisors) = (Factors::of(&sizes)?, Factors::of(&divisors)?);
    let (forms, rest) = without_common(&sizes.forms, &divisors.forms);
    let form = forms.iter().try_fold(Dim::Known(1), |product, form| product.times(form))?;
    let number = Dim::Known(sizes.number).over(&Dim::Known(divisors.number))?;
    if rest.is_empty() { form.times(&number) } else { None }
}

/// A product of sizes: a number, and linear forms that no number divides.
struct Factors {
    number: usize,
    forms: Vec<Dim>,
}

impl Factors {
    /// The factors of some sizes; `None` if their number is beyond memory.
    fn of(dims: &[Dim]) -> Option<Factors> {
        let mut product = Factors { number: 1, forms: Vec::new() };
        for dim in dims {
            let content = dim.content();
            product.number = product.number.checked_mul(content)?;
            if dim.known().is_none() {
                product.forms.push(dim.over(&Dim::Known(content))?);
            }
        }
        Some(product)
    }

    /// Whether the forms are the same.
    fn have(&self, other: &Factors) -> bool {
        let (ours, theirs) = without_common(&self.forms, &other.forms);
        ours.is_empty() && theirs.is_empty()
    }
}

/// Two lists of factors without those that are in both.
fn without_common(left: &[Dim], right: &[Dim]) -> (Vec<Dim>, Vec<Dim>) {
    let mut right = right.to_vec();
    let mut own = Vec::new();
    for dim in left {
        match right.iter().position(|it| it == dim) {
            Some(at) => drop(right.swap_remove(at)),
            None => own.push(dim.clone()),
        }
    }
    (own, right)
}

fn other_elements(from: &Shape, to: &Shape) -> Error {
    let counts = match (from.len(), to.len()) {
        (Some(from), Some(to)) => format!(": {from} and {to} elements"),
        _ => ", whose numbers of elements are not known to agree while tracing".to_string(),
    };
    let message =
        format!("`reshape` needs as many elements as before, found {from:?} and {to:?}{counts}");
    Error::new(ErrorKind::Shape, message)
        .with_help("write -1 for one size, and it becomes what is left")
}

fn unsolved(from: &Shape, to: &Dims) -> Error {
    let message = format!("`reshape` cannot tell what -1 is in {to}, found {from:?}");
    Error::new(ErrorKind::Shape, message)
        .with_help("the other sizes must divide the number of elements; products of unknown sizes have no form here")
}

fn two_are_left(dims: &Dims) -> Error {
    Error::new(ErrorKind::Shape, format!("`reshape` takes -1 for one size at most, found {dims}"))
        .with_help("give all sizes but one")
}

fn negative(dims: &Dims, size: i64) -> Error {
    let message =
        format!("`reshape` needs sizes from 0, or -1 for what is left, found {size} in {dims}");
    Error::new(ErrorKind::Shape, message).with_help("write -1 for the size that is left")
}

/// As Rust prints a list: `[2, -1]`.
impl std::fmt::Display for Dims {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |asked: &Asked| match asked {
            Asked::Number(number) => number.to_string(),
            Asked::Dim(dim) => dim.to_string(),
        };
        write!(f, "[{}]", self.0.iter().map(text).collect::<Vec<_>>().join(", "))
    }
}

/// A scalar's.
impl From<()> for Dims {
    fn from((): ()) -> Dims {
        Dims(SmallVec::new())
    }
}

impl From<&Shape> for Dims {
    fn from(shape: &Shape) -> Dims {
        Dims(shape.dims().iter().cloned().map(Asked::Dim).collect())
    }
}

impl From<Shape> for Dims {
    fn from(shape: Shape) -> Dims {
        Dims::from(&shape)
    }
}

macro_rules! from {
    ($($number:ty),*) => {$(
        impl From<$number> for Dims {
            fn from(size: $number) -> Dims {
                Dims::from([size])
            }
        }

        impl<const N: usize> From<[$number; N]> for Dims {
            fn from(sizes: [$number; N]) -> Dims {
                Dims::from(&sizes[..])
            }
        }

        impl From<&[$number]> for Dims {
            fn from(sizes: &[$number]) -> Dims {
                // A size beyond i64 is beyond memory, as is the largest.
                Dims(sizes.iter().map(|it| Asked::Number(i64::try_from(*it as i128).unwrap_or(i64::MAX))).collect())
            }
        }

        impl From<Vec<$number>> for Dims {
            fn from(sizes: Vec<$number>) -> Dims {
                Dims::from(&sizes[..])
            }
        }
    )*};
}
from!(i32, i64, isize, usize);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Symbol;

    fn check(from: &[Dim], dims: impl Into<Dims>, expected: Result<&str, &str>) {
        let from = Shape::new(from.iter().cloned());
        let found = dims.into().holding(&from).and_then(|to| {
            same_elements(&from, &to)?;
            Ok(format!("{to:?}"))
        });
        let found = found.as_ref().map(|it| &it[..]).map_err(|it| it.message());
        assert_eq!(found, expected);
    }

    fn known(sizes: &[usize]) -> Vec<Dim> {
        sizes.iter().copied().map(Dim::Known).collect()
    }

    #[test]
    fn one_size_is_what_is_left() {
        check(&known(&[2, 6]), [3, -1], Ok("[3, 4]"));
        check(&known(&[2, 6]), [-1], Ok("[12]"));
        check(&known(&[2, 6]), [4usize, 3], Ok("[4, 3]"));
        check(&known(&[1, 1]), (), Ok("[]"));
        check(&known(&[]), [-1], Ok("[1]"));
        check(&known(&[0, 3]), [0, -1], Ok("[0, 3]"));
    }

    #[test]
    fn shapes_without_elements_agree_whatever_their_other_sizes_are() {
        check(&known(&[2, 0, 3]), [0usize, 5], Ok("[0, 5]"));
        check(&known(&[2, 0, 3]), [6usize, 0], Ok("[6, 0]"));
    }

    #[test]
    fn unknown_sizes_are_solved_as_linear_forms() {
        let (n, m) = (Dim::symbol(Symbol::new("n")), Dim::symbol(Symbol::new("m")));
        let n4 = [n.clone(), Dim::Known(4)];
        check(&n4, [-1], Ok("[4*n]"));
        check(&n4, [2, -1], Ok("[2, 2*n]"));
        check(&n4, Shape::new([Dim::Known(2), Dim::Known(2), n.clone()]), Ok("[2, 2, n]"));
        let nm = [n.clone(), m.clone(), Dim::Known(3)];
        check(&nm, Shape::new([m.clone(), Dim::Known(3), n.clone()]), Ok("[m, 3, n]"));
        let two_m = m.times(&Dim::Known(2)).unwrap();
        check(
            &[two_m.clone(), n.clone()],
            Shape::new([Dim::Known(2), n.clone(), m.clone()]),
            Ok("[2, n, m]"),
        );
        check(&nm, [-1], Err("`reshape` cannot tell what -1 is in [-1], found [n, m, 3]"));
        check(
            &n4,
            [8, 2],
            Err(
                "`reshape` needs as many elements as before, found [n, 4] and [8, 2], whose numbers of elements are not known to agree while tracing",
            ),
        );
    }

    #[test]
    fn wrong_sizes_name_both_shapes() {
        let six = known(&[2, 3]);
        check(
            &six,
            [4, 2],
            Err(
                "`reshape` needs as many elements as before, found [2, 3] and [4, 2]: 6 and 8 elements",
            ),
        );
        check(&six, [4, -1], Err("`reshape` cannot tell what -1 is in [4, -1], found [2, 3]"));
        check(&six, [-1, -1], Err("`reshape` takes -1 for one size at most, found [-1, -1]"));
        check(
            &six,
            [-2, 3],
            Err("`reshape` needs sizes from 0, or -1 for what is left, found -2 in [-2, 3]"),
        );
    }
}
