//! What distinguishes two ops of one name: typed values that print exactly and compare as values. Knows no op.

use crate::error::{Error, ErrorKind, Result};
use crate::kernels::lanes::Scalar;
use crate::types::{DType, Dim, Shape};
use std::fmt;

/// The value of one attribute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Attr {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float, compared by its bits.
    Float(u64),
    /// A list of integers.
    Ints(Vec<i64>),
    /// An element type.
    Type(DType),
    /// A shape.
    Shape(Shape),
    /// A constant of an element type.
    Scalar(Scalar),
    /// A text.
    Text(String),
    /// Something only its maker understands, such as a closure: equal to itself alone.
    Opaque(u64),
}

/// Named attributes, in the order in which they print.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attrs(Vec<(&'static str, Attr)>);

impl Attrs {
    /// No attributes.
    pub fn none() -> Attrs {
        Attrs::default()
    }

    /// These attributes and one more.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Attr>) -> Attrs {
        self.0.push((name, value.into()));
        self
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Attr)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Attributes as they were read from text: looked up by name when an op is made.
#[derive(Clone, Debug, Default)]
pub struct Parsed(pub Vec<(String, Attr)>);

macro_rules! getters {
    ($($name:ident $variant:ident $rust:ty: $from:expr),* $(,)?) => {
        impl Parsed {$(
            /// The attribute of this name and type.
            ///
            /// # Errors
            /// If it is missing or of another type.
            pub fn $name(&self, name: &str) -> Result<$rust> {
                match self.get(name)? {
                    Attr::$variant(it) => Ok($from(it)),
                    other => Err(Error::new(ErrorKind::Format, format!("attribute `{name}` is {other}, which is not of type {}", stringify!($variant)))),
                }
            }
        )*}
    };
}
getters!(
    bool Bool bool: |it: &bool| *it,
    int Int i64: |it: &i64| *it,
    float Float f64: |it: &u64| f64::from_bits(*it),
    ints Ints Vec<i64>: |it: &Vec<i64>| it.clone(),
    dtype Type DType: |it: &DType| *it,
    shape Shape Shape: |it: &Shape| it.clone(),
    scalar Scalar Scalar: |it: &Scalar| *it,
    text Text String: |it: &String| it.clone(),
);

impl Parsed {
    fn get(&self, name: &str) -> Result<&Attr> {
        self.0.iter().find(|(it, _)| it == name).map(|(_, value)| value).ok_or_else(|| {
            Error::new(ErrorKind::Format, format!("attribute `{name}` is missing"))
                .with_help(format!("write `{name}=..` between the braces after the op's inputs"))
        })
    }
}

impl fmt::Display for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attr::Bool(it) => write!(f, "{it}"),
            Attr::Int(it) => write!(f, "{it}"),
            Attr::Float(it) => write!(f, "{:?}", f64::from_bits(*it)),
            Attr::Ints(it) => write!(f, "{it:?}"),
            Attr::Type(it) => f.write_str(it.rust_name()),
            Attr::Shape(it) => write!(f, "{it}"),
            Attr::Scalar(it) => write!(f, "{it:?}"),
            Attr::Text(it) => write!(f, "{it:?}"),
            Attr::Opaque(it) => write!(f, "#{it}"),
        }
    }
}

impl fmt::Display for Attrs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return Ok(());
        }
        f.write_str(" {")?;
        for (i, (name, value)) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{name}={value}")?;
        }
        f.write_str("}")
    }
}

macro_rules! from {
    ($($rust:ty => $make:expr),* $(,)?) => {$(
        impl From<$rust> for Attr {
            fn from(value: $rust) -> Attr {
                let make: fn($rust) -> Attr = $make;
                make(value)
            }
        }
    )*};
}
from!(
    bool => Attr::Bool,
    i64 => Attr::Int,
    usize => |it| Attr::Int(it.cast_signed() as i64),
    f64 => |it| Attr::Float(it.to_bits()),
    Vec<i64> => Attr::Ints,
    &[usize] => |it| Attr::Ints(it.iter().map(|axis| axis.cast_signed() as i64).collect()),
    &[i64] => |it| Attr::Ints(it.to_vec()),
    DType => Attr::Type,
    Shape => Attr::Shape,
    &Shape => |it| Attr::Shape(it.clone()),
    &[Dim] => |it| Attr::Shape(Shape::new(it.iter().cloned())),
    Scalar => Attr::Scalar,
    &str => |it| Attr::Text(it.to_string()),
);
