//! Reductions against the summation tree stated again on lists of elements, for all walks and instruction sets.
//! Knows nothing of how elements are walked.

use super::Reduce;
use crate::kernels::Isa;
use crate::kernels::ReduceKind::{self, Any, ArgMax, ArgMin, Max, Min, Prod, Sum};
use crate::kernels::lanes::tests::operand::{Operand, Scratch};
use crate::kernels::lanes::tests::reference;
use crate::kernels::lanes::{BinaryOp, Instr, Program, Scalar};
use crate::types::{ALL, DType, NUMBERS};
use crate::value::Layout;

/// Two elements as one, by the reference of lane programs.
fn two(op: BinaryOp, x: Scalar, y: Scalar) -> Scalar {
    let mut program = Program::default();
    let (a, b) = (program.add_input(x.dtype()), program.add_input(y.dtype()));
    let result = program.add(Instr::Binary(op, a, b), x.dtype());
    program.add_output(result);
    reference::evaluate(&program, &[x, y])[0]
}

/// The tree over chunks of 1024: over 16 lanes in each, halved; then over the results, in two parts of which the first
/// is the largest power of two that leaves a second.
fn tree(op: BinaryOp, elements: &[Scalar]) -> Scalar {
    fn pairs(op: BinaryOp, results: &[Scalar]) -> Scalar {
        match results {
            [result] => *result,
            _ => {
                let (first, second) = results.split_at(results.len().next_power_of_two() / 2);
                two(op, pairs(op, first), pairs(op, second))
            }
        }
    }
    let chunk = |elements: &[Scalar]| {
        let mut lanes: Vec<Scalar> = (0..elements.len().min(16))
            .map(|l| {
                elements.iter().skip(l).step_by(16).copied().reduce(|x, y| two(op, x, y)).unwrap()
            })
            .collect();
        for half in [8, 4, 2, 1] {
            let upper = if lanes.len() > half { lanes.split_off(half) } else { vec![] };
            upper.into_iter().enumerate().for_each(|(l, it)| lanes[l] = two(op, lanes[l], it));
        }
        lanes[0]
    };
    pairs(op, &elements.chunks(1024).map(chunk).collect::<Vec<_>>())
}

fn as_f64(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F32(it) => it.into(),
        Scalar::F64(it) => it,
        Scalar::I32(it) => it.into(),
        Scalar::I64(it) => it as f64,
        Scalar::U8(it) => it.into(),
        Scalar::Bool(it) => u8::from(it).into(),
    }
}

/// What a reduction makes of the elements of one result.
fn reduced(kind: ReduceKind, elements: &[Scalar]) -> Scalar {
    let best = |is_better: fn(f64, f64) -> bool| {
        let list: Vec<f64> = elements.iter().map(|it| as_f64(*it)).collect();
        let nan = list.iter().position(|it| it.is_nan());
        let first = |it: &f64| list.iter().all(|other| !is_better(*other, *it));
        Scalar::I64(nan.or_else(|| list.iter().position(first)).unwrap() as i64)
    };
    let sum = |it: &Scalar| match it {
        Scalar::Bool(it) => Scalar::I64(i64::from(*it)),
        Scalar::U8(it) => Scalar::I64(i64::from(*it)),
        other => *other,
    };
    match kind {
        Sum => tree(BinaryOp::Add, &elements.iter().map(sum).collect::<Vec<_>>()),
        Prod => tree(BinaryOp::Mul, elements),
        Max => tree(BinaryOp::Max, elements),
        Min => tree(BinaryOp::Min, elements),
        Any => tree(BinaryOp::Or, elements),
        ReduceKind::All => tree(BinaryOp::And, elements),
        ArgMax => best(|x, y| x > y),
        ArgMin => best(|x, y| x < y),
    }
}

/// Runs a reduction in parts of at most so many results.
fn run(
    kind: ReduceKind,
    axes: &[usize],
    producer: &Program,
    sizes: &[usize],
    inputs: &[&Operand],
    (isa, part): (Isa, usize),
) -> crate::Result<Operand> {
    let layouts: Vec<Layout> = inputs.iter().map(|it| it.layout.clone()).collect();
    let reduce = Reduce::with_isa(kind, axes, producer, sizes, &layouts, isa);
    let kept: Vec<usize> =
        (0..sizes.len()).filter(|it| !axes.contains(it)).map(|it| sizes[it]).collect();
    let dtype = match (kind, producer.dtype(producer.outputs()[0])) {
        (ArgMax | ArgMin, _) | (Sum, DType::Bool | DType::U8) => DType::I64,
        (_, dtype) => dtype,
    };
    let mut output = Operand::row(dtype, &kept, |_| Scalar::U8(1));
    let sources: Vec<*const u8> = inputs.iter().map(|it| it.pointer()).collect();
    let mut scratch = Scratch::new(reduce.scratch());
    for start in (0..reduce.len()).step_by(part) {
        let range = start..reduce.len().min(start + part);
        // SAFETY: the operands have the layouts that the kernel was made for.
        unsafe { reduce.run_range(range, &sources, &[output.pointer_mut()], scratch.pointer()) }?;
    }
    Ok(output)
}

