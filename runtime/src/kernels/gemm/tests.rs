//! Products against plain sums, over sizes, strides and types. Knows the operands as numbers at indices.

use super::MatMul;
use crate::types::{Element, Spec};
use crate::value::Layout;

/// In which order the two axes of the matrices lie, and which ways.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lie {
    RowMajor,
    Transposed,
    /// Rows backwards, columns forwards with a gap.
    RowsBackwards,
    /// Columns backwards.
    ColumnsBackwards,
    /// The axes of the batch after those of the matrix.
    BatchInside,
}

const LIES: [Lie; 5] =
    [Lie::RowMajor, Lie::Transposed, Lie::RowsBackwards, Lie::ColumnsBackwards, Lie::BatchInside];

/// Elements in memory: a buffer, a layout, and where the first element stands.
struct Stored<T> {
    buffer: Vec<T>,
    layout: Layout,
    first: usize,
}

impl<T: Element> Stored<T> {
    fn new(lie: Lie, sizes: &[usize], element: &dyn Fn(usize) -> T) -> Stored<T> {
        let rank = sizes.len();
        let mut order: Vec<usize> = (0..rank).collect();
        match lie {
            Lie::Transposed => order.swap(rank - 2, rank - 1),
            Lie::BatchInside => order.rotate_right(2),
            _ => {}
        }
        let mut layout = Layout::row_major(Spec::new(T::DTYPE, sizes));
        let mut far = if lie == Lie::RowsBackwards { 2 } else { 1 };
        let mut first = 0;
        for axis in order.into_iter().rev() {
            let is_backwards = (lie == Lie::RowsBackwards && axis == rank - 2)
                || (lie == Lie::ColumnsBackwards && axis == rank - 1);
            layout.strides[axis] = if is_backwards { -far } else { far };
            if is_backwards {
                first += sizes[axis].saturating_sub(1) * far.unsigned_abs();
            }
            far *= sizes[axis].max(1).cast_signed();
        }
        let buffer = vec![element(usize::MAX); far.unsigned_abs()];
        let mut stored = Stored { buffer, layout, first };
        for at in 0..sizes.iter().product() {
            let place = stored.place(at);
            stored.buffer[place] = element(at);
        }
        stored
    }

    /// Where the element with this row-major number stands.
    fn place(&self, at: usize) -> usize {
        let (mut rest, mut place) = (at, self.first);
        for (size, stride) in self.layout.sizes().iter().zip(&self.layout.strides).rev() {
            place = place.strict_add_signed((rest % size).cast_signed() * stride);
            rest /= size;
        }
        place
    }

    fn as_ptr(&self) -> *const u8 {
        self.buffer.as_ptr().wrapping_add(self.first).cast()
    }
}

fn multiplied<T: Element>(a: &Stored<T>, b: &Stored<T>, output: &[usize], blank: T) -> Vec<T> {
    let layouts = [a.layout.clone(), b.layout.clone()];
    let kernel = MatMul::new(&layouts, Spec::new(T::DTYPE, output));
    let mut c = vec![blank; output.iter().product()];
    // Words of 64 bytes, for the alignment.
    let mut scratch = vec![[0u64; 8]; kernel.scratch() / 64 + 1];
    let at = scratch.as_mut_ptr().cast::<u8>();
    let at = at.wrapping_add(at.align_offset(64));
    // SAFETY: the buffers have the elements of their layouts, and the scratch a line to spare for its alignment.
    unsafe { kernel.run(&[a.as_ptr(), b.as_ptr()], &[c.as_mut_ptr().cast()], at).unwrap() };
    c
}

struct Case {
    a: Vec<usize>,
    b: Vec<usize>,
    output: Vec<usize>,
}

fn case(a: &[usize], b: &[usize]) -> Case {
    let (batch_a, matrix_a) = a.split_last_chunk::<2>().unwrap();
    let (batch_b, matrix_b) = b.split_last_chunk::<2>().unwrap();
    let rank = batch_a.len().max(batch_b.len());
    let size = |batch: &[usize], axis: usize| match (axis + batch.len()).checked_sub(rank) {
        Some(axis) => batch[axis],
        None => 1,
    };
    let mut output: Vec<usize> = (0..rank)
        .map(|axis| match (size(batch_a, axis), size(batch_b, axis)) {
            (1, other) | (other, _) => other,
        })
        .collect();
    output.extend([matrix_a[0], matrix_b[1]]);
    Case { a: a.into(), b: b.into(), output }
}

