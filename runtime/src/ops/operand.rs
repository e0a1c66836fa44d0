//! What may stand beside a tensor in an op: tensors, variables, numbers, arrays. Knows how a number adapts to a tensor's type.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{OpRef, Tensor, apply, raise};
use crate::kernels::lanes::Scalar;
use crate::ops::rows::Binary;
use crate::types::{DType, Element};
use crate::value::{Value, Variable};
use ndarray::{ArrayBase, Data, Dimension};
use std::borrow::Cow;

mod sealed {
    pub trait Sealed {}
}

/// What may stand on the right of an operator or in an op beside a tensor. Sealed.
///
/// An `f64` adapts to the tensor's float type; an integer to any type that holds it exactly; an `f32` stands beside
/// `f32` only, and a float never beside integers: nothing is rounded by itself.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand beside a tensor",
    label = "not a tensor, a variable, a number or an ndarray array",
    note = "help: make a tensor of it: `Tensor::from(..)`"
)]
pub trait Operand: sealed::Sealed {
    /// The tensor beside one of this element type.
    ///
    /// # Errors
    /// If a number does not fit the type.
    #[doc(hidden)]
    #[track_caller]
    fn operand(&self, beside: DType) -> Result<Cow<'_, Tensor>>;

    /// The element type that it has by itself; `None` for a number that adapts.
    #[doc(hidden)]
    fn own_type(&self) -> Option<DType>;

    /// Whether it is a bare number or truth value, without axes.
    #[doc(hidden)]
    fn is_number(&self) -> bool;
}

/// Applies an op of two inputs to a tensor and an operand.
#[track_caller]
pub(super) fn apply_binary(
    row: &'static Binary,
    left: &Tensor,
    right: &impl Operand,
    label: &str,
) -> Tensor {
    match right.operand(left.dtype()) {
        Ok(right) => apply(OpRef::Static(row), &[left, &right], label),
        Err(error) => raise(error),
    }
}

/// Two operands, each adapted to the other's type.
///
/// # Errors
/// If both are numbers that adapt, and if one does not fit the type of the other.
#[track_caller]
pub(super) fn pair<'a>(
    op: &str,
    a: &'a impl Operand,
    b: &'a impl Operand,
) -> Result<[Cow<'a, Tensor>; 2]> {
    let [own_a, own_b] = [a.own_type(), b.own_type()];
    let (Some(beside_a), Some(beside_b)) = (own_b.or(own_a), own_a.or(own_b)) else {
        let message = format!("`{op}` cannot tell the element type of two bare numbers");
        return Err(Error::new(ErrorKind::Type, message)
            .with_help("give one of them a type: `1.0f32`, or `Tensor::from(1)`"));
    };
    Ok([a.operand(beside_a)?, b.operand(beside_b)?])
}

impl sealed::Sealed for Tensor {}
impl Operand for Tensor {
    fn operand(&self, _: DType) -> Result<Cow<'_, Tensor>> {
        Ok(Cow::Borrowed(self))
    }

    fn own_type(&self) -> Option<DType> {
        Some(self.dtype())
    }

    fn is_number(&self) -> bool {
        false
    }
}

impl sealed::Sealed for Variable {}
impl Operand for Variable {
    fn operand(&self, _: DType) -> Result<Cow<'_, Tensor>> {
        crate::ops::state::read(self).map(Cow::Owned)
    }

    fn own_type(&self) -> Option<DType> {
        // One without a value complains when it is read, whatever its type.
        Some(self.spec().map_or(DType::F32, |spec| spec.dtype()))
    }

    fn is_number(&self) -> bool {
        false
    }
}

impl<T: Operand + ?Sized> sealed::Sealed for &T {}
impl<T: Operand + ?Sized> Operand for &T {
    fn operand(&self, beside: DType) -> Result<Cow<'_, Tensor>> {
        (**self).operand(beside)
    }

    fn own_type(&self) -> Option<DType> {
        (**self).own_type()
    }

    fn is_number(&self) -> bool {
        (**self).is_number()
    }
}

impl<T: Element, S: Data<Elem = T>, D: Dimension> sealed::Sealed for ArrayBase<S, D> {}
impl<T: Element, S: Data<Elem = T>, D: Dimension> Operand for ArrayBase<S, D> {
    fn operand(&self, _: DType) -> Result<Cow<'_, Tensor>> {
        Ok(Cow::Owned(Value::from(self).into()))
    }

    fn own_type(&self) -> Option<DType> {
        Some(T::DTYPE)
    }

    fn is_number(&self) -> bool {
        false
    }
}

/// A scalar tensor.
pub(crate) fn scalar(value: Scalar) -> Tensor {
    match value {
        Scalar::F32(it) => it.into(),
        Scalar::F64(it) => it.into(),
        Scalar::I32(it) => it.into(),
        Scalar::I64(it) => it.into(),
        Scalar::U8(it) => it.into(),
        Scalar::Bool(it) => it.into(),
    }
}

