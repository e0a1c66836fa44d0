//! A constant of any element type. Knows bits, and no programs.

use crate::types::{DType, Element};
use std::fmt;

/// A constant of any element type, compared by its bits.
#[derive(Clone, Copy)]
pub enum Scalar {
    /// An `f32`.
    F32(f32),
    /// An `f64`.
    F64(f64),
    /// An `i32`.
    I32(i32),
    /// An `i64`.
    I64(i64),
    /// A `u8`.
    U8(u8),
    /// A `bool`.
    Bool(bool),
}

impl Scalar {
    /// A number as an element of this type; numbers that do not fit saturate, as casts do.
    pub fn from_f64(value: f64, dtype: DType) -> Scalar {
        match dtype {
            DType::F32 => Scalar::F32(value as f32),
            DType::F64 => Scalar::F64(value),
            DType::I32 => Scalar::I32(value as i32),
            DType::I64 => Scalar::I64(value as i64),
            DType::U8 => Scalar::U8(value as u8),
            DType::Bool => Scalar::Bool(value != 0.0),
        }
    }

    /// The element type.
    pub fn dtype(self) -> DType {
        match self {
            Scalar::F32(_) => DType::F32,
            Scalar::F64(_) => DType::F64,
            Scalar::I32(_) => DType::I32,
            Scalar::I64(_) => DType::I64,
            Scalar::U8(_) => DType::U8,
            Scalar::Bool(_) => DType::Bool,
        }
    }

    /// The bits, zero-extended.
    pub fn bits(self) -> u64 {
        match self {
            Scalar::F32(it) => it.to_bits().into(),
            Scalar::F64(it) => it.to_bits(),
            Scalar::I32(it) => u64::from(it.cast_unsigned()),
            Scalar::I64(it) => it.cast_unsigned(),
            Scalar::U8(it) => it.into(),
            Scalar::Bool(it) => it.into(),
        }
    }
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Scalar) -> bool {
        (self.dtype(), self.bits()) == (other.dtype(), other.bits())
    }
}

impl Eq for Scalar {}

impl std::hash::Hash for Scalar {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.dtype(), self.bits()).hash(state);
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::F32(it) => write!(f, "{it:?}f32"),
            Scalar::F64(it) => write!(f, "{it:?}f64"),
            Scalar::I32(it) => write!(f, "{it}i32"),
            Scalar::I64(it) => write!(f, "{it}i64"),
            Scalar::U8(it) => write!(f, "{it}u8"),
            Scalar::Bool(it) => write!(f, "{it}"),
        }
    }
}

/// The constant as it stands in memory, for tests and printing.
impl<T: Element> From<T> for Scalar {
    fn from(value: T) -> Scalar {
        let any: &dyn std::any::Any = &value;
        match T::DTYPE {
            DType::F32 => any.downcast_ref().copied().map(Scalar::F32),
            DType::F64 => any.downcast_ref().copied().map(Scalar::F64),
            DType::I32 => any.downcast_ref().copied().map(Scalar::I32),
            DType::I64 => any.downcast_ref().copied().map(Scalar::I64),
            DType::U8 => any.downcast_ref().copied().map(Scalar::U8),
            DType::Bool => any.downcast_ref().copied().map(Scalar::Bool),
        }
        .expect("the element types are these six")
    }
}
