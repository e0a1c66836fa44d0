//! Element-wise comparisons, and logic on the truth values that they give. To add an op, add a row.
//! Knows lane instructions only; Rust's own `<` and `==`, which decide one thing for all elements, stand in `decide`.

use super::operand::{Operand, apply_binary};
use super::rows::{Binary, Output, binary};
use crate::graph::Tensor;
use crate::types::{ALL, DType, NUMBERS};
use crate::value::Variable;

binary![
    equal = Binary {
        name: "Equal",
        label: "Equal",
        doc: "Whether they are equal, element by element; NaN is equal to nothing.",
        types: ALL,
        output: Output::Bool,
        eval: |x, y| x.eq(y),
        grad: None,
        samples: &[(1.0, 2.0), (0.0, -0.0), (3.0, 3.0), (f64::NAN, f64::NAN)],
    },
    not_equal = Binary {
        name: "NotEqual",
        label: "NotEqual",
        doc: "Whether they differ, element by element; NaN differs from everything.",
        types: ALL,
        output: Output::Bool,
        eval: |x, y| x.ne(y),
        grad: None,
        samples: &[(1.0, 2.0), (0.0, -0.0), (3.0, 3.0), (f64::NAN, f64::NAN)],
    },
    less = Binary {
        name: "Less",
        label: "Less",
        doc: "Whether `x < y`, element by element; false for NaN.",
        types: NUMBERS,
        output: Output::Bool,
        eval: |x, y| x.lt(y),
        grad: None,
        samples: &[(1.0, 2.0), (2.0, 1.0), (3.0, 3.0), (f64::NAN, 1.0)],
    },
    less_equal = Binary {
        name: "LessEqual",
        label: "LessEqual",
        doc: "Whether `x <= y`, element by element; false for NaN.",
        types: NUMBERS,
        output: Output::Bool,
        eval: |x, y| x.le(y),
        grad: None,
        samples: &[(1.0, 2.0), (2.0, 1.0), (3.0, 3.0), (f64::NAN, 1.0)],
    },
    greater = Binary {
        name: "Greater",
        label: "Greater",
        doc: "Whether `x > y`, element by element; false for NaN.",
        types: NUMBERS,
        output: Output::Bool,
        eval: |x, y| x.gt(y),
        grad: None,
        samples: &[(1.0, 2.0), (2.0, 1.0), (3.0, 3.0), (f64::NAN, 1.0)],
    },
    greater_equal = Binary {
        name: "GreaterEqual",
        label: "GreaterEqual",
        doc: "Whether `x >= y`, element by element; false for NaN.",
        types: NUMBERS,
        output: Output::Bool,
        eval: |x, y| x.ge(y),
        grad: None,
        samples: &[(1.0, 2.0), (2.0, 1.0), (3.0, 3.0), (f64::NAN, 1.0)],
    },
    logical_and = Binary {
        name: "LogicalAnd",
        label: "LogicalAnd",
        doc: "Whether both are true.",
        types: &[DType::Bool],
        output: Output::Bool,
        eval: |x, y| x.and(y),
        grad: None,
        samples: &[(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)],
    },
    logical_or = Binary {
        name: "LogicalOr",
        label: "LogicalOr",
        doc: "Whether at least one is true.",
        types: &[DType::Bool],
        output: Output::Bool,
        eval: |x, y| x.or(y),
        grad: None,
        samples: &[(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)],
    },
    logical_xor = Binary {
        name: "LogicalXor",
        label: "LogicalXor",
        doc: "Whether just one is true.",
        types: &[DType::Bool],
        output: Output::Bool,
        eval: |x, y| x.xor(y),
        grad: None,
        samples: &[(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)],
    },
];
