//! A layer that has a vector for each of some ids. Knows its variable, and no model.

use super::parts::{Part, declared, make};
use crate::error::Place;
use crate::graph::{Scope, Tensor, or_raise};
use crate::ops::initializer::Uniform;
use crate::types::DType;
use crate::value::Variable;
use graphfn_macros::Tree;

/// A vector for each id, which is learnt. See [`Tensor::embedding_lookup`].
///
/// At the first call it makes its variable: as in Keras, a weight `(ids, units)` of `f32`, uniform from -0.05 to 0.05.
///
/// ```
/// use graphfn::prelude::*;
///
/// let words = Embedding::new(1000, 16);
/// assert_eq!(words.call(&Tensor::from([[3, 7, 999]])).shape().to_string(), "(1, 3, 16)");
/// let error = attempt(|| words.call(&Tensor::from([1000]))).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Index);
/// ```
#[derive(Clone, Debug, Tree)]
pub struct Embedding {
    scope: Scope,
    /// The vectors, `(ids, units)`; without a value until the first call.
    pub weight: Variable,
    ids: usize,
    units: usize,
}

impl Embedding {
    /// A vector of this many units for each id from 0 to below a number.
    #[track_caller]
    pub fn new(ids: usize, units: usize) -> Embedding {
        let weight = declared("weight", &[Some(ids), Some(units)]);
        Embedding { scope: Scope::new("embedding"), weight, ids, units }
    }

    /// The vectors of some ids, along a last axis of their own.
    ///
    /// # Panics
    /// Raises an error for ids that are not integers, and, when it runs, for one out of range.
    #[track_caller]
    pub fn call(&self, ids: &Tensor) -> Tensor {
        let _entered = self.scope.open();
        let sizes = &[Some(self.ids), Some(self.units)];
        let part = Part { variable: &self.weight, sizes, initializer: &Uniform(-0.05, 0.05) };
        or_raise(make(&self.scope, DType::F32, None, &[part], Place::caller()));
        self.weight.read().embedding_lookup(ids)
    }
}