/// A number as an element of a type, by the rule for numbers beside tensors.
///
/// # Errors
/// If it does not fit the type.
pub(crate) fn adapted_scalar(number: Scalar, dtype: DType) -> Result<Scalar> {
    match number {
        Scalar::F32(it) => it.operand(dtype).map(|_| Scalar::from_f64(it.into(), dtype)),
        Scalar::F64(it) => it.operand(dtype).map(|_| Scalar::from_f64(it, dtype)),
        Scalar::I64(it) if dtype == DType::I64 => Ok(Scalar::I64(it)),
        Scalar::I64(it) => it.operand(dtype).map(|_| Scalar::from_f64(it as f64, dtype)),
        Scalar::I32(it) => it.operand(dtype).map(|_| Scalar::from_f64(it.into(), dtype)),
        Scalar::U8(it) => it.operand(dtype).map(|_| Scalar::from_f64(it.into(), dtype)),
        Scalar::Bool(it) => it.operand(dtype).map(|_| Scalar::Bool(it)),
    }
}

fn adapted(value: Scalar) -> Result<Cow<'static, Tensor>> {
    Ok(Cow::Owned(scalar(value)))
}

fn float_beside_integers(value: f64, beside: DType) -> Error {
    Error::new(
        ErrorKind::Type,
        format!("the number {value:?} stands beside a tensor of {beside}, which does not hold it"),
    )
    .with_help("convert the tensor first: `.cast(DType::F32)`")
}

impl sealed::Sealed for f64 {}
impl Operand for f64 {
    fn operand(&self, beside: DType) -> Result<Cow<'_, Tensor>> {
        if !beside.is_float() {
            return Err(float_beside_integers(*self, beside));
        }
        adapted(Scalar::from_f64(*self, beside))
    }

    fn own_type(&self) -> Option<DType> {
        None
    }

    fn is_number(&self) -> bool {
        true
    }
}

impl sealed::Sealed for f32 {}
impl Operand for f32 {
    fn operand(&self, beside: DType) -> Result<Cow<'_, Tensor>> {
        match beside {
            DType::F32 => adapted(Scalar::F32(*self)),
            DType::F64 => Err(Error::new(
                ErrorKind::Type,
                format!("an f32 number ({self:?}) stands beside a tensor of float64"),
            )
            .with_help("write `f64::from(..)` around the number")),
            _ => Err(float_beside_integers((*self).into(), beside)),
        }
    }

    fn own_type(&self) -> Option<DType> {
        Some(DType::F32)
    }

    fn is_number(&self) -> bool {
        true
    }
}

impl sealed::Sealed for bool {}
impl Operand for bool {
    fn operand(&self, beside: DType) -> Result<Cow<'_, Tensor>> {
        if beside != DType::Bool {
            return Err(Error::new(
                ErrorKind::Type,
                format!("a truth value stands beside a tensor of {beside}"),
            )
            .with_help("convert it first: `Tensor::from(true).cast(..)`"));
        }
        adapted(Scalar::Bool(*self))
    }

    fn own_type(&self) -> Option<DType> {
        Some(DType::Bool)
    }

    fn is_number(&self) -> bool {
        true
    }
}

/// An integer as an element of a type, if that holds it exactly.
fn exact(value: i128, beside: DType) -> Result<Cow<'static, Tensor>> {
    let fits = match beside {
        DType::F32 => (value as f32) as i128 == value,
        DType::F64 => (value as f64) as i128 == value,
        DType::I32 => i32::try_from(value).is_ok(),
        DType::I64 => i64::try_from(value).is_ok(),
        DType::U8 => u8::try_from(value).is_ok(),
        DType::Bool => false,
    };
    if !fits {
        return Err(Error::new(ErrorKind::Type, format!("the number {value} stands beside a tensor of {beside}, which does not hold it exactly"))
            .with_help("convert the tensor first, or round the number yourself"));
    }
    adapted(match beside {
        DType::I64 => Scalar::I64(value as i64),
        beside => Scalar::from_f64(value as f64, beside),
    })
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl sealed::Sealed for $type {}
        impl Operand for $type {
            fn operand(&self, beside: DType) -> Result<Cow<'_, Tensor>> {
                exact(*self as i128, beside)
            }

            fn own_type(&self) -> Option<DType> {
                None
            }

            fn is_number(&self) -> bool {
                true
            }
        }
    )*};
}
integers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

#[cfg(test)]
mod tests {
    use super::*;

    fn beside<T: Operand>(value: T, dtype: DType) -> std::result::Result<String, String> {
        value.operand(dtype).map(|it| format!("{it:?}")).map_err(|it| it.message().to_string())
    }

    #[test]
    fn numbers_adapt_where_nothing_is_lost() {
        assert_eq!(beside(0.1, DType::F32).unwrap(), "Tensor(0.1, shape=(), dtype=float32)");
        assert_eq!(beside(2, DType::F64).unwrap(), "Tensor(2.0, shape=(), dtype=float64)");
        assert_eq!(
            beside(i64::MAX, DType::I64).unwrap(),
            "Tensor(9223372036854775807, shape=(), dtype=int64)"
        );
        assert!(beside(16_777_217, DType::F32).unwrap_err().contains("16777217"));
        assert!(beside(300, DType::U8).unwrap_err().contains("does not hold it exactly"));
        assert!(
            beside(0.5, DType::I32).unwrap_err().contains("0.5 stands beside a tensor of int32")
        );
        assert!(beside(1.0f32, DType::F64).unwrap_err().contains("an f32 number"));
        assert!(beside(true, DType::I32).unwrap_err().contains("truth value"));
    }
}
