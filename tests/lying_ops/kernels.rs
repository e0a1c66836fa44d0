//! Kernels that do not make what their op infers, one kind after the other.

use crate::liar::{f32s, kernel};
use graphfn::kernels::lanes::{BinaryOp, Instr, Lane, Program, Reg, Scalar};
use graphfn::kernels::{Distribution, Gather, Meet, Pad, PadMode, Random, ReduceKind, View};
use graphfn::{DType, Lowering, Spec};

pub fn program(inputs: &[DType], f: impl for<'p> FnOnce(&[Lane<'p>]) -> Vec<Lane<'p>>) -> Lowering {
    Lowering::Lanes(Program::build(inputs, f))
}

#[test]
fn lanes_of_another_type_number_or_domain() {
    let f32s3 = f32s([3]);
    let f64s = Spec::new(DType::F64, [3]);
    let twice = || program(&[DType::F32], |x| vec![x[0] + x[0]]);
    kernel(
        twice(),
        &[f32s3],
        &[f64s],
        "infers [f64[3]], and lowers to a kernel that makes [f32[3]]",
    );
    kernel(twice(), &[f64s], &[f64s], "lowers to a program of [F32], and is given [f64[3]]");
    kernel(twice(), &[], &[f32s3], "lowers to a kernel of 1 inputs, and is given []");
    kernel(
        twice(),
        &[f32s3],
        &[f32s3, f32s3],
        "infers [f32[3], f32[3]], and lowers to a kernel that makes [f32[3]]",
    );
    kernel(
        program(&[DType::F32], |x| vec![x[0] + x[0], x[0]]),
        &[f32s3],
        &[f32s3, f32s([9])],
        "infers [f32[3], f32[9]], and lowers to a kernel that makes [f32[3], f32[3]]",
    );
    kernel(
        twice(),
        &[f32s3],
        &[f32s([4])],
        "lowers to a program over [4], to which f32[3] does not broadcast, and is given [f32[3]]",
    );
    let mut unsound = Program::default();
    unsound.add_input(DType::F32);
    let made = unsound.add(Instr::Binary(BinaryOp::Add, Reg(0), Reg(0)), DType::F64);
    unsound.add_output(made);
    kernel(
        Lowering::Lanes(unsound),
        &[f32s3],
        &[f64s],
        "lowers to a program with the unsound line `r1: f64 = Add r0 r0`, and is given [f32[3]]",
    );
}

#[test]
fn reductions_of_another_type_shape_or_axis() {
    let sum = |axes: &[usize]| Lowering::Reduce { kind: ReduceKind::Sum, axes: axes.into() };
    let arg = |axes: &[usize]| Lowering::Reduce { kind: ReduceKind::ArgMax, axes: axes.into() };
    let bytes = Spec::new(DType::U8, [2, 3]);
    kernel(
        sum(&[1]),
        &[bytes],
        &[Spec::new(DType::U8, [2])],
        "infers [u8[2]], and lowers to a kernel that makes [i64[2]]",
    );
    let x = f32s([2, 3]);
    kernel(
        sum(&[1]),
        &[x],
        &[f32s([1])],
        "infers [f32[1]], and lowers to a kernel that makes [f32[2]]",
    );
    kernel(
        sum(&[2]),
        &[x],
        &[f32s([2])],
        "lowers to a reduction by Sum over axes [2], and is given [f32[2, 3]]",
    );
    kernel(
        sum(&[1, 0]),
        &[x],
        &[f32s([])],
        "lowers to a reduction by Sum over axes [1, 0], and is given [f32[2, 3]]",
    );
    kernel(
        arg(&[0, 1]),
        &[x],
        &[f32s([])],
        "lowers to a reduction by ArgMax over axes [0, 1], and is given [f32[2, 3]]",
    );
    kernel(
        arg(&[1]),
        &[x],
        &[f32s([2])],
        "infers [f32[2]], and lowers to a kernel that makes [i64[2]]",
    );
    kernel(
        arg(&[1]),
        &[f32s([2, 0])],
        &[Spec::new(DType::I64, [2])],
        "lowers to a reduction by ArgMax of no elements, and is given [f32[2, 0]]",
    );
}

#[test]
fn views_of_another_type_or_beyond_their_input() {
    let x = f32s([2, 3]);
    let strided = |starts: &[usize], axes: &[Option<(usize, isize)>]| {
        Lowering::View(View::Strided { starts: starts.into(), axes: axes.into() })
    };
    let wide = Spec::new(DType::F64, [6]);
    kernel(
        Lowering::View(View::Reshape),
        &[x],
        &[wide],
        "infers [f64[6]], and lowers to a kernel that makes [f32[6]]",
    );
    kernel(
        Lowering::View(View::Reshape),
        &[x],
        &[f32s([7])],
        "lowers to a view with elements of [7] that it does not reach, and is given [f32[2, 3]]",
    );
    for (starts, axes, sizes) in [
        (&[0, 1][..], &[Some((1, 1))][..], f32s([3])),
        (&[0, 0], &[Some((1, -1))], f32s([2])),
        (&[0, 0], &[Some((2, 1))], f32s([1])),
        (&[0], &[Some((1, 1))], f32s([3])),
        (&[2, 0], &[None], f32s([3])),
        (&[0, 0], &[Some((1, isize::MAX))], f32s([4])),
    ] {
        let message = format!(
            "lowers to a view with elements of {:?} that it does not reach, and is given [f32[2, 3]]",
            sizes.shape()
        );
        kernel(strided(starts, axes), &[x], &[sizes], &message);
    }
}

