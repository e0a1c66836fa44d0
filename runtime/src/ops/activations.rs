//! What layers put behind their sums. To add one, add a row, or a struct if it has attributes.
//! Knows lane instructions only; NaN wins in all of them, and at infinities each gives its limit.

use super::forward::on_variables;
use super::functions::logistic;
use super::pure::pure;
use super::rows::{Output, Unary, check_type, sample, unary};
use super::samples::call;
use super::times;
use crate::error::Result;
use crate::graph::{Attrs, Backward, Entry, Gradient, Lowered, Op, OpRef, Specs, Tensor, apply};
use crate::kernels::Lowering;
use crate::kernels::lanes::{Lane, Program};
use crate::types::{FLOATS, NUMBERS, Spec};
use crate::value::Variable;
use smallvec::smallvec;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// The two constants of SELU (Klambauer et al. 2017, arXiv:1706.02515, appendix A.1).
const SELU_ALPHA: f64 = 1.673_263_242_354_377_2;
const SELU_SCALE: f64 = 1.050_700_987_355_480_5;

/// `sqrt(2 / pi)` and the cubic term of GELU's approximation (Hendrycks and Gimpel 2016, arXiv:1606.08415).
const GELU_SLOPE: f64 = FRAC_2_SQRT_PI * FRAC_1_SQRT_2;
const GELU_CUBIC: f64 = 0.044_715;

unary![
    relu = Unary {
        name: "Relu",
        doc: "`max(x, 0)`; NaN stays NaN. The gradient at 0 is 0.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x| x.max(x.same(0.0)),
        grad: Some(|g, x, _| x.greater(0.0).select(g, 0.0)),
        samples: &[-2.0, -0.0, 0.0, 1.5],
    },
    relu6 = Unary {
        name: "Relu6",
        doc: "`min(max(x, 0), 6)`; NaN stays NaN. The gradient at 0 and 6 is 0.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x| x.max(x.same(0.0)).min(x.same(6.0)),
        grad: Some(|g, x, _| (x.greater(0.0) & x.less(6.0)).select(g, 0.0)),
        samples: &[-2.0, 0.0, 1.5, 6.0, 7.0],
    },
    elu = Unary {
        name: "Elu",
        doc: "`x` above 0, `exp(x) - 1` below.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.gt(x.same(0.0)).select(x, x.expm1()),
        grad: Some(|g, x, _| x.greater(0.0).select(g, times(g, x.exp()))),
        samples: &[-20.0, -2.0, 0.0, 1.5],
    },
    selu = Unary {
        name: "Selu",
        doc: "A scaled `elu` that keeps mean and variance: `1.0507 * x` above 0, `1.7581 * (exp(x) - 1)` below. \
              The gradient at 0 is 1.0507.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.gt(x.same(0.0)).select(x, x.expm1() * SELU_ALPHA) * SELU_SCALE,
        grad: Some(|g, x, _| {
            let below = times(g, x.exp() * (SELU_ALPHA * SELU_SCALE));
            x.less(0.0).select(below, g * SELU_SCALE)
        }),
        samples: &[-20.0, -2.0, 0.0, 1.5],
    },
    softplus = Unary {
        name: "Softplus",
        doc: "`log(1 + exp(x))`, exact also where `exp` overflows or the sum rounds to 1.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.max(x.same(0.0)) + (-x.abs()).exp().log1p(),
        grad: Some(|g, x, _| times(g, x.sigmoid())),
        samples: &[-100.0, -2.0, 0.0, 1.5, 100.0],
    },
    softsign = Unary {
        name: "Softsign",
        doc: "`x / (1 + |x|)`, between -1 and 1.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| {
            let size = x.abs();
            let limit = x.max(x.same(-1.0)).min(x.same(1.0));
            size.eq(x.same(f64::INFINITY)).select(limit, x / (size + 1.0))
        },
        grad: Some(|g, x, _| times(g, (x.abs() + 1.0).square().reciprocal())),
        samples: &[-2.0, 0.0, 1.5],
    },
    gelu = Unary {
        name: "Gelu",
        doc: "`x` times the normal distribution function at `x`, `x / 2 * (1 + erf(x / sqrt(2)))`.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| nothing_wins(((x * FRAC_1_SQRT_2).erf() + 1.0) * 0.5, x),
        grad: Some(|g, x, _| {
            let below = ((x * FRAC_1_SQRT_2).erf() + 1.0) * 0.5;
            let density = (x.square() * -0.5).exp() * (GELU_SLOPE * 0.5);
            times(g, below + times(&density, x))
        }),
        samples: &[-20.0, -2.0, 0.0, 1.5],
    },
    gelu_tanh = Unary {
        name: "GeluTanh",
        doc: "The approximation of `gelu` by `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`.",
        types: FLOATS,
        output: Output::Same,
        // (1 + tanh(u)) / 2 is sigmoid(2u), which keeps its digits near 0.
        eval: |x| {
            let inner = (x + x * x * x * GELU_CUBIC) * (2.0 * GELU_SLOPE);
            nothing_wins(logistic(inner), x)
        },
        grad: Some(|g, x, _| {
            let gate = ((x + x * x * x * GELU_CUBIC) * (2.0 * GELU_SLOPE)).sigmoid();
            let slope = (x.square() * (3.0 * GELU_CUBIC) + 1.0) * (2.0 * GELU_SLOPE);
            let bend = times(&(&gate * (1.0 - &gate)), slope * x);
            times(g, gate + bend)
        }),
        samples: &[-20.0, -2.0, 0.0, 1.5],
    },
    silu = Unary {
        name: "Silu",
        doc: "`x * sigmoid(x)`, also called swish.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| nothing_wins(logistic(x), x),
        grad: Some(|g, x, _| {
            let gate = x.sigmoid();
            let bend = times(&(1.0 - &gate), x) + 1.0;
            times(g, times(&gate, bend))
        }),
        samples: &[-30.0, -2.0, 0.0, 1.5],
    },
    hard_sigmoid = Unary {
        name: "HardSigmoid",
        doc: "`relu6(x + 3) / 6`, as in Keras 3 and PyTorch. The gradient at -3 and 3 is 0.",
        types: FLOATS,
        output: Output::Same,
        eval: hard_gate,
        grad: Some(|g, x, _| (x.greater(-3.0) & x.less(3.0)).select(g * (1.0 / 6.0), 0.0)),
        samples: &[-4.0, -3.0, -1.0, 0.0, 2.0, 3.0, 4.0],
    },
    hard_swish = Unary {
        name: "HardSwish",
        doc: "`x * relu6(x + 3) / 6`. The gradient is 0 at -3 and 1 at 3.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| nothing_wins(hard_gate(x), x),
        grad: Some(|g, x, _| {
            let inside = times(g, x * (1.0 / 3.0) + 0.5);
            x.greater(-3.0).select(x.less(3.0).select(inside, g), 0.0)
        }),
        samples: &[-4.0, -3.0, -1.0, 0.0, 2.0, 3.0, 4.0],
    },
];

