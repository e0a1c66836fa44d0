//! What closures of the user's take: views of ndarray's, one for each input, or all inputs in a slice.
//! Knows what they give by its trait alone.

use super::result::{Form, HostResult};
use crate::error::Result;
use crate::graph::Tensor;
use crate::types::Element;
use crate::value::Value;
use ndarray::{ArrayView, Dimension};
use std::marker::PhantomData;

/// A closure that a host function can be made of, with one of these forms:
///
/// - up to four views of ndarray's, of element types and numbers of axes that the closure names:
///   `|x: ArrayView2<f32>, y: ArrayViewD<i64>| ..`;
/// - all inputs in a slice, whatever they are: `|inputs: &[Value]| ..`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a host function",
    label = "not a closure over views such as `|x: ArrayViewD<f32>| ..`, or over `&[Value]`",
    note = "help: write the types of the closure's parameters, own what it captures (`move`), and give an owned array"
)]
pub trait HostBody<Written>: Send + Sync + 'static {
    /// Its inputs: `[Tensor; N]`, or `Vec<Tensor>` where there may be any number.
    type Inputs: HostInputs;
    /// What it gives.
    type Output: HostResult;

    /// What is known of its inputs; `None` if anything will do.
    #[doc(hidden)]
    fn takes() -> Option<Vec<Form>>;

    /// Runs it.
    #[doc(hidden)]
    fn run(&self, inputs: &[Value]) -> Result<Self::Output>;
}

/// How the inputs of a host function are given: as an array of tensors where their number is known, else as a slice.
pub trait HostInputs {
    /// The inputs of a call.
    type Given<'t>;

    /// The inputs in a list.
    #[doc(hidden)]
    fn list<'a, 't>(given: &'a Self::Given<'t>) -> &'a [&'t Tensor];
}

impl<const N: usize> HostInputs for [Tensor; N] {
    type Given<'t> = [&'t Tensor; N];

    fn list<'a, 't>(given: &'a Self::Given<'t>) -> &'a [&'t Tensor] {
        given
    }
}

impl HostInputs for Vec<Tensor> {
    type Given<'t> = &'t [&'t Tensor];

    fn list<'a, 't>(given: &'a Self::Given<'t>) -> &'a [&'t Tensor] {
        given
    }
}

/// The mark of closures over a slice of values.
#[doc(hidden)]
pub struct Listed<R>(PhantomData<R>);

impl<F, R> HostBody<Listed<R>> for F
where
    F: Fn(&[Value]) -> R + Send + Sync + 'static,
    R: HostResult,
{
    type Inputs = Vec<Tensor>;
    type Output = R;

    fn takes() -> Option<Vec<Form>> {
        None
    }

    fn run(&self, inputs: &[Value]) -> Result<R> {
        Ok(self(inputs))
    }
}

macro_rules! views {
    ($($count:literal: $($element:ident $axes:ident $at:tt),*;)+) => {$(
        impl<F, R, $($element, $axes),*> HostBody<(R, $(($element, $axes),)*)> for F
        where
            F: Fn($(ArrayView<'_, $element, $axes>),*) -> R + Send + Sync + 'static,
            R: HostResult,
            $($element: Element, $axes: Dimension),*
        {
            type Inputs = [Tensor; $count];
            type Output = R;

            fn takes() -> Option<Vec<Form>> {
                Some(vec![$(Form::of::<$element, $axes>()),*])
            }

            fn run(&self, _inputs: &[Value]) -> Result<R> {
                Ok(self($(view::<$element, $axes>(&_inputs[$at])?),*))
            }
        }
    )+};
}
views!(
    0: ;
    1: A DA 0;
    2: A DA 0, B DB 1;
    3: A DA 0, B DB 1, C DC 2;
    4: A DA 0, B DB 1, C DC 2, D DD 3;
);

fn view<T: Element, D: Dimension>(value: &Value) -> Result<ArrayView<'_, T, D>> {
    let view = value.view_array::<T>()?.into_dimensionality();
    Ok(view.expect("the number of axes was checked when the op was inferred"))
}
