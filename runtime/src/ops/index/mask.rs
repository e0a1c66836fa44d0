//! The elements where a mask is true. Knows that their number is data, so a trace cannot hold it.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Tensor, or_raise};
use crate::ops::forward::on_variables;
use crate::types::{DType, Dim, Shape};

impl Tensor {
    /// The elements where a mask is true, in order, along one new first axis. A mask of fewer axes is about the first ones,
    /// and picks what the others hold.
    ///
    /// How many there are depends on the mask, so its value must be known: it cannot be one that a trace computes.
    /// There, [`select`](Tensor::select) keeps the shape.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([1.0f32, -2.0, 3.0]);
    /// assert_eq!(x.boolean_mask(&x.greater(0.0)).to_vec::<f32>(), [1.0, 3.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error for a mask that is not `bool`, has no axes or other sizes than the first axes of this tensor, and for
    /// one whose value is not known while tracing.
    #[track_caller]
    pub fn boolean_mask(&self, mask: &Tensor) -> Tensor {
        let places = or_raise(places(self, mask));
        let rest = self.shape().dims()[mask.rank()..].iter().cloned();
        let len = mask.spec().len().expect("a mask in memory has known sizes");
        self.reshape(Shape::new([Dim::Known(len)].into_iter().chain(rest))).gather(&places, 0)
    }
}

on_variables![boolean_mask(mask: &Tensor) -> Tensor];

/// Where a mask is true, counted in row-major order.
fn places(x: &Tensor, mask: &Tensor) -> Result<Tensor> {
    if mask.dtype() != DType::Bool {
        let message = format!("`boolean_mask` chooses by truth values, found {}", mask.spec());
        return Err(Error::new(ErrorKind::Type, message)
            .with_help("compare first, as in `x.boolean_mask(&x.greater(0.0))`"));
    }
    let rank = mask.rank();
    if rank == 0 || rank > x.rank() || x.shape().dims()[..rank] != *mask.shape().dims() {
        let message = format!(
            "`boolean_mask` needs a mask of the first sizes of the tensor, found {:?} for {:?}",
            mask.shape(),
            x.shape()
        );
        return Err(Error::new(ErrorKind::Shape, message)
            .with_help("a mask has at least one axis; `select` broadcasts a condition"));
    }
    let Some(value) = mask.as_value() else {
        let message = "`boolean_mask` needs a mask whose value is known: how many elements it picks is not known while \
                       tracing";
        return Err(Error::new(ErrorKind::Trace, message).with_help(
            "keep the shape with `mask.select(&x, 0.0)`, or mask outside of the traced function",
        ));
    };
    let truth = value.to_vec::<bool>().expect("it was checked to be of truth values");
    let places: Vec<i64> =
        (0..).zip(truth).filter_map(|(at, is_true)| is_true.then_some(at)).collect();
    Ok(Tensor::from(places))
}
