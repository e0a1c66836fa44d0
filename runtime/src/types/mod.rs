//! What a value may be: element types, dimensions, shapes, and the interned pair of both.
//! Knows no bytes and no ops.

mod dim;
mod dtype;
mod shape;
mod spec;

pub use dim::{Dim, Symbol};
pub use dtype::{ALL, DType, Element, FLOATS, INTEGERS, NUMBERS};
pub use shape::Shape;
pub use spec::Spec;
