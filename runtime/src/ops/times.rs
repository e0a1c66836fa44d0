//! The product that gradient rules use: 0 where the gradient is 0, whatever it is multiplied by. Knows no other op.

use super::broadcast::{broadcast, sum_like};
use super::pure::pure;
use super::rows::{check_type, different_types, sample};
use super::samples::call;
use crate::error::Result;
use crate::graph::{
    Attrs, Backward, Entry, Gradient, Lowered, Op, OpRef, Sample, Specs, Tensor, apply,
};
use crate::kernels::Lowering;
use crate::kernels::lanes::Program;
use crate::types::{DType, NUMBERS, Spec};
use smallvec::smallvec;

/// `0` where `g` is 0, else `g * d`: a branch that was not chosen contributes exactly 0, even where `d` is infinite or NaN.
///
/// Its own gradient is `times(gg, d)` to `g`, and to `d` the product of `gg` and `g` that is 0 where either is: so second
/// derivatives stay right, and what was not chosen contributes nothing to them either.
#[track_caller]
pub fn times(g: &Tensor, d: impl Into<Tensor>) -> Tensor {
    apply(OpRef::Static(&Times { zero: Zero::First }), &[g, &d.into()], "Mul")
}

/// The product, 0 where either is 0; so are its gradients.
#[track_caller]
fn times_both(a: &Tensor, b: &Tensor) -> Tensor {
    apply(OpRef::Static(&Times { zero: Zero::Either }), &[a, b], "Mul")
}

/// The ops of this family.
pub const OPS: &[Entry] = &[
    Entry {
        name: "MulNoNan",
        make: |_| Ok(OpRef::Static(&Times { zero: Zero::First })),
        samples: || samples(Zero::First),
    },
    Entry {
        name: "MulNoNanEither",
        make: |_| Ok(OpRef::Static(&Times { zero: Zero::Either })),
        samples: || samples(Zero::Either),
    },
];

fn samples(zero: Zero) -> Vec<Sample> {
    let of = |dtype: &DType| {
        let g = sample(*dtype, [1.5, -2.0, 0.0, 3.0, f64::INFINITY].into_iter());
        let d = sample(*dtype, [2.0, 0.5, f64::INFINITY, 0.0, 1.0].into_iter());
        call(Times { zero }, [g, d])
    };
    NUMBERS.iter().map(of).collect()
}

/// The product, 0 where an input is 0.
#[derive(Clone, Copy, Debug)]
struct Times {
    zero: Zero,
}

/// Which input makes the product 0, whatever the other one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zero {
    /// The first.
    First,
    /// Either.
    Either,
}

impl Op for Times {
    fn name(&self) -> &'static str {
        match self.zero {
            Zero::First => "MulNoNan",
            Zero::Either => "MulNoNanEither",
        }
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let [g, d] = [inputs[0], inputs[1]];
        if g.dtype() != d.dtype() {
            return Err(different_types("times", g, d));
        }
        check_type("times", g.dtype(), NUMBERS)?;
        Ok(smallvec![g.with_shape(broadcast("times", g.shape(), d.shape())?)])
    }

    pure!(Elementwise);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let Some(gg) = &call.grads[0] else { return Gradient::None };
        let [g, d] = [&call.inputs[0], &call.inputs[1]];
        let to_g = match self.zero {
            Zero::First => times(gg, d),
            Zero::Either => times_both(gg, d),
        };
        Gradient::Inputs(vec![Some(sum_like(&to_g, g)), Some(sum_like(&times_both(gg, g), d))])
    }

    fn lower(&self, inputs: &[Spec], _: &[Spec]) -> Lowered<'_> {
        let dtype = inputs[0].dtype();
        Lowered::Kernel(Lowering::Lanes(Program::build(&[dtype, dtype], |x| {
            let zero = x[0].same(0.0);
            let product = x[0].eq(zero).select(zero, x[0] * x[1]);
            vec![match self.zero {
                Zero::First => product,
                Zero::Either => x[1].eq(zero).select(zero, product),
            }]
        })))
    }
}
