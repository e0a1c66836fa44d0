//! Element types. Knows their names and sizes, not what is computed with them.

use std::fmt;

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum DType {
    /// IEEE single precision, `f32`.
    F32,
    /// IEEE double precision, `f64`.
    F64,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `u8`.
    U8,
    /// `bool`, one byte of 0 or 1.
    Bool,
}

/// Every element type.
pub const ALL: &[DType] = &[DType::F32, DType::F64, DType::I32, DType::I64, DType::U8, DType::Bool];
/// The floating types.
pub const FLOATS: &[DType] = &[DType::F32, DType::F64];
/// The integer types.
pub const INTEGERS: &[DType] = &[DType::I32, DType::I64, DType::U8];
/// Every type that has arithmetic.
pub const NUMBERS: &[DType] = &[DType::F32, DType::F64, DType::I32, DType::I64, DType::U8];

impl DType {
    /// The size of one element in bytes.
    pub const fn size(self) -> usize {
        match self {
            DType::F64 | DType::I64 => 8,
            DType::F32 | DType::I32 => 4,
            DType::U8 | DType::Bool => 1,
        }
    }

    /// The name TensorFlow gives it: `float32`, `int64`, `bool`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::F32 => "float32",
            DType::F64 => "float64",
            DType::I32 => "int32",
            DType::I64 => "int64",
            DType::U8 => "uint8",
            DType::Bool => "bool",
        }
    }

    /// The name Rust gives it: `f32`, `i64`, `bool`.
    pub const fn rust_name(self) -> &'static str {
        match self {
            DType::F32 => "f32",
            DType::F64 => "f64",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::U8 => "u8",
            DType::Bool => "bool",
        }
    }

    /// The type that Rust or TensorFlow calls by this name.
    pub fn from_name(name: &str) -> Option<DType> {
        ALL.iter().copied().find(|it| it.name() == name || it.rust_name() == name)
    }

    /// Whether it is `f32` or `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F32 | DType::F64)
    }

    /// Whether it is an integer type (`bool` is not).
    pub const fn is_integer(self) -> bool {
        matches!(self, DType::I32 | DType::I64 | DType::U8)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that tensors may hold. Sealed: the set is closed below.
pub trait Element:
    sealed::Sealed + Copy + PartialEq + PartialOrd + fmt::Debug + fmt::Display + Send + Sync + 'static
{
    /// Its element type.
    const DTYPE: DType;
}

macro_rules! element {
    ($($rust:ty => $dtype:ident),*) => {$(
        impl sealed::Sealed for $rust {}
        impl Element for $rust {
            const DTYPE: DType = DType::$dtype;
        }
    )*};
}
element!(f32 => F32, f64 => F64, i32 => I32, i64 => I64, u8 => U8, bool => Bool);
