//! What each op is in TensorFlow, one row an op. An op without a row is exported as the smaller ops that it expands to.
//! Knows ops by name, and `built` for those that are several nodes there.

use super::built::{activation, elementwise, first, index, movement, random, reduce};
use super::row::{Argument, From, Row, To};
use crate::types::DType;

const ALL: &[Argument] = &[Argument::All];
const T: (&str, From) = ("T", From::TypeOf(0));
const TIDX: (&str, From) = ("Tidx", From::Type(DType::I32));

/// The row of an op, if it has one.
pub(super) fn row(op: &str) -> Option<&'static Row> {
    TABLE.iter().flat_map(|rows| rows.iter()).find(|row| row.op == op)
}

/// All rows.
const TABLE: &[&[Row]] = &[SAME, OTHER_NAMES, REDUCTIONS, MOVEMENTS, BUILT, REFUSED];

/// The same op, of the element type of its first input.
const fn same(op: &'static str) -> Row {
    one(op, op, ALL, &[T])
}

/// One node.
const fn one(
    op: &'static str,
    target: &'static str,
    inputs: &'static [Argument],
    attrs: &'static [(&'static str, From)],
) -> Row {
    Row { op, to: To::Op { op: target, inputs, attrs } }
}

/// Several nodes.
const fn built(
    op: &'static str,
    build: fn(&mut super::call::Call<'_>) -> crate::error::Result<()>,
) -> Row {
    Row { op, to: To::Built(build) }
}

const SAME: &[Row] = &[
    same("Atan2"),
    same("Ceil"),
    same("Cos"),
    same("Cosh"),
    same("Elu"),
    same("Equal"),
    same("Erf"),
    same("Exp"),
    same("Expm1"),
    same("Floor"),
    same("Greater"),
    same("GreaterEqual"),
    same("Identity"),
    same("IsFinite"),
    same("IsInf"),
    same("IsNan"),
    same("Less"),
    same("LessEqual"),
    same("Log"),
    same("Log1p"),
    same("MatrixDiag"),
    same("MatrixDiagPart"),
    same("NotEqual"),
    same("OnesLike"),
    same("RealDiv"),
    same("Reciprocal"),
    same("Relu"),
    same("Relu6"),
    same("Round"),
    same("Rsqrt"),
    same("Selu"),
    same("Sigmoid"),
    same("Sin"),
    same("Sinh"),
    same("Softplus"),
    same("Softsign"),
    same("Sqrt"),
    same("StopGradient"),
    same("Tan"),
    same("Tanh"),
    same("ZerosLike"),
];

const OTHER_NAMES: &[Row] = &[
    one("LogicalAnd", "LogicalAnd", ALL, &[]),
    one("LogicalNot", "LogicalNot", ALL, &[]),
    one("LogicalOr", "LogicalOr", ALL, &[]),
    one("LogicalXor", "NotEqual", ALL, &[T]),
    one("SelectV2", "SelectV2", ALL, &[("T", From::TypeOf(1))]),
    one("Cast", "Cast", ALL, &[("SrcT", From::TypeOf(0)), ("DstT", From::TypeOut)]),
];

const ALONG: &[Argument] = &[Argument::In(0), Argument::Ints("axis")];
const KEEP: (&str, From) = ("keep_dims", From::Bool("keep_dims"));

const REDUCTIONS: &[Row] = &[
    one("Prod", "Prod", ALONG, &[T, TIDX, KEEP]),
    one("Max", "Max", ALONG, &[T, TIDX, KEEP]),
    one("Min", "Min", ALONG, &[T, TIDX, KEEP]),
    one("Supremum", "Max", ALONG, &[T, TIDX, KEEP]),
    one("Mean", "Mean", ALONG, &[T, TIDX, KEEP]),
    one("EuclideanNorm", "EuclideanNorm", ALONG, &[T, TIDX, KEEP]),
    one("Any", "Any", ALONG, &[TIDX, KEEP]),
    one("All", "All", ALONG, &[TIDX, KEEP]),
    built("Sum", reduce::sum),
    built("ArgMax", reduce::extreme),
    built("ArgMin", reduce::extreme),
    built("SumLike", reduce::sum_like),
    built("LinearRecurrence", reduce::recurrence),
    one(
        "Cumsum",
        "Cumsum",
        &[Argument::In(0), Argument::Int("axis")],
        &[T, TIDX, ("reverse", From::Bool("reverse"))],
    ),
    one("Cumprod", "Cumprod", &[Argument::In(0), Argument::Int("axis")], &[T, TIDX]),
];

const MOVEMENTS: &[Row] = &[
    one(
        "Transpose",
        "Transpose",
        &[Argument::In(0), Argument::Ints("perm")],
        &[T, ("Tperm", From::Type(DType::I32))],
    ),
    one("ReverseV2", "ReverseV2", &[Argument::In(0), Argument::Ints("axes")], &[T, TIDX]),
    one(
        "Reshape",
        "Reshape",
        &[Argument::In(0), Argument::Shape("shape")],
        &[T, ("Tshape", From::Type(DType::I64))],
    ),
    one(
        "BroadcastTo",
        "BroadcastTo",
        &[Argument::In(0), Argument::Shape("shape")],
        &[T, ("Tidx", From::Type(DType::I64))],
    ),
    one(
        "BroadcastLike",
        "BroadcastTo",
        &[Argument::In(0), Argument::ShapeOf(1)],
        &[T, ("Tidx", From::Type(DType::I64))],
    ),
    one(
        "Fill",
        "Fill",
        &[Argument::Shape("shape"), Argument::In(0)],
        &[T, ("index_type", From::Type(DType::I64))],
    ),
    one(
        "Tile",
        "Tile",
        &[Argument::In(0), Argument::Ints("multiples")],
        &[T, ("Tmultiples", From::Type(DType::I32))],
    ),
    one(
        "Split",
        "Split",
        &[Argument::Int("axis"), Argument::In(0)],
        &[T, ("num_split", From::Outputs)],
    ),
    one(
        "SplitV",
        "SplitV",
        &[Argument::In(0), Argument::Ints("sizes"), Argument::Int("axis")],
        &[T, ("Tlen", From::Type(DType::I32)), ("num_split", From::Outputs)],
    ),
    one("Pack", "Pack", ALL, &[T, ("N", From::Count), ("axis", From::Int("axis"))]),
    one("Unpack", "Unpack", ALL, &[T, ("num", From::Outputs), ("axis", From::Int("axis"))]),
    one(
        "ConcatV2",
        "ConcatV2",
        &[Argument::All, Argument::Int("axis")],
        &[T, ("N", From::Count), TIDX],
    ),
    one(
        "GatherV2",
        "GatherV2",
        &[Argument::In(0), Argument::In(1), Argument::Int("axis")],
        &[
            ("Tparams", From::TypeOf(0)),
            ("Tindices", From::TypeOf(1)),
            ("Taxis", From::Type(DType::I32)),
        ],
    ),
    one(
        "GatherNd",
        "GatherNd",
        ALL,
        &[("Tparams", From::TypeOf(0)), ("Tindices", From::TypeOf(1))],
    ),
];

const BUILT: &[Row] = &[
    built("Abs", elementwise::arithmetic),
    built("AddV2", elementwise::arithmetic),
    built("Sub", elementwise::arithmetic),
    built("Mul", elementwise::arithmetic),
    built("Neg", elementwise::arithmetic),
    built("Sign", elementwise::arithmetic),
    built("Square", elementwise::arithmetic),
    built("SquaredDifference", elementwise::arithmetic),
    built("Maximum", elementwise::arithmetic),
    built("Minimum", elementwise::arithmetic),
    built("BatchMatMulV2", elementwise::arithmetic),
    built("MatMul", elementwise::arithmetic),
    built("Pow", elementwise::arithmetic),
    built("FloorDiv", elementwise::floor_div),
    built("FloorMod", elementwise::arithmetic),
    built("TruncateDiv", elementwise::arithmetic),
    built("TruncateMod", elementwise::arithmetic),
    built("Trunc", elementwise::trunc),
    built("Exp2", elementwise::exp2),
    built("Log2", elementwise::log2),
    built("MulNoNan", elementwise::times),
    built("MulNoNanEither", elementwise::times_either),
    built("ClipByValue", elementwise::clamp),
    built("LeakyRelu", activation::leaky_relu),
    built("Gelu", activation::gelu),
    built("GeluTanh", activation::gelu_tanh),
    built("Silu", activation::silu),
    built("HardSigmoid", activation::hard_sigmoid),
    built("HardSwish", activation::hard_swish),
    built("ExpandDims", movement::axes),
    built("Squeeze", movement::axes),
    built("Flatten", movement::flatten),
    built("ReshapeLike", movement::reshape_like),
    built("Iota", movement::iota),
    built("Size", movement::size),
    built("SplitPart", movement::split_part),
    built("ConcatPart", movement::concat_part),
    built("StridedSlice", movement::strided_slice),
    built("StridedSliceGrad", movement::strided_slice_grad),
    built("PadV2", movement::pad),
    built("MirrorPad", movement::mirror_pad),
    built("EdgePad", movement::edge_pad),
    built("OneHot", movement::one_hot),
    built("DynamicSlice", index::slice),
    built("DynamicUpdateSlice", index::update_slice),
    built("TakeAlongAxis", index::take_along),
    built("ScatterAdd", index::scatter),
    built("ScatterUpdate", index::scatter),
    built("TensorScatterAdd", index::scatter_points),
    built("TensorScatterUpdate", index::scatter_points),
    built("ScatterAddAlongAxis", index::scatter_along),
    built("ScatterUpdateAlongAxis", index::scatter_along),
    built("Initializer", first::first_value),
    built("RandomUniform", random::uniform),
    built("RandomStandardNormal", random::normal),
    built("TruncatedNormal", random::truncated_normal),
];

const REFUSED: &[Row] = &[Row { op: "HostCall", to: To::No("a closure is code of this process") }];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Kind;
    use crate::ops::{op_names, samples};
    use std::collections::BTreeSet;

    #[test]
    fn every_op_has_a_row_or_expands_or_is_refused_with_a_reason() {
        let mut by_expansion = BTreeSet::new();
        for sample in samples() {
            if row(sample.op.name()).is_none() {
                assert_eq!(sample.op.kind(), Kind::Composite, "{} has no row", sample.op.name());
                by_expansion.insert(sample.op.name());
            }
        }
        for op in op_names() {
            assert!(row(op).is_some() || by_expansion.contains(op), "{op} has no row");
        }
    }

    #[test]
    fn every_row_is_of_one_op_that_there_is() {
        let ops: BTreeSet<&str> = op_names().collect();
        let mut seen = BTreeSet::new();
        for row in TABLE.iter().copied().flatten() {
            assert!(ops.contains(row.op), "there is no op {}", row.op);
            assert!(seen.insert(row.op), "two rows for {}", row.op);
            if let To::No(why) = row.to {
                assert!(why.len() > 20, "{}: {why}", row.op);
            }
        }
    }
}
