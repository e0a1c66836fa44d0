//! Rewrites that are exact in floating point, one a row. Knows ops by name, for it is about particular ops.

use super::walk::{self, Values};
use crate::error::Result;
use crate::graph::{Graph, Node, NodeKind, OpRef, Ref};
use crate::types::DType;
use smallvec::smallvec;

/// `op(x, constant) => x` and its kin: the other operand comes back as it is.
struct Neutral {
    op: &'static str,
    /// The constant, as a number.
    constant: f64,
    /// Whether zero must be this zero: `x + -0.0` is exact, `x + 0.0` turns -0 into 0.
    negative_zero: bool,
    side: Side,
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Right,
    Either,
}

const NEUTRAL: &[Neutral] = &[
    // x * 1 => x
    Neutral { op: "Mul", constant: 1.0, negative_zero: false, side: Side::Either },
    // x / 1 => x
    Neutral { op: "RealDiv", constant: 1.0, negative_zero: false, side: Side::Right },
    // x + -0 => x
    Neutral { op: "AddV2", constant: 0.0, negative_zero: true, side: Side::Either },
    // x - 0 => x
    Neutral { op: "Sub", constant: 0.0, negative_zero: false, side: Side::Right },
    // x && true => x
    Neutral { op: "LogicalAnd", constant: 1.0, negative_zero: false, side: Side::Either },
    // x || false => x
    Neutral { op: "LogicalOr", constant: 0.0, negative_zero: false, side: Side::Either },
];

/// `op(op(x)) => x`.
const INVOLUTIONS: &[&str] = &["Neg", "LogicalNot"];

/// `op(x) => x`.
const IDENTITIES: &[&str] = &["Identity", "StopGradient"];

/// Applies every row wherever it fits, once through the graph.
pub fn simplify(graph: &Graph) -> Result<Graph> {
    Ok(walk::copy(graph, |copy, node| {
        let NodeKind::Op(op) = &node.kind else { return None };
        // Rows are ours: an op of the user's may be called like one.
        let row = matches!(op, OpRef::Static(_)).then(|| op.name());
        let value = row
            .and_then(|row| identity(row, node))
            .or_else(|| unchanged(copy, op.name(), node))
            .or_else(|| involution(copy, row?, node))
            .or_else(|| neutral(copy, row?, node))?;
        Some(Values::from(smallvec![value]))
    }))
}

fn identity(op: &str, node: &Node) -> Option<Ref> {
    IDENTITIES.contains(&op).then(|| node.inputs[0])
}

/// A cast, reshape or broadcast to what the value is already.
fn unchanged(graph: &Graph, op: &str, node: &Node) -> Option<Ref> {
    let is_conversion = matches!(op, "Cast" | "Reshape" | "BroadcastTo");
    (is_conversion && graph.spec(node.inputs[0]) == node.outputs[0]).then(|| node.inputs[0])
}

fn involution(graph: &Graph, op: &str, node: &Node) -> Option<Ref> {
    if !INVOLUTIONS.contains(&op) {
        return None;
    }
    let Ref::Node(inner, _) = node.inputs[0] else { return None };
    let inner = graph.node(inner);
    let is_same = matches!(inner.kind.op(), Some(OpRef::Static(row)) if row.name() == op);
    is_same.then(|| inner.inputs[0])
}

fn neutral(graph: &Graph, op: &str, node: &Node) -> Option<Ref> {
    let fits = |row: &&Neutral, constant: Ref, other: Ref| {
        row.op == op && graph.spec(other) == node.outputs[0] && is_scalar(graph, constant, row)
    };
    let &[left, right] = &node.inputs[..] else { return None };
    if NEUTRAL.iter().any(|row| fits(&row, right, left)) {
        return Some(left);
    }
    NEUTRAL.iter().any(|row| row.side == Side::Either && fits(&row, left, right)).then_some(right)
}

/// Whether a value is a scalar constant of this number.
fn is_scalar(graph: &Graph, value: Ref, row: &Neutral) -> bool {
    let Ref::Constant(id) = value else { return false };
    let value = graph.constant(id);
    if value.len() != 1 {
        return false;
    }
    let value = value.to_row_major();
    let number = match value.dtype() {
        DType::F32 => value.as_slice::<f32>().map(|it| f64::from(it[0])),
        DType::F64 => value.as_slice::<f64>().map(|it| it[0]),
        DType::I32 => value.as_slice::<i32>().map(|it| f64::from(it[0])),
        DType::I64 => value
            .as_slice::<i64>()
            .map(|it| if it[0].unsigned_abs() < 2 { it[0] as f64 } else { f64::NAN }),
        DType::U8 => value.as_slice::<u8>().map(|it| f64::from(it[0])),
        DType::Bool => value.as_slice::<bool>().map(|it| f64::from(u8::from(it[0]))),
    };
    let sign_fits = |number: f64| {
        !value.dtype().is_float() || number != 0.0 || number.is_sign_negative() == row.negative_zero
    };
    number.is_some_and(|number| number == row.constant && sign_fits(number))
}
