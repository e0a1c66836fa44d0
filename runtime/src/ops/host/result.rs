//! What closures of the user's give: arrays, numbers, several of them, perhaps an error. Knows no closure.

use crate::graph::{Tensor, Tensors};
use crate::types::{DType, Element};
use crate::value::Value;
use ndarray::{Array, Dimension};
use std::fmt::Display;

/// Element type and number of axes of an array that a closure takes or gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// The element type.
    pub(super) dtype: DType,
    /// The number of axes, unless any will do.
    pub(super) rank: Option<usize>,
}

impl Form {
    pub(super) fn of<T: Element, D: Dimension>() -> Form {
        Form { dtype: T::DTYPE, rank: D::NDIM }
    }
}

/// One output of a host function: an array of ndarray's, or a number.
pub trait HostOutput {
    /// What is known of it before it is there.
    #[doc(hidden)]
    fn form() -> Form;

    /// It as a value, not copied.
    #[doc(hidden)]
    fn value(self) -> Value;
}

impl<T: Element, D: Dimension> HostOutput for Array<T, D> {
    fn form() -> Form {
        Form::of::<T, D>()
    }

    fn value(self) -> Value {
        self.into()
    }
}

impl<T: Element> HostOutput for T {
    fn form() -> Form {
        Form { dtype: T::DTYPE, rank: Some(0) }
    }

    fn value(self) -> Value {
        Value::scalar(self)
    }
}

/// What a host function may give: an array, a number, a tuple of these, a `Vec` of values, or a `Result` with one of them.
#[diagnostic::on_unimplemented(
    message = "a host function cannot give `{Self}`",
    label = "not an owned array, a number, a tuple of these, a `Vec<Value>`, or a `Result` with one of them",
    note = "help: make an array of a view by `.to_owned()`"
)]
pub trait HostResult {
    /// The tensors of the outputs: one, a tuple, or a `Vec`.
    type Tensors;

    /// What is known of the outputs before they are there; `None` if not even how many they are.
    #[doc(hidden)]
    fn forms() -> Option<Vec<Form>>;

    /// The outputs, or what went wrong.
    #[doc(hidden)]
    fn values(self) -> Result<Vec<Value>, String>;

    /// The outputs of the node, in their container.
    #[doc(hidden)]
    fn tensors(made: Tensors) -> Self::Tensors;
}

impl<O: HostOutput> HostResult for O {
    type Tensors = Tensor;

    fn forms() -> Option<Vec<Form>> {
        Some(vec![O::form()])
    }

    fn values(self) -> Result<Vec<Value>, String> {
        Ok(vec![self.value()])
    }

    fn tensors(made: Tensors) -> Tensor {
        made.into_iter().next().expect("the node has an output for each of the closure's")
    }
}

impl HostResult for Vec<Value> {
    type Tensors = Vec<Tensor>;

    fn forms() -> Option<Vec<Form>> {
        None
    }

    fn values(self) -> Result<Vec<Value>, String> {
        Ok(self)
    }

    fn tensors(made: Tensors) -> Vec<Tensor> {
        made.into_vec()
    }
}

/// The error's words become those of the call.
impl<R: HostResult, E: Display> HostResult for Result<R, E> {
    type Tensors = R::Tensors;

    fn forms() -> Option<Vec<Form>> {
        R::forms()
    }

    fn values(self) -> Result<Vec<Value>, String> {
        self.map_err(|error| error.to_string())?.values()
    }

    fn tensors(made: Tensors) -> R::Tensors {
        R::tensors(made)
    }
}

macro_rules! tuples {
    ($(($($name:ident),+)),+ $(,)?) => {$(
        impl<$($name: HostOutput),+> HostResult for ($($name,)+) {
            type Tensors = ($(tuples!(@tensor $name),)+);

            fn forms() -> Option<Vec<Form>> {
                Some(vec![$($name::form()),+])
            }

            #[allow(non_snake_case, reason = "a value has its type's name")]
            fn values(self) -> Result<Vec<Value>, String> {
                let ($($name,)+) = self;
                Ok(vec![$($name.value()),+])
            }

            fn tensors(made: Tensors) -> Self::Tensors {
                let mut made = made.into_iter();
                ($({
                    let tensor: Option<tuples!(@tensor $name)> = made.next();
                    tensor.expect("the node has an output for each of the closure's")
                },)+)
            }
        }
    )+};
    (@tensor $name:ident) => { Tensor };
}
tuples!((A, B), (A, B, C), (A, B, C, D));
