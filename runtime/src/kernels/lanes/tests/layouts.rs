//! Programs over operands that are spread, broadcast, backwards or overwritten.
//! Knows few instructions.

use super::operand::{Operand, Scratch, check, compare};
use crate::kernels::Isa;
use crate::kernels::lanes::{Lanes, Program, Scalar};
use crate::types::{ALL, DType};
use crate::value::Layout;

/// Elements that differ from their neighbours.
fn element(dtype: DType) -> impl Fn(usize) -> Scalar {
    move |i| {
        Scalar::from_f64((i * 37 % 101) as f64 - if dtype.is_float() { 50.5 } else { 0.0 }, dtype)
    }
}

/// The operands of `x * y + z`, any two of them under any two layouts.
#[test]
fn all_layouts_of_three_operands() {
    let sizes = [6, 5, 71];
    let layouts: [(&[usize], &[isize]); 9] = [
        (&[6, 5, 71], &[355, 71, 1]),
        (&[6, 5, 71], &[1, 426, 6]),
        (&[6, 5, 71], &[-355, 71, -1]),
        (&[6, 5, 71], &[71, 500, 1]),
        (&[5, 71], &[71, 1]),
        (&[71], &[3]),
        (&[6, 1, 71], &[71, 9, 1]),
        (&[5, 1], &[2, 1]),
        (&[], &[]),
    ];
    let program = Program::build(&[DType::F32; 3], |x| vec![x[0] * x[1] + x[2]]);
    for pair in 0..81 {
        let (x, y) = (pair % 9, pair / 9);
        let of = [x, y, (x + y) % 9].map(|at| {
            let (sizes, strides) = layouts[at];
            Operand::new(DType::F32, sizes, strides, element(DType::F32))
        });
        check(&program, &sizes, &[&of[0], &of[1], &of[2]]);
    }
}

#[test]
fn each_type_is_copied_from_any_layout() {
    for dtype in ALL {
        let program = Program::build(&[*dtype], |x| vec![x[0]]);
        for strides in [[90, 1], [1, 41], [-90, 2], [0, 1], [1, 0], [0, 0]] {
            let x = Operand::new(*dtype, &[41, 90], &strides, element(*dtype));
            check(&program, &[41, 90], &[&x]);
        }
    }
}

#[test]
fn axes_of_one_and_of_no_element() {
    let program = Program::build(&[DType::I32; 2], |x| vec![x[0] + x[1]]);
    for sizes in [vec![], vec![1], vec![1, 1, 3], vec![3, 0, 2], vec![2, 1, 2]] {
        let (x, y) = (
            Operand::row(DType::I32, &sizes, element(DType::I32)),
            Operand::row(DType::I32, &[], element(DType::I32)),
        );
        check(&program, &sizes, &[&x, &y]);
    }
}

/// Outputs: an input, a constant, what is the same for all, one value twice, one that later values need.
#[test]
fn outputs_of_every_sort() {
    let program = Program::build(&[DType::F32, DType::F32, DType::F32], |x| {
        let sum = x[0] + x[1];
        let same = x[2] * 2.0;
        vec![
            x[1],
            x[0].same(3.5),
            same,
            sum,
            sum,
            sum * x[0],
            x[0],
            x[2],
            (sum * sum).gt(same),
            same + 1.0,
        ]
    });
    for (second, third) in [([90, 1], [0, 0]), ([1, 41], [0, 0]), ([0, 1], [1, 50])] {
        let x = Operand::row(DType::F32, &[41, 90], element(DType::F32));
        let y = Operand::new(DType::F32, &[41, 90], &second, element(DType::F32));
        let z = Operand::new(DType::F32, &[41, 90], &third, element(DType::F32));
        check(&program, &[41, 90], &[&x, &y, &z]);
    }
}

/// Runs a program of two outputs over two inputs, writing the outputs over the inputs as `over` says.
fn check_in_place(program: &Program, over: [usize; 2]) {
    for (len, isa) in
        [1, 64, 1025, 3000].into_iter().flat_map(|len| Isa::available().map(move |isa| (len, isa)))
    {
        let kept =
            [0, 1].map(|k| Operand::row(DType::F32, &[len], |i| element(DType::F32)(i + 5 * k)));
        let mut overwritten =
            [0, 1].map(|k| Operand::row(DType::F32, &[len], |i| element(DType::F32)(i + 5 * k)));
        let lanes =
            Lanes::with_isa(program, &[len], &kept.each_ref().map(|it| it.layout.clone()), isa);
        let targets = overwritten.each_mut().map(Operand::pointer_mut);
        let sources = targets.map(|it| it.cast_const());
        // SAFETY: both outputs are inputs of their type in row-major order.
        unsafe {
            lanes.run(&sources, &over.map(|k| targets[k]), Scratch::new(lanes.scratch()).pointer())
        }
        .unwrap();
        let [first, second] = overwritten;
        let outputs = if over == [0, 1] { [first, second] } else { [second, first] };
        compare(
            program,
            &[len],
            &[&kept[0], &kept[1]],
            &outputs,
            &format!("{isa:?} over {over:?}"),
        );
    }
}

#[test]
fn outputs_over_inputs() {
    let programs = [
        Program::build(&[DType::F32; 2], |x| vec![x[1], x[0]]),
        Program::build(&[DType::F32; 2], |x| vec![x[0] + x[1], x[0] - x[1]]),
        Program::build(&[DType::F32; 2], |x| {
            let sum = x[0] + x[1];
            vec![sum * x[1], sum * x[0] + 1.0]
        }),
        Program::build(&[DType::F32; 2], |x| vec![x[1], x[1] * x[0]]),
        Program::build(&[DType::F32; 2], |x| {
            vec![x[0].same(2.0), x[1].gt(x[0]).select(x[1], x[0])]
        }),
    ];
    for program in &programs {
        check_in_place(program, [0, 1]);
        check_in_place(program, [1, 0]);
    }
}

/// Values that die give their tiles to later ones: a long chain needs no more scratch than a short one.
#[test]
fn a_long_program_needs_few_tiles() {
    let chain = |length: usize| {
        Program::build(&[DType::F32; 2], |x| {
            vec![
                (0..length)
                    .fold(x[0], |sum, i| if i % 2 == 0 { sum * x[1] } else { (sum - 3.0) / x[1] }),
            ]
        })
    };
    let layout = Layout::row_major(crate::Spec::new(DType::F32, [5000]));
    let scratch =
        |length| Lanes::new(&chain(length), &[5000], &[layout.clone(), layout.clone()]).scratch();
    assert_eq!(scratch(2000), scratch(10));
    let (x, y) = (
        Operand::row(DType::F32, &[1500], element(DType::F32)),
        Operand::row(DType::F32, &[1500], element(DType::F32)),
    );
    check(&chain(500), &[1500], &[&x, &y]);
}
