//! The elementary functions: exponentials, logarithms, trigonometry, their hyperbolic kin, and the error function.
//! To add one, add a row: nothing else changes. Knows lane instructions only; their accuracy is stated with the kernels.

use super::rows::{Output, Unary, unary};
use super::times;
use crate::graph::{OpRef, Tensor, apply};
use crate::kernels::lanes::Lane;
use crate::types::FLOATS;
use crate::value::Variable;
use std::f64::consts::{FRAC_2_SQRT_PI, LN_2};

unary![
    exp = Unary {
        name: "Exp",
        doc: "The exponential, `e^x`.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.exp(),
        grad: Some(|g, _, y| times(g, y)),
        samples: &[-2.0, 0.0, 1.0],
    },
    exp2 = Unary {
        name: "Exp2",
        doc: "The power of two, `2^x`.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.exp2(),
        grad: Some(|g, _, y| times(g, y * LN_2)),
        samples: &[-2.0, 0.0, 1.0],
    },
    expm1 = Unary {
        name: "Expm1",
        doc: "`e^x - 1`, accurate near 0.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.expm1(),
        // Not `y + 1`, which is 0 where `y` has been rounded to -1.
        grad: Some(|g, x, _| times(g, x.exp())),
        samples: &[-20.0, -1e-9, 0.0, 1.0],
    },
    log = Unary {
        name: "Log",
        doc: "The natural logarithm; -inf at 0 and NaN below.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.log(),
        grad: Some(|g, x, _| times(g, x.reciprocal())),
        samples: &[-1.0, 0.0, 0.5, 3.0],
    },
    log2 = Unary {
        name: "Log2",
        doc: "The logarithm to base 2; -inf at 0 and NaN below.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.log2(),
        grad: Some(|g, x, _| times(g, 1.0 / (x * LN_2))),
        samples: &[-1.0, 0.0, 0.5, 3.0],
    },
    log1p = Unary {
        name: "Log1p",
        doc: "`log(1 + x)`, accurate near 0.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.log1p(),
        grad: Some(|g, x, _| times(g, 1.0 / (x + 1.0))),
        samples: &[-1.0, -0.5, 0.0, 1e-9, 3.0],
    },
    sin = Unary {
        name: "Sin",
        doc: "The sine of an angle in radians.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.sin(),
        grad: Some(|g, x, _| times(g, x.cos())),
        samples: &[-2.0, 0.0, 1.0, 10.0],
    },
    cos = Unary {
        name: "Cos",
        doc: "The cosine of an angle in radians.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.cos(),
        grad: Some(|g, x, _| times(g, -x.sin())),
        samples: &[-2.0, 0.0, 1.0, 10.0],
    },
    tan = Unary {
        name: "Tan",
        doc: "The tangent of an angle in radians.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.tan(),
        grad: Some(|g, _, y| times(g, y.square() + 1.0)),
        samples: &[-1.0, 0.0, 1.0],
    },
    sinh = Unary {
        name: "Sinh",
        doc: "The hyperbolic sine.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.sinh(),
        grad: Some(|g, x, _| times(g, x.cosh())),
        samples: &[-2.0, 0.0, 1.0],
    },
    cosh = Unary {
        name: "Cosh",
        doc: "The hyperbolic cosine.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.cosh(),
        grad: Some(|g, x, _| times(g, x.sinh())),
        samples: &[-2.0, 0.0, 1.0],
    },
    tanh = Unary {
        name: "Tanh",
        doc: "The hyperbolic tangent.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.tanh(),
        grad: Some(|g, _, y| times(g, 1.0 - y.square())),
        samples: &[-30.0, -2.0, 0.0, 1.0],
    },
    sigmoid = Unary {
        name: "Sigmoid",
        doc: "The logistic function, `1 / (1 + exp(-x))`, accurate also where it is near 0.",
        types: FLOATS,
        output: Output::Same,
        eval: logistic,
        grad: Some(|g, _, y| times(g, y * (1.0 - y))),
        samples: &[-30.0, -2.0, 0.0, 3.0],
    },
    erf = Unary {
        name: "Erf",
        doc: "The error function, `2 / sqrt(pi)` times the integral of `exp(-t^2)` from 0 to `x`.",
        types: FLOATS,
        output: Output::Same,
        eval: |x| x.erf(),
        grad: Some(|g, x, _| times(g, (-x.square()).exp() * FRAC_2_SQRT_PI)),
        samples: &[-4.0, -0.5, 0.0, 1.0],
    },
];

/// `1 / (1 + exp(-x))`: the exponential is taken of the negative of the two, so it never overflows.
pub(super) fn logistic(x: Lane<'_>) -> Lane<'_> {
    let small = (-x.abs()).exp();
    x.ge(x.same(0.0)).select(x.same(1.0), small) / (small + 1.0)
}
