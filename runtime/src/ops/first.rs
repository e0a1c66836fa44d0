//! The first value of a variable of a graph, as an op: each session that initialises the variable computes it.
//! Knows initialisers, and no variable.

use super::initializer::{Initializer, first_value};
use crate::error::Result;
use crate::graph::{
    Attrs, Backward, Effects, Gradient, Kind, Lowered, Op, Specs, Tensor, apply, without_scopes,
};
use crate::kernels::Kernel;
use crate::types::Spec;
use crate::value::Value;
use smallvec::smallvec;
use std::sync::Arc;

/// The first value of the variable of this full name.
#[track_caller]
pub(super) fn first(initializer: Arc<dyn Initializer>, spec: Spec, name: &str) -> Tensor {
    let op = First { initializer, spec, variable: name.into() };
    let label = format!("{name}/Initializer");
    // A closure would hide the caller's line.
    let scopes = without_scopes();
    let value = apply(op, &[], &label);
    drop(scopes);
    value
}

/// What an initialiser gives for a variable.
#[derive(Clone, Debug)]
struct First {
    initializer: Arc<dyn Initializer>,
    spec: Spec,
    variable: Arc<str>,
}

impl Op for First {
    fn name(&self) -> &'static str {
        "Initializer"
    }

    fn attrs(&self) -> Attrs {
        let attrs = Attrs::none()
            .with("dtype", self.spec.dtype())
            .with("initializer", &*format!("{:?}", self.initializer))
            .with("shape", self.spec.shape())
            .with("variable", &*self.variable);
        match self.initializer.bounds(self.spec) {
            Some((low, high)) => attrs.with("low", low).with("high", high),
            None => attrs,
        }
    }

    fn infer(&self, _: &[Spec]) -> Result<Specs> {
        Ok(smallvec![self.spec])
    }

    fn kind(&self) -> Kind {
        Kind::Source
    }

    /// An initialiser may be the user's own, and seeds may be set between two runs.
    fn effects(&self, _: &[Spec]) -> Effects {
        Effects { fails: true, host: true }
    }

    fn grad(&self, _: &Backward<'_>) -> Gradient {
        Gradient::None
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::custom(self.clone())
    }
}

impl Kernel for First {
    fn run(&self, _: &[Value]) -> Result<Vec<Value>> {
        Ok(vec![first_value(&*self.initializer, self.spec, &self.variable)?])
    }
}