/// Compares each result with the reference, to the bit but for NaN, on all instruction sets, whole and in parts.
fn check(
    kind: ReduceKind,
    axes: &[usize],
    producer: &Program,
    sizes: &[usize],
    inputs: &[&Operand],
) {
    let kept: Vec<usize> =
        (0..sizes.len()).filter(|it| !axes.contains(it)).map(|it| sizes[it]).collect();
    let mut elements = vec![Vec::new(); kept.iter().product()];
    for i in 0..sizes.iter().product() {
        let (mut rest, mut result, mut step) = (i, 0, 1);
        for axis in (0..sizes.len()).rev() {
            if !axes.contains(&axis) {
                result += rest % sizes[axis] * step;
                step *= sizes[axis];
            }
            rest /= sizes[axis];
        }
        let of: Vec<Scalar> = inputs.iter().map(|it| it.element(sizes, i)).collect();
        elements[result].push(reference::evaluate(producer, &of)[0]);
    }
    let wanted: Vec<Scalar> = elements.iter().map(|it| reduced(kind, it)).collect();
    for (isa, part) in Isa::available().flat_map(|isa| [(isa, usize::MAX), (isa, 7)]) {
        let output = run(kind, axes, producer, sizes, inputs, (isa, part)).unwrap();
        for (i, wanted) in wanted.iter().enumerate() {
            let found = output.element(&kept, i);
            let equal = found == *wanted || (as_f64(found).is_nan() && as_f64(*wanted).is_nan());
            assert!(
                equal,
                "{kind:?} over {axes:?} of {sizes:?}, {isa:?}, {part}, result {i}: {found:?}, not {wanted:?}"
            );
        }
    }
}

fn identity(dtype: DType) -> Program {
    Program::build(&[dtype], |x| vec![x[0]])
}

/// Elements whose sums are rounded.
fn element(dtype: DType) -> impl Fn(usize) -> Scalar {
    move |i| {
        let whole = (i * 7919 % 1009) as f64;
        match dtype {
            DType::F32 | DType::F64 => Scalar::from_f64((whole - 504.3) / 7.0, dtype),
            DType::Bool => Scalar::Bool(i % 3 == 0),
            DType::U8 => Scalar::U8((i * 37 % 256) as u8),
            _ => Scalar::from_f64(whole - 500.0, dtype),
        }
    }
}

const SHAPES: [&[usize]; 12] = [
    &[1],
    &[8],
    &[17],
    &[1024],
    &[5000],
    &[40, 3],
    &[3, 40],
    &[1500, 2],
    &[4, 1030],
    &[50, 300],
    &[2, 35, 33],
    &[3, 1100, 2],
];

/// All sets of axes.
fn subsets(rank: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..1usize << rank).map(move |set| (0..rank).filter(|axis| set >> axis & 1 == 1).collect())
}

#[test]
fn sums_follow_the_tree_over_any_axes_and_strides() {
    for sizes in SHAPES {
        for axes in subsets(sizes.len()) {
            let row = Operand::row(DType::F32, sizes, element(DType::F32));
            check(Sum, &axes, &identity(DType::F32), sizes, &[&row]);
            let mut strides = Vec::new();
            sizes.iter().fold(1, |step, size| {
                strides.push(step);
                step * *size as isize
            });
            let turned = Operand::new(DType::F32, sizes, &strides, element(DType::F32));
            check(Sum, &axes, &identity(DType::F32), sizes, &[&turned]);
            strides.iter_mut().for_each(|it| *it *= -2);
            let backwards = Operand::new(DType::F32, sizes, &strides, element(DType::F32));
            check(Sum, &axes, &identity(DType::F32), sizes, &[&backwards]);
        }
    }
}

#[test]
fn every_kind_on_every_type() {
    let kinds: [(ReduceKind, &[DType]); 8] = [
        (Sum, ALL),
        (Prod, NUMBERS),
        (Max, ALL),
        (Min, ALL),
        (ArgMax, ALL),
        (ArgMin, ALL),
        (Any, &[DType::Bool]),
        (ReduceKind::All, &[DType::Bool]),
    ];
    for (kind, types) in kinds {
        for dtype in types {
            for sizes in [&[3, 1100][..], &[1100, 3], &[70, 90], &[5, 7]] {
                for axes in subsets(2) {
                    let row = Operand::row(*dtype, sizes, element(*dtype));
                    check(kind, &axes, &identity(*dtype), sizes, &[&row]);
                }
            }
        }
    }
}