/// `gate * x`, and 0 where the gate is shut, also for an infinite `x`: the limit, where IEEE has NaN.
fn nothing_wins<'p>(gate: Lane<'p>, x: Lane<'p>) -> Lane<'p> {
    gate.eq(gate.same(0.0)).select(gate.same(-0.0), gate * x)
}

/// `relu6(x + 3) / 6`.
fn hard_gate(x: Lane<'_>) -> Lane<'_> {
    (x + 3.0).max(x.same(0.0)).min(x.same(6.0)) / 6.0
}

impl Tensor {
    /// `x` above 0, `alpha * x` below. The gradient at 0 is `alpha`, as in TensorFlow.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([-2.0f32, 3.0]);
    /// assert_eq!(x.leaky_relu(0.25).to_vec::<f32>(), [-0.5, 3.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error for a tensor of integers or truth values.
    #[track_caller]
    pub fn leaky_relu(&self, alpha: f64) -> Tensor {
        apply(LeakyRelu { alpha }, &[self], "LeakyRelu")
    }
}

on_variables![leaky_relu(alpha: f64) -> Tensor];

/// The activations that have attributes.
pub const OPS: &[Entry] = &[Entry {
    name: "LeakyRelu",
    make: |attrs| Ok(LeakyRelu { alpha: attrs.float("alpha")? }.into()),
    samples: || {
        let with = |alpha| {
            let numbers = |dtype| sample(dtype, [-2.0, 0.0, 1.5].into_iter());
            FLOATS.iter().map(move |dtype| call(LeakyRelu { alpha }, [numbers(*dtype)]))
        };
        with(0.2).chain(with(0.0)).chain(with(-1.0)).collect()
    },
}];

/// A `relu` whose other side is not flat.
#[derive(Debug)]
struct LeakyRelu {
    alpha: f64,
}

impl Op for LeakyRelu {
    fn name(&self) -> &'static str {
        "LeakyRelu"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("alpha", self.alpha)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        check_type("leaky_relu", inputs[0].dtype(), FLOATS)?;
        Ok(smallvec![inputs[0]])
    }

    pure!(Elementwise);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let Some(g) = &call.grads[0] else { return Gradient::None };
        let above = call.inputs[0].greater(0.0);
        Gradient::Inputs(vec![Some(above.select(g, g * self.alpha))])
    }

    fn lower(&self, inputs: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::Lanes(Program::build(&[inputs[0].dtype()], |x| {
            vec![x[0].gt(x[0].same(0.0)).select(x[0], x[0] * self.alpha)]
        })))
    }
}