fn small_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for m in [0, 1, 2, 3, 7, 8, 9, 17] {
        for n in [0, 1, 2, 4, 5, 10, 16, 33, 50] {
            for k in [0, 1, 2, 5, 16, 37] {
                cases.push(case(&[m, k], &[k, n]));
            }
        }
    }
    cases.push(case(&[3, 4, 5], &[5, 6]));
    cases.push(case(&[2, 3, 4, 5], &[5, 6]));
    cases.push(case(&[3, 1, 5], &[5, 6]));
    cases.push(case(&[4, 5], &[3, 5, 6]));
    cases.push(case(&[3, 4, 5], &[3, 5, 6]));
    cases.push(case(&[2, 1, 4, 5], &[1, 3, 5, 6]));
    cases.push(case(&[2, 3, 1, 5], &[3, 5, 6]));
    cases.push(case(&[2, 3, 4, 5], &[2, 1, 5, 1]));
    cases.push(case(&[2, 3, 4, 5], &[1, 1, 5, 6]));
    cases.push(case(&[0, 4, 5], &[0, 5, 6]));
    cases.push(case(&[2, 4, 0], &[2, 0, 6]));
    cases
}

/// Some sizes for each way of computing a product, larger than its blocks.
fn large_cases() -> Vec<Case> {
    vec![
        case(&[16, 900], &[900, 16]),
        case(&[70, 80], &[80, 90]),
        case(&[61, 700], &[700, 53]),
        case(&[3, 2000], &[2000, 100]),
        case(&[300, 1030], &[1030, 129]),
        case(&[1, 701], &[701, 900]),
        case(&[900, 701], &[701, 1]),
        case(&[120, 130], &[130, 140]),
        case(&[130, 260], &[260, 300]),
        case(&[5, 40, 60], &[60, 70]),
        case(&[3, 60, 50], &[3, 50, 70]),
    ]
}

/// The sum of products for each output element, in the order of `k`.
fn expected<T: Element>(
    case: &Case,
    a: &dyn Fn(usize) -> T,
    b: &dyn Fn(usize) -> T,
    zero: T,
    sum: impl Fn(T, T, T) -> T,
) -> Vec<T> {
    let k = case.a[case.a.len() - 1];
    let matrix = |sizes: &[usize], index: &[usize]| {
        let batch = &sizes[..sizes.len() - 2];
        let index = &index[index.len() - 2 - batch.len()..index.len() - 2];
        batch.iter().zip(index).fold(0, |at, (size, here)| at * size + here.min(&(size - 1)))
    };
    (0..case.output.iter().product::<usize>())
        .map(|at| {
            let mut index: Vec<usize> = Vec::new();
            case.output.iter().rev().fold(at, |rest, size| {
                index.insert(0, rest % size);
                rest / size
            });
            let [.., m, n] = case.output[..] else { unreachable!() };
            let [.., row, column] = index[..] else { unreachable!() };
            let (a_first, b_first) =
                (matrix(&case.a, &index) * m * k, matrix(&case.b, &index) * k * n);
            (0..k).fold(zero, |total, step| {
                sum(a(a_first + row * k + step), b(b_first + step * n + column), total)
            })
        })
        .collect()
}

/// Compares all ways to lie with the sums of `expected`, exactly: for integers, and floats whose sums are exact.
fn check_exact<T: Element>(
    cases: &[Case],
    a: &dyn Fn(usize) -> T,
    b: &dyn Fn(usize) -> T,
    sum: impl Fn(T, T, T) -> T + Copy,
    zero: T,
) {
    for case in cases {
        let expected = expected(case, a, b, zero, sum);
        for (left, right) in LIES.into_iter().flat_map(|left| LIES.map(|right| (left, right))) {
            let (left, right) = (Stored::new(left, &case.a, a), Stored::new(right, &case.b, b));
            let found = multiplied(&left, &right, &case.output, a(1));
            assert_eq!(found, expected, "{:?} x {:?}", left.layout, right.layout);
        }
    }
}

#[test]
fn sums_of_whole_numbers_are_exact_in_every_type_and_layout() {
    let small = |at: usize| u8::try_from(at.wrapping_mul(7) % 11).unwrap();
    let other = |at: usize| u8::try_from(at.wrapping_mul(5) % 13).unwrap();
    let cases = small_cases();
    let f32s = |x: u8| f32::from(x) - 5.0;
    let f64s = |x: u8| f64::from(x) - 5.0;
    check_exact(&cases, &|at| f32s(small(at)), &|at| f32s(other(at)), |x, y, z| x * y + z, 0.0);
    check_exact(&cases, &|at| f64s(small(at)), &|at| f64s(other(at)), |x, y, z| x * y + z, 0.0);
    let i32s = |x: u8| (i32::from(x) - 5) << 27;
    let wrapping = |x: i32, y: i32, z: i32| x.wrapping_mul(y).wrapping_add(z);
    check_exact(&cases, &|at| i32s(small(at)), &|at| i32::from(other(at)), wrapping, 0);
    let i64s = |x: u8| (i64::from(x) - 5) << 59;
    let wrapping = |x: i64, y: i64, z: i64| x.wrapping_mul(y).wrapping_add(z);
    check_exact(&cases, &|at| i64s(small(at)), &|at| i64::from(other(at)), wrapping, 0);
    let wrapping = |x: u8, y: u8, z: u8| x.wrapping_mul(y).wrapping_add(z);
    check_exact(&cases, &|at| small(at), &|at| other(at), wrapping, 0);
}

