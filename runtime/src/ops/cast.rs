//! Conversion between element types. Knows one rule for each pair of types, the same in every path.

use super::forward::on_variables;
use super::pure::pure;
use super::rows::sample;
use super::samples::call;
use crate::error::Result;
use crate::graph::{Attrs, Backward, Entry, Gradient, Lowered, Op, Specs, Tensor, apply};
use crate::kernels::Lowering;
use crate::kernels::lanes::Program;
use crate::types::{ALL, DType, Spec};
use smallvec::smallvec;

impl Tensor {
    /// The elements as another type; a tensor of that type comes back as it is.
    ///
    /// As Rust's `as`: floats are cut towards 0 and saturate as integers, NaN becomes 0; integers wrap as narrower
    /// integers and round to the nearest float. Anything but 0 is `true`, NaN included; truth values become 0 and 1.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([f32::NAN, f32::INFINITY, 3e9, -1.9]);
    /// assert_eq!(x.cast(DType::I32).to_vec::<i32>(), [0, i32::MAX, i32::MAX, -1]);
    /// ```
    #[track_caller]
    pub fn cast(&self, to: DType) -> Tensor {
        if to == self.dtype() { self.clone() } else { apply(Cast { to }, &[self], "Cast") }
    }
}

on_variables![cast(to: DType) -> Tensor];

/// The op of this family.
pub const OPS: &[Entry] = &[Entry {
    name: "Cast",
    make: |attrs| Ok(Cast { to: attrs.dtype("to")? }.into()),
    samples: || {
        let numbers = [-1.9, 0.0, 0.5, 3.0, 200.0, 3e9, f64::NAN, f64::INFINITY];
        let pairs = ALL.iter().flat_map(|from| ALL.iter().map(move |to| (*from, *to)));
        pairs.map(|(from, to)| call(Cast { to }, [sample(from, numbers.into_iter())])).collect()
    },
}];

/// The elements as another type.
#[derive(Debug)]
struct Cast {
    to: DType,
}

impl Op for Cast {
    fn name(&self) -> &'static str {
        "Cast"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("to", self.to)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        Ok(smallvec![inputs[0].with_dtype(self.to)])
    }

    pure!(Elementwise);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        match (&call.grads[0], call.inputs[0].dtype()) {
            (Some(g), from) if from.is_float() && self.to.is_float() => {
                Gradient::Inputs(vec![Some(g.cast(from))])
            }
            _ => Gradient::None,
        }
    }

    fn lower(&self, inputs: &[Spec], _: &[Spec]) -> Lowered<'_> {
        let program = Program::build(&[inputs[0].dtype()], |x| vec![x[0].cast(self.to)]);
        Lowered::Kernel(Lowering::Lanes(program))
    }
}
