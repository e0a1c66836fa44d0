//! How an op runs, checked against what it inferred: kernels trust what comes from here. Knows no particular op.

use super::{Expand, Lowered, OpRef, Tensor};
use crate::error::{Error, ErrorKind, Result};
use crate::types::Spec;

impl OpRef {
    /// How it runs; all sizes are known.
    ///
    /// # Errors
    /// If its kernel does not take these inputs, or makes other outputs.
    pub fn lowered(&self, inputs: &[Spec], outputs: &[Spec]) -> Result<Lowered<'_>> {
        let lowered = self.lower(inputs, outputs);
        if let Lowered::Kernel(kernel) = &lowered {
            kernel
                .check(inputs, outputs)
                .map_err(|what| self.contradicts(&what, "let `Op::infer` and `Op::lower` agree"))?;
        }
        Ok(lowered)
    }

    /// What it is a function of, where it says that it is one of smaller ops.
    ///
    /// # Errors
    /// If it lowers to a kernel.
    pub fn expansion(&self, inputs: &[Spec], outputs: &[Spec]) -> Result<Expansion<'_>> {
        match self.lower(inputs, outputs) {
            Lowered::Expand(expand) => Ok(Expansion { op: self, expand, outputs: outputs.into() }),
            Lowered::Kernel(_) => Err(self.contradicts(
                "says that it is a function of smaller ops, and lowers to a kernel",
                "let `Op::lower` give `Lowered::Expand`",
            )),
        }
    }

    fn contradicts(&self, what: &str, help: &str) -> Error {
        Error::new(ErrorKind::Value, format!("`{}` {what}", self.name())).with_help(help)
    }
}

/// The function of smaller ops that an op is.
pub struct Expansion<'a> {
    op: &'a OpRef,
    expand: Expand<'a>,
    outputs: Box<[Spec]>,
}

impl Expansion<'_> {
    /// Applies the smaller ops.
    ///
    /// # Errors
    /// What one of them raises; if they give anything else than the op inferred.
    pub fn call(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let made = super::attempt(|| (self.expand)(inputs))?;
        let found: Vec<Spec> = made.iter().map(Tensor::spec).collect();
        if found[..] == *self.outputs {
            return Ok(made);
        }
        let what = format!("infers {:?}, and expands to what gives {found:?}", self.outputs);
        Err(self.op.contradicts(&what, "let `Op::infer` and `Op::lower` agree"))
    }
}
