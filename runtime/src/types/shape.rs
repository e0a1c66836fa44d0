//! A shape: the sizes of the axes, some of them perhaps unknown. Knows no element type.

use super::{Dim, Symbol};
use crate::error::{Error, ErrorKind, raise};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::fmt;

/// The sizes of a tensor's axes, outermost first. A scalar has none.
///
/// ```
/// use graphfn::Shape;
/// assert_eq!(Shape::from([32, 10]).to_string(), "(32, 10)");
/// assert_eq!(Shape::from([10]).to_string(), "(10,)");
/// assert_eq!(Shape::from([]).to_string(), "()");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Shape {
    dims: SmallVec<[Dim; 4]>,
    /// For a shape whose very rank is unknown: which unknown shape it is. It has no `dims` then.
    unknown: Option<Symbol>,
}

impl Shape {
    /// The shape with these sizes.
    pub fn new(dims: impl IntoIterator<Item = Dim>) -> Shape {
        Shape { dims: dims.into_iter().collect(), unknown: None }
    }

    /// A shape of which nothing is known, not even the rank: that of a placeholder of a graph. It equals itself alone.
    pub fn unknown() -> Shape {
        Shape { dims: SmallVec::new(), unknown: Some(Symbol::new("?")) }
    }

    /// The shape of a placeholder: an axis of unknown size is `None`.
    ///
    /// ```
    /// use graphfn::Shape;
    /// assert_eq!(Shape::partial([None, Some(784)]).to_string(), "(None, 784)");
    /// ```
    pub fn partial(sizes: impl IntoIterator<Item = Option<usize>>) -> Shape {
        let dim =
            |size: Option<usize>| size.map_or_else(|| Dim::symbol(Symbol::new("None")), Dim::Known);
        Shape::new(sizes.into_iter().map(dim))
    }

    /// Whether the rank is known.
    pub fn has_rank(&self) -> bool {
        self.unknown.is_none()
    }

    /// The shape of a scalar.
    pub fn scalar() -> Shape {
        Shape::default()
    }

    /// The number of axes.
    ///
    /// # Panics
    /// Raises an error if that is not known.
    #[track_caller]
    pub fn rank(&self) -> usize {
        self.dims().len()
    }

    /// The axes.
    ///
    /// # Panics
    /// As [`rank`](Shape::rank).
    #[track_caller]
    pub fn dims(&self) -> &[Dim] {
        if self.unknown.is_some() {
            rank_is_unknown();
        }
        &self.dims
    }

    /// The sizes, unless one has a symbol in it.
    pub fn known(&self) -> Option<SmallVec<[usize; 6]>> {
        if self.unknown.is_some() {
            return None;
        }
        self.dims.iter().map(Dim::known).collect()
    }

    /// The number of elements, unless a size is unknown or the product does not fit.
    pub fn len(&self) -> Option<usize> {
        if self.unknown.is_some() {
            return None;
        }
        self.dims.iter().try_fold(1usize, |total, dim| total.checked_mul(dim.known()?))
    }

    /// Whether it surely has no elements.
    pub fn is_empty(&self) -> bool {
        self.dims.iter().any(|dim| *dim == 0)
    }

    /// The symbols in it, each as often as it occurs.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.dims.iter().flat_map(Dim::symbols)
    }

    /// The shape, when the symbols have these sizes; `None` if one is missing or a size is negative.
    pub fn evaluate(&self, sizes: &BTreeMap<Symbol, usize>) -> Option<Shape> {
        if self.unknown.is_some() {
            return None;
        }
        let dims = self.dims.iter().map(|dim| dim.evaluate(sizes).map(Dim::Known));
        dims.collect::<Option<Vec<_>>>().map(Shape::new)
    }
}

/// Raises the complaint that an unknown rank is asked for.
#[cold]
#[track_caller]
fn rank_is_unknown() -> ! {
    let message = "the number of axes of a placeholder without a shape is asked for";
    raise(Error::new(ErrorKind::Shape, message).with_help(
        "give the placeholder a shape, `None` for a size that varies: `Shape::partial([None, Some(784)])`",
    ))
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(sizes: [usize; N]) -> Shape {
        Shape::from(&sizes[..])
    }
}

impl<const N: usize> From<&[usize; N]> for Shape {
    fn from(sizes: &[usize; N]) -> Shape {
        Shape::from(&sizes[..])
    }
}

impl From<&[usize]> for Shape {
    fn from(sizes: &[usize]) -> Shape {
        Shape::new(sizes.iter().copied().map(Dim::Known))
    }
}

impl From<Vec<usize>> for Shape {
    fn from(sizes: Vec<usize>) -> Shape {
        Shape::from(&sizes[..])
    }
}

impl From<&Shape> for Shape {
    fn from(shape: &Shape) -> Shape {
        shape.clone()
    }
}

impl From<usize> for Shape {
    fn from(size: usize) -> Shape {
        Shape::from([size])
    }
}

impl std::ops::Index<usize> for Shape {
    type Output = Dim;

    fn index(&self, axis: usize) -> &Dim {
        &self.dims()[axis]
    }
}

/// As Python prints a tuple: `(32, 10)`, `(10,)`, `()`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.has_rank() {
            return f.write_str("<unknown>");
        }
        match self.dims() {
            [] => f.write_str("()"),
            [only] => write!(f, "({only},)"),
            [first, rest @ ..] => {
                write!(f, "({first}")?;
                rest.iter().try_for_each(|dim| write!(f, ", {dim}"))?;
                f.write_str(")")
            }
        }
    }
}

/// As Rust prints a list: `[32, 10]`; `[..]` if the rank is unknown.
impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.has_rank() {
            return f.write_str("[..]");
        }
        f.debug_list().entries(self.dims()).finish()
    }
}