#[test]
fn large_products_are_exact_in_whole_numbers() {
    let a = |at: usize| (at.wrapping_mul(7) % 11) as f32 - 5.0;
    let b = |at: usize| (at.wrapping_mul(5) % 13) as f32 - 6.0;
    let (a64, b64) = (|at| f64::from(a(at)), |at| f64::from(b(at)));
    let cases = &large_cases()[..9];
    check_exact(cases, &a, &b, |x, y, z| x * y + z, 0.0);
    check_exact(&large_cases()[9..], &a64, &b64, |x, y, z| x * y + z, 0.0);
    check_exact(&large_cases()[..1], &a64, &b64, |x, y, z| x * y + z, 0.0);
}

/// Numbers whose sums are rounded at every step, so that another order shows.
fn rough(at: usize) -> f64 {
    let bits = (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x0123_4567_89AB_CDEF;
    let bits = (bits ^ (bits >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (bits >> 11) as f64 / 2f64.powi(53) - 0.5
}

fn check_same_bits<T: Element>(cases: &[Case], number: &dyn Fn(usize) -> T, bits: fn(T) -> u64) {
    for case in cases {
        let products = LIES.into_iter().flat_map(|left| LIES.map(|right| (left, right))).map(
            |(left, right)| {
                let other = |at: usize| number(at.wrapping_add(1_000_003));
                let left = Stored::new(left, &case.a, number);
                let right = Stored::new(right, &case.b, &other);
                let found = multiplied(&left, &right, &case.output, number(0));
                (left.layout, right.layout, found.into_iter().map(bits).collect::<Vec<_>>())
            },
        );
        let mut first = None;
        for (left, right, found) in products {
            let first = first.get_or_insert_with(|| found.clone());
            assert!(*first == found, "{left:?} x {right:?} differs from row-major operands");
        }
    }
}

#[test]
fn strides_do_not_change_a_bit() {
    for cases in [small_cases(), large_cases()] {
        check_same_bits(&cases, &|at| rough(at) as f32, |it| it.to_bits().into());
        check_same_bits(&cases, &rough, f64::to_bits);
    }
}

#[test]
fn a_repeated_operand_counts_as_its_copy() {
    for [m, k, n] in [[1, 40, 30], [30, 40, 1], [9, 20, 11], [90, 100, 80]] {
        for axis in [0, 1] {
            let repeated = |sizes: [usize; 2]| {
                let number = move |at: usize| rough([at / sizes[1], at % sizes[1]][1 - axis]);
                let mut stored = Stored::new(Lie::RowMajor, &sizes, &number);
                let copy = Stored::new(Lie::RowMajor, &sizes, &number);
                stored.layout.strides = [0isize, 1].into_iter().collect();
                if axis == 1 {
                    stored.layout.strides = [sizes[1].cast_signed(), 0].into_iter().collect();
                }
                (stored, copy)
            };
            let (a, a_copy) = repeated([m, k]);
            let (b, b_copy) = repeated([k, n]);
            let wanted = multiplied(&a_copy, &b_copy, &[m, n], 0.0);
            assert_eq!(multiplied(&a, &b, &[m, n], 0.0), wanted, "{m} {k} {n}, axis {axis}");
        }
    }
}

#[test]
fn a_rounded_product_is_near_the_true_one() {
    for case in small_cases().into_iter().chain(large_cases()) {
        let k = case.a[case.a.len() - 1] as f64;
        let other = |at: usize| rough(at.wrapping_add(77));
        let a = Stored::new(Lie::RowMajor, &case.a, &|at| rough(at) as f32);
        let b = Stored::new(Lie::Transposed, &case.b, &|at| other(at) as f32);
        let found = multiplied(&a, &b, &case.output, 0.0);
        let single = |at: usize| f64::from(rough(at) as f32);
        let other = |at: usize| f64::from(other(at) as f32);
        let wanted = expected(&case, &single, &other, 0.0, |x, y, z| x * y + z);
        for (found, wanted) in found.into_iter().zip(wanted) {
            let error = (f64::from(found) - wanted).abs();
            assert!(error <= k * 0.25 * f64::from(f32::EPSILON), "{:?}: {error}", case.a);
        }
    }
}