#[test]
fn sums_of_what_a_producer_makes() {
    let producer = Program::build(&[DType::F64; 3], |x| vec![(x[0] - x[1]) * x[2] + 0.5]);
    for sizes in SHAPES {
        for axes in subsets(sizes.len()) {
            let x = Operand::row(DType::F64, sizes, element(DType::F64));
            let y = Operand::row(DType::F64, &sizes[sizes.len() - 1..], element(DType::F64));
            let z = Operand::row(DType::F64, &[], |_| Scalar::F64(1.25));
            check(Sum, &axes, &producer, sizes, &[&x, &y, &z]);
            check(ArgMin, &axes, &producer, sizes, &[&x, &y, &z]);
        }
    }
}

#[test]
fn nan_wins_and_the_first_of_ties() {
    for (sizes, axes) in [
        (&[2000][..], vec![0]),
        (&[2000, 2], vec![0]),
        (&[2, 2000], vec![1]),
        (&[2000, 80], vec![0]),
    ] {
        for nans in [vec![], vec![1500], vec![1030, 700, 1999]] {
            let x = Operand::row(DType::F32, sizes, |i| {
                Scalar::F32(if nans.contains(&(i / 2)) { f32::NAN } else { (i % 50) as f32 - 25.0 })
            });
            for kind in [Max, Min, ArgMax, ArgMin] {
                check(kind, &axes, &identity(DType::F32), sizes, &[&x]);
            }
        }
    }
}

#[test]
fn negative_zero_is_the_sum_of_negative_zeros() {
    for sizes in [[1, 3], [3, 1], [100, 70], [20, 2000]] {
        let x = Operand::row(DType::F32, &sizes, |_| Scalar::F32(-0.0));
        [vec![0], vec![1], vec![0, 1]]
            .iter()
            .for_each(|axes| check(Sum, axes, &identity(DType::F32), &sizes, &[&x]));
    }
}

#[test]
fn ones_are_counted_exactly() {
    let count = 20_000_000;
    let ones = vec![1f32; 2 * count];
    for (sizes, axes) in [(vec![count], [0]), (vec![count, 2], [0])] {
        let spec = crate::Spec::new(DType::F32, &sizes[..]);
        let reduce =
            Reduce::new(Sum, &axes, &identity(DType::F32), &sizes, &[Layout::row_major(spec)]);
        let (mut sums, mut scratch) = ([0f32; 2], Scratch::new(reduce.scratch()));
        // SAFETY: there are as many ones as the layout has elements, and room for two sums.
        unsafe {
            reduce.run(&[ones.as_ptr().cast()], &[sums.as_mut_ptr().cast()], scratch.pointer())
        }
        .unwrap();
        assert!(sums[..reduce.len()].iter().all(|it| *it == 2e7), "{sums:?}");
    }
}

#[test]
fn reductions_of_no_elements() {
    let empty: [(ReduceKind, Scalar); 6] = [
        (Max, Scalar::F32(f32::NEG_INFINITY)),
        (Min, Scalar::F64(f64::INFINITY)),
        (Sum, Scalar::I64(0)),
        (Prod, Scalar::I64(1)),
        (Any, Scalar::Bool(false)),
        (ReduceKind::All, Scalar::Bool(true)),
    ];
    for (kind, wanted) in empty {
        let x = Operand::row(wanted.dtype(), &[0, 90], |_| wanted);
        let found =
            run(kind, &[0], &identity(wanted.dtype()), &[0, 90], &[&x], (Isa::best(), 7)).unwrap();
        assert!((0..90).all(|i| found.element(&[90], i) == wanted), "{kind:?}");
        check(kind, &[1], &identity(wanted.dtype()), &[0, 90], &[&x]);
    }
    let x = Operand::row(DType::F32, &[0, 3], |_| Scalar::F32(0.0));
    [Max, ArgMin].iter().for_each(|kind| check(*kind, &[1], &identity(DType::F32), &[0, 3], &[&x]));
}

#[test]
fn a_fault_is_placed_in_the_domain() {
    let producer = Program::build(&[DType::I32; 2], |x| vec![x[0].floor_div(x[1])]);
    let x = Operand::row(DType::I32, &[3, 400, 5], |_| Scalar::I32(1));
    let y = Operand::row(DType::I32, &[3, 400, 5], |i| {
        Scalar::I32(i32::from(i != 2 * 2000 + 350 * 5 + 4))
    });
    for axes in subsets(3) {
        for isa in Isa::available() {
            let error = run(Max, &axes, &producer, &[3, 400, 5], &[&x, &y], (isa, usize::MAX))
                .err()
                .unwrap();
            assert_eq!(error.message(), "integer division by zero, at element [2, 350, 4]");
        }
    }
}

#[test]
fn the_reference_tree_is_what_it_says() {
    let elements: Vec<Scalar> = [1e8f32, 1.0, -1e8, 1.0, 1.0].map(Scalar::F32).to_vec();
    let wanted = ((1e8f32 + 1.0) + -1e8) + (1.0 + 1.0);
    assert_eq!(tree(BinaryOp::Add, &elements), Scalar::F32(wanted));
}