#[test]
fn products_that_do_not_fit() {
    let (a, b) = (f32s([5, 2, 3]), f32s([3, 4]));
    kernel(
        Lowering::MatMul,
        &[a, b],
        &[f32s([2, 4])],
        "infers [f32[2, 4]], and lowers to a kernel that makes [f32[5, 2, 4]]",
    );
    for b in [f32s([4, 4]), f32s([3]), Spec::new(DType::F64, [3, 4]), f32s([4, 3, 4])] {
        let message = format!("lowers to a matrix product, and is given [f32[5, 2, 3], {b}]");
        kernel(Lowering::MatMul, &[a, b], &[f32s([5, 2, 4])], &message);
    }
}

#[test]
fn joins_and_borders_that_do_not_fit() {
    let joined = |axis| Lowering::Concat { axis };
    let (a, b) = (f32s([2, 3]), f32s([4, 3]));
    kernel(
        joined(0),
        &[a, b],
        &[f32s([5, 3])],
        "infers [f32[5, 3]], and lowers to a kernel that makes [f32[6, 3]]",
    );
    kernel(
        joined(1),
        &[a, b],
        &[f32s([2, 6])],
        "lowers to a concatenation along axis 1, and is given [f32[2, 3], f32[4, 3]]",
    );
    kernel(
        joined(2),
        &[a],
        &[a],
        "lowers to a concatenation along axis 2, and is given [f32[2, 3]]",
    );
    kernel(joined(0), &[], &[a], "lowers to a concatenation along axis 0, and is given []");
    let border =
        |widths: &[(usize, usize)], mode| Lowering::Pad(Pad { widths: widths.into(), mode });
    kernel(
        border(&[(0, 1), (1, 1)], PadMode::Constant(Scalar::F32(0.0))),
        &[a],
        &[a],
        "infers [f32[2, 3]], and lowers to a kernel that makes [f32[3, 5]]",
    );
    kernel(
        border(&[(0, 0), (0, 1)], PadMode::Constant(Scalar::F64(0.0))),
        &[a],
        &[f32s([2, 4])],
        "lowers to a border of [(0, 0), (0, 1)], and is given [f32[2, 3]]",
    );
    kernel(
        border(&[(0, 1)], PadMode::Edge),
        &[a],
        &[f32s([3, 3])],
        "lowers to a border of [(0, 1)], and is given [f32[2, 3]]",
    );
}

#[test]
fn choices_and_updates_that_do_not_fit() {
    let (table, at) = (f32s([4, 3]), Spec::new(DType::I32, [2]));
    let slices = Gather::Slices { axis: 0 };
    kernel(
        Lowering::Gather(slices),
        &[table, at],
        &[f32s([2, 4])],
        "infers [f32[2, 4]], and lowers to a kernel that makes [f32[2, 3]]",
    );
    kernel(
        Lowering::Gather(slices),
        &[table, f32s([2])],
        &[f32s([2, 3])],
        "lowers to a choice by Slices { axis: 0 }, and is given [f32[4, 3], f32[2]]",
    );
    for (gather, text) in [
        (Gather::Slices { axis: 2 }, "Slices { axis: 2 }"),
        (Gather::Along { axis: 0 }, "Along { axis: 0 }"),
        (Gather::Window, "Window"),
    ] {
        let message = format!("lowers to a choice by {text}, and is given [f32[4, 3], i32[2]]");
        kernel(Lowering::Gather(gather), &[table, at], &[f32s([5, 3])], &message);
    }
    let points = Spec::new(DType::I32, [2, 3]);
    kernel(
        Lowering::Gather(Gather::Points),
        &[table, points],
        &[f32s([2])],
        "lowers to a choice by Points, and is given [f32[4, 3], i32[2, 3]]",
    );
    let put = |meet| Lowering::Scatter { gather: slices, meet };
    kernel(
        put(Meet::Add),
        &[table, at, f32s([2, 3])],
        &[f32s([2, 3])],
        "infers [f32[2, 3]], and lowers to a kernel that makes [f32[4, 3]]",
    );
    kernel(
        put(Meet::Replace),
        &[table, at, f32s([3, 3])],
        &[table],
        "lowers to updates by Slices { axis: 0 }, and is given [f32[4, 3], i32[2], f32[3, 3]]",
    );
    let truth = Spec::new(DType::Bool, [4, 3]);
    kernel(
        put(Meet::Add),
        &[truth, at, Spec::new(DType::Bool, [2, 3])],
        &[truth],
        "lowers to updates by Slices { axis: 0 }, and is given [bool[4, 3], i32[2], bool[2, 3]]",
    );
}

#[test]
fn counts_and_random_numbers_that_do_not_fit() {
    let count = |axis| Lowering::Iota { axis };
    kernel(count(1), &[], &[f32s([3])], "lowers to a count along axis 1, and is given []");
    kernel(
        count(0),
        &[],
        &[f32s([3]), f32s([3])],
        "infers [f32[3], f32[3]], and lowers to a kernel that makes [f32[3]]",
    );
    let draw =
        || Lowering::Random(Random { distribution: Distribution::Uniform { low: 0.0, high: 1.0 } });
    let (state, numbers) = (Spec::new(DType::I64, [2]), f32s([3]));
    kernel(
        draw(),
        &[state],
        &[numbers],
        "infers [f32[3]], and lowers to a kernel that makes [f32[3], i64[2]]",
    );
    kernel(
        draw(),
        &[Spec::new(DType::I64, [1])],
        &[numbers, state],
        "lowers to floats drawn from i64[2], and is given [i64[1]]",
    );
    kernel(
        draw(),
        &[state],
        &[state, state],
        "lowers to floats drawn from i64[2], and is given [i64[2]]",
    );
    let huge = f32s([1 << 40, 1 << 40]);
    kernel(
        count(0),
        &[],
        &[huge],
        &format!("makes {huge}, which has more bytes than there are addresses"),
    );
}
