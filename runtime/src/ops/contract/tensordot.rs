//! Products summed over pairs of axes. Knows how users name the pairs.

use super::labelled::{Label, Labelled, product};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Tensor, or_raise};
use crate::kernels;
use crate::ops::axes::Axes;
use crate::ops::forward::on_variables;
use crate::ops::operand::Operand;
use crate::ops::rows::{check_type, different_types};
use crate::types::{NUMBERS, Spec};

/// Which axes of two tensors go together: `2` for the last two of the first with the first two of the second, or both
/// lists, as in `([0, 1], [1, 0])`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs(Which);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Which {
    Between(usize),
    These(Axes, Axes),
}

impl From<usize> for Pairs {
    fn from(count: usize) -> Pairs {
        Pairs(Which::Between(count))
    }
}

impl<A: Into<Axes>, B: Into<Axes>> From<(A, B)> for Pairs {
    fn from((first, second): (A, B)) -> Pairs {
        Pairs(Which::These(first.into(), second.into()))
    }
}

impl Tensor {
    /// The sum of products over pairs of axes, as `numpy.tensordot`: what is left are the other axes of this, then those of
    /// the other.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.tensordot(&x, 1).to_vec::<f32>(), [7.0, 10.0, 15.0, 22.0]);
    /// assert_eq!(x.tensordot(&x, ([0, 1], [1, 0])).item::<f32>(), 1.0 + 2.0 * 3.0 * 2.0 + 16.0);
    /// ```
    ///
    /// # Panics
    /// Raises an error if the axes are not there, are not as many of each, or have different sizes, and if the element types
    /// differ or are `bool`.
    #[track_caller]
    pub fn tensordot(&self, other: impl Operand, axes: impl Into<Pairs>) -> Tensor {
        let other = or_raise(other.operand(self.dtype()));
        let [first, second] = or_raise(paired(&axes.into(), self.spec(), other.spec()));
        let left = (0..self.rank()).map(Label::Axis).collect();
        let right = (0..other.rank()).map(|axis| match second.iter().position(|it| *it == axis) {
            Some(pair) => Label::Axis(first[pair]),
            None => Label::Axis(self.rank() + axis),
        });
        let right = Labelled { tensor: other.as_ref().clone(), labels: right.collect() };
        let is_summed = |it| matches!(it, Label::Axis(axis) if first.contains(&axis));
        product(&Labelled { tensor: self.clone(), labels: left }, &right, |it| !is_summed(it))
            .tensor
    }
}

on_variables![tensordot(other: impl Operand, axes: impl Into<Pairs>) -> Tensor];

/// The axes of both that go together.
///
/// # Errors
/// If they do not.
fn paired(pairs: &Pairs, a: Spec, b: Spec) -> Result<[kernels::Axes; 2]> {
    if a.dtype() != b.dtype() {
        return Err(different_types("tensordot", a, b));
    }
    check_type("tensordot", a.dtype(), NUMBERS)?;
    let (x, y) = (a.shape(), b.shape());
    let [first, second]: [kernels::Axes; 2] = match &pairs.0 {
        Which::These(first, second) => {
            [first.among("tensordot", a.rank())?, second.among("tensordot", b.rank())?]
        }
        Which::Between(count) if *count <= a.rank().min(b.rank()) => {
            [(a.rank() - count..a.rank()).collect(), (0..*count).collect()]
        }
        Which::Between(count) => {
            let message = format!("`tensordot` needs {count} axes of each, found {x:?} and {y:?}");
            return Err(Error::new(ErrorKind::Shape, message)
                .with_help("name the axes of both, as in `x.tensordot(&y, ([0], [1]))`"));
        }
    };
    if first.len() != second.len() {
        let (first, second) = (&first[..], &second[..]);
        let message =
            format!("`tensordot` needs as many axes of each, found {first:?} and {second:?}");
        return Err(Error::new(ErrorKind::Index, message)
            .with_help("the first axis of one list goes with the first of the other"));
    }
    match first.iter().zip(&second).find(|(i, j)| x[**i] != y[**j]) {
        None => Ok([first, second]),
        Some((i, j)) => {
            let (of_x, of_y) = (&x[*i], &y[*j]);
            let message = format!(
                "`tensordot` needs equal sizes along axes {i} and {j}, found {of_x} and {of_y} in {x:?} and {y:?}"
            );
            let help = if of_x.known().is_some() && of_y.known().is_some() {
                "axes that go together have one size"
            } else {
                "whether they are equal is not known while tracing: give equal sizes one name in the signature"
            };
            Err(Error::new(ErrorKind::Shape, message).with_help(help))
        }
    }
}
