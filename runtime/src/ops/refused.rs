//! What an op does with sizes that it refuses, but that only a call of its trace shows. Knows the complaint alone.

use crate::error::{Error, Result};
use crate::graph::Lowered;
use crate::kernels::{Kernel, Lowering};
use crate::value::Value;
use std::sync::Arc;

/// Raises the error when it is run. An op that may answer so has the effect `fails`.
pub(super) fn refused(error: Error) -> Lowered<'static> {
    Lowered::Kernel(Lowering::Custom(Arc::new(Refused(error))))
}

#[derive(Debug)]
struct Refused(Error);

impl Kernel for Refused {
    fn run(&self, _: &[Value]) -> Result<Vec<Value>> {
        Err(self.0.clone())
    }
}
