//! A shape: the sizes of the axes, some of them perhaps unknown. Knows no element type.

use super::{Dim, Symbol};
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
pub struct Shape(SmallVec<[Dim; 4]>);

impl Shape {
    /// The shape with these sizes.
    pub fn new(dims: impl IntoIterator<Item = Dim>) -> Shape {
        Shape(dims.into_iter().collect())
    }

    /// The shape of a scalar.
    pub fn scalar() -> Shape {
        Shape::default()
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The axes.
    pub fn dims(&self) -> &[Dim] {
        &self.0
    }

    /// The sizes, unless one has a symbol in it.
    pub fn known(&self) -> Option<SmallVec<[usize; 6]>> {
        self.0.iter().map(Dim::known).collect()
    }

    /// The number of elements, unless a size is unknown or the product does not fit.
    pub fn len(&self) -> Option<usize> {
        self.0.iter().try_fold(1usize, |total, dim| total.checked_mul(dim.known()?))
    }

    /// Whether it surely has no elements.
    pub fn is_empty(&self) -> bool {
        self.0.iter().any(|dim| *dim == 0)
    }

    /// The symbols in it, each as often as it occurs.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.0.iter().flat_map(Dim::symbols)
    }

    /// The shape, when the symbols have these sizes.
    pub fn evaluate(&self, sizes: &BTreeMap<Symbol, usize>) -> Option<Shape> {
        self.0
            .iter()
            .map(|dim| dim.evaluate(sizes).map(Dim::Known))
            .collect::<Option<_>>()
            .map(Shape)
    }
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
        Shape(sizes.iter().copied().map(Dim::Known).collect())
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
        &self.0[axis]
    }
}

/// As Python prints a tuple: `(32, 10)`, `(10,)`, `()`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

/// As Rust prints a list: `[32, 10]`.
impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.dims()).finish()
    }
}
