//! Arithmetic of two inputs, which broadcast. To add an op, add a row: nothing else changes.
//! Knows lane instructions only; how shapes broadcast and how gradients come back from it is not its business.

use super::operand::{Operand, apply_binary};
use super::rows::{Binary, Output, binary};
use super::times;
use crate::graph::Tensor;
use crate::types::{FLOATS, NUMBERS};
use crate::value::Variable;

binary![
    add = Binary {
        name: "AddV2",
        label: "Add",
        doc: "The sum, `x + y`; integers wrap.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x, y| x + y,
        grad: Some(|g, _, _, _| [Some(g.clone()), Some(g.clone())]),
        samples: &[(1.0, 2.0), (-0.5, 0.0)],
    },
    sub = Binary {
        name: "Sub",
        label: "Sub",
        doc: "The difference, `x - y`; integers wrap.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x, y| x - y,
        grad: Some(|g, _, _, _| [Some(g.clone()), Some(-g)]),
        samples: &[(1.0, 2.0), (-0.5, 0.0)],
    },
    mul = Binary {
        name: "Mul",
        label: "Mul",
        doc: "The product, `x * y`; integers wrap.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x, y| x * y,
        grad: Some(|g, x, y, _| [Some(times(g, y)), Some(times(g, x))]),
        samples: &[(1.5, 2.0), (-0.5, 0.0)],
    },
    div = Binary {
        name: "RealDiv",
        label: "truediv",
        doc: "The quotient, `x / y`, of floats.",
        types: FLOATS,
        output: Output::Same,
        eval: |x, y| x / y,
        grad: Some(|g, _, y, z| [Some(times(g, 1.0 / y)), Some(times(g, -(z / y)))]),
        samples: &[(1.5, 2.0), (-0.5, -4.0), (1.0, 0.0)],
    },
    floor_div = Binary {
        name: "FloorDiv",
        label: "floordiv",
        doc: "The quotient rounded down, as NumPy has it: `-7 // 2` is -4, and `1 // 0.1` is 9, for 0.1 is a little more than a tenth. \
              An integer divisor of 0 is an error; the least integer by -1 wraps. No gradient passes.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x, y| x.floor_div(y),
        grad: None,
        samples: &[(7.0, 2.0), (-7.0, 2.0), (7.0, -2.5), (-5.5, 2.0), (1.0, 0.1), (1.0, 0.0)],
    },
    floor_mod = Binary {
        name: "FloorMod",
        label: "FloorMod",
        doc: "What `floor_div` leaves, `x - y * (x // y)`, with the sign of the divisor: `-7 % 3` is 2. \
              An integer divisor of 0 is an error.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x, y| x.floor_mod(y),
        grad: Some(|g, x, y, _| [Some(g.clone()), Some(times(g, -x.floor_div(y)))]),
        samples: &[(7.0, 2.0), (-7.0, 3.0), (7.0, -2.5), (-5.5, 2.0), (1.0, 0.1), (1.0, 0.0)],
    },
    trunc_div = Binary {
        name: "TruncateDiv",
        label: "TruncateDiv",
        doc: "The quotient cut towards 0, as Rust and C divide integers: `-7 / 2` is -3. \
              An integer divisor of 0 is an error; the least integer by -1 wraps. No gradient passes.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x, y| x.trunc_div(y),
        grad: None,
        samples: &[(7.0, 2.0), (-7.0, 2.0), (7.0, -2.5), (-5.5, 2.0), (1.0, 0.0)],
    },
    trunc_mod = Binary {
        name: "TruncateMod",
        label: "TruncateMod",
        doc: "What `trunc_div` leaves, with the sign of the dividend, as Rust's and C's `%`: `-7 % 3` is -1. \
              An integer divisor of 0 is an error.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x, y| x.trunc_mod(y),
        grad: Some(|g, x, y, _| [Some(g.clone()), Some(times(g, -x.trunc_div(y)))]),
        samples: &[(7.0, 2.0), (-7.0, 3.0), (7.0, -2.5), (-5.5, 2.0), (1.0, 0.0)],
    },
    pow = Binary {
        name: "Pow",
        label: "Pow",
        doc: "The power, `x^y`, with the special cases of IEEE `pow`: `0^0` is 1, a negative base to a fraction is NaN. \
              Integers wrap, and a negative integer exponent is an error. The gradient of an exponent is taken as 0 where the base is not \
              positive: no real derivative exists there.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x, y| x.pow(y),
        grad: Some(|g, x, y, z| {
            let base = times(g, times(y, x.pow(y - 1.0)));
            let exponent = x.greater(0.0).select(times(z, x.log()), 0.0);
            [Some(base), Some(times(g, exponent))]
        }),
        samples: &[
            (1.5, 2.0),
            (-2.0, 3.0),
            (0.0, 2.0),
            (0.0, 1.0),
            (2.0, 0.5),
            (0.0, 0.0),
            (3.0, -1.5)
        ],
    },
    squared_difference = Binary {
        name: "SquaredDifference",
        label: "SquaredDifference",
        doc: "The square of the difference, `(x - y)^2`; integers wrap.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x, y| (x - y) * (x - y),
        grad: Some(|g, x, y, _| {
            let gradient = times(g, (x - y) * 2.0);
            let opposite = -&gradient;
            [Some(gradient), Some(opposite)]
        }),
        samples: &[(1.0, 3.5), (-0.5, 0.0), (2.0, 2.0)],
    },
    atan2 = Binary {
        name: "Atan2",
        label: "Atan2",
        doc: "The angle of the point (`other`, `self`), from -pi to pi; the first is the ordinate. The gradient at the origin is 0.",
        types: FLOATS,
        output: Output::Same,
        eval: |y, x| y.atan2(x),
        grad: Some(|g, y, x, _| {
            let inverse = 1.0 / (x.square() + y.square());
            [Some(times(g, times(x, &inverse))), Some(times(g, times(&-y, inverse)))]
        }),
        samples: &[(1.0, 2.0), (-1.0, 0.5), (0.5, -2.0), (-3.0, -1.0), (0.0, 0.0)],
    },
    maximum = Binary {
        name: "Maximum",
        label: "Maximum",
        doc: "The larger of two; NaN wins. Where they are equal, each gets half of the gradient.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x, y| x.max(y),
        grad: Some(|g, x, y, _| shared(g, &x.equal(y), &x.greater(y), &x.less(y))),
        samples: &[(1.0, 2.0), (2.0, -1.5), (0.5, 0.5), (3.0, 2.0)],
    },
    minimum = Binary {
        name: "Minimum",
        label: "Minimum",
        doc: "The smaller of two; NaN wins. Where they are equal, each gets half of the gradient.",
        types: NUMBERS,
        output: Output::Same,
        eval: |x, y| x.min(y),
        grad: Some(|g, x, y, _| shared(g, &x.equal(y), &x.less(y), &x.greater(y))),
        samples: &[(1.0, 2.0), (2.0, -1.5), (0.5, 0.5), (3.0, 2.0)],
    },
];

/// The sum of two gradients that come to one value, named as TensorFlow names it.
#[track_caller]
pub(crate) fn accumulate(a: &Tensor, b: &Tensor) -> Tensor {
    apply_binary(add::row(), a, b, "AddN")
}

/// A gradient for whichever input was taken, and half of it for each where they tie.
fn shared(g: &Tensor, tie: &Tensor, first: &Tensor, second: &Tensor) -> [Option<Tensor>; 2] {
    let half = tie.select(g * 0.5, 0.0);
    [Some(first.select(g, &half)), Some(second.select(g, &half))]
}
