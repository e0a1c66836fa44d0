//! Both kernels against their definitions, element by element. Knows the expected places from indices alone.

use super::{Gather, Scatter};
use crate::error::{ErrorKind, Result};
use crate::kernels::lowering::{self, Meet};
use crate::types::{DType, Element, Spec};
use crate::value::Layout;

/// How a tensor lies in its buffer.
#[derive(Clone, Copy, Debug)]
enum Lie {
    RowMajor,
    /// Axes stored in reverse order, each of them backwards.
    Turned,
}

/// Elements in memory: a buffer, a layout, and where the first element stands.
struct Stored<T> {
    buffer: Vec<T>,
    layout: Layout,
    first: usize,
}

impl<T: Element> Stored<T> {
    fn new(lie: Lie, sizes: &[usize], elements: &[T]) -> Stored<T> {
        let spec = Spec::new(T::DTYPE, sizes);
        let mut layout = Layout::row_major(spec);
        let mut first = 0;
        if let Lie::Turned = lie {
            let mut far = 1isize;
            for (stride, size) in layout.strides.iter_mut().zip(sizes) {
                *stride = -far;
                first += size.saturating_sub(1) * far.unsigned_abs();
                far *= size.max(&1).cast_signed();
            }
        }
        let mut stored = Stored { buffer: elements.to_vec(), layout, first };
        for (at, index) in indices_of(sizes).enumerate() {
            let place = stored.place(&index);
            stored.buffer[place] = elements[at];
        }
        stored
    }

    fn place(&self, index: &[usize]) -> usize {
        let offset: isize =
            index.iter().zip(&self.layout.strides).map(|(at, step)| at.cast_signed() * step).sum();
        self.first.strict_add_signed(offset)
    }

    fn as_ptr(&self) -> *const u8 {
        self.buffer.as_ptr().wrapping_add(self.first).cast()
    }
}

/// All indices of a shape in row-major order.
fn indices_of(sizes: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let sizes = sizes.to_vec();
    (0..sizes.iter().product()).map(move |at: usize| {
        let mut rest = at;
        let mut index: Vec<usize> = sizes
            .iter()
            .rev()
            .map(|size| {
                let here = rest % size;
                rest /= size;
                here
            })
            .collect();
        index.reverse();
        index
    })
}

fn flat(sizes: &[usize], index: &[usize]) -> usize {
    sizes.iter().zip(index).fold(0, |at, (size, here)| at * size + here)
}

/// For each picked element, in order, the flat place in the table; and the sizes of what is picked.
fn expected_places(
    gather: lowering::Gather,
    table: &[usize],
    sizes: &[usize],
    indices: &[usize],
) -> (Vec<usize>, Vec<usize>) {
    let (count, points) = sizes.split_last().map_or((0, sizes), |(count, rest)| (*count, rest));
    let picked = match gather {
        lowering::Gather::Slices { axis } => [&table[..axis], sizes, &table[axis + 1..]].concat(),
        lowering::Gather::Along { .. } => sizes.to_vec(),
        lowering::Gather::Points => [points, &table[count..]].concat(),
        lowering::Gather::Window => WINDOW[..table.len()].to_vec(),
    };
    let places = indices_of(&picked).map(|at| match gather {
        lowering::Gather::Slices { axis } => {
            let (before, rest) = at.split_at(axis);
            let (own, after) = rest.split_at(sizes.len());
            flat(table, &[before, &[indices[flat(sizes, own)]], after].concat())
        }
        lowering::Gather::Along { axis } => {
            let mut place = at.clone();
            place[axis] = indices[flat(sizes, &at)];
            flat(table, &place)
        }
        lowering::Gather::Points => {
            let (own, after) = at.split_at(points.len());
            let first = flat(points, own) * count;
            flat(table, &[&indices[first..first + count], after].concat())
        }
        lowering::Gather::Window => {
            let place: Vec<usize> = at.iter().zip(indices).map(|(at, start)| at + start).collect();
            flat(table, &place)
        }
    });
    (places.collect(), picked)
}

struct Case {
    gather: lowering::Gather,
    table: &'static [usize],
    sizes: &'static [usize],
    indices: &'static [usize],
}

/// The sizes of a window, as many of them as the table has axes.
const WINDOW: [usize; 3] = [2, 1, 2];

const SLICES: fn(usize) -> lowering::Gather = |axis| lowering::Gather::Slices { axis };
const ALONG: fn(usize) -> lowering::Gather = |axis| lowering::Gather::Along { axis };
const POINTS: lowering::Gather = lowering::Gather::Points;
const WINDOW_AT: lowering::Gather = lowering::Gather::Window;

fn cases() -> Vec<Case> {
    let case = |gather, table, sizes, indices| Case { gather, table, sizes, indices };
    vec![
        case(SLICES(0), &[5], &[], &[3]),
        case(SLICES(0), &[5], &[4], &[3, 0, 3, 4]),
        case(SLICES(0), &[5, 3], &[2, 2], &[1, 4, 0, 1]),
        case(SLICES(1), &[2, 4], &[3], &[3, 3, 0]),
        case(SLICES(1), &[2, 4, 3], &[2, 2], &[3, 2, 0, 2]),
        case(SLICES(2), &[2, 3, 4, 2], &[3], &[0, 2, 0]),
        case(SLICES(0), &[5, 0], &[2], &[1, 4]),
        case(SLICES(0), &[0, 3], &[0], &[]),
        case(SLICES(1), &[0, 3], &[2], &[1, 1]),
        case(ALONG(0), &[4], &[6], &[0, 3, 3, 1, 0, 0]),
        case(ALONG(0), &[3, 2], &[2, 2], &[2, 0, 2, 1]),
        case(ALONG(1), &[2, 3], &[2, 4], &[2, 0, 0, 1, 1, 1, 2, 0]),
        case(ALONG(1), &[2, 3, 2], &[2, 1, 2], &[2, 0, 1, 1]),
        case(ALONG(0), &[3, 2], &[0, 2], &[]),
        case(POINTS, &[3, 4], &[3, 2], &[2, 3, 0, 1, 2, 3]),
        case(POINTS, &[3, 4, 2], &[2, 2, 2], &[2, 3, 0, 1, 2, 0, 0, 1]),
        case(POINTS, &[3, 4], &[2, 1], &[2, 2]),
        case(POINTS, &[5], &[1], &[4]),
        case(POINTS, &[2, 2], &[2, 0], &[]),
        case(POINTS, &[2, 2], &[0, 2], &[]),
        case(WINDOW_AT, &[2], &[1], &[0]),
        case(WINDOW_AT, &[5, 3], &[2], &[3, 2]),
        case(WINDOW_AT, &[3, 2, 4], &[3], &[1, 0, 2]),
        case(WINDOW_AT, &[], &[0], &[]),
    ]
}

fn run_gather<T: Element, I: Element>(
    gather: lowering::Gather,
    table: &Stored<T>,
    indices: &Stored<I>,
    picked: &[usize],
    blank: T,
) -> Result<Vec<T>> {
    let layouts = [table.layout.clone(), indices.layout.clone()];
    let kernel = Gather::new(gather, &layouts, Spec::new(T::DTYPE, picked));
    let mut output = vec![blank; picked.iter().product()];
    // SAFETY: the buffers have the elements of their layouts.
    unsafe { kernel.run(&[table.as_ptr(), indices.as_ptr()], &[output.as_mut_ptr().cast()])? };
    Ok(output)
}

fn check_gather<T: Element, I: Element>(element: impl Fn(usize) -> T, index: impl Fn(usize) -> I) {
    for case in cases() {
        let elements: Vec<T> = (0..case.table.iter().product()).map(&element).collect();
        let indices: Vec<I> = case.indices.iter().map(|at| index(*at)).collect();
        let (places, picked) = expected_places(case.gather, case.table, case.sizes, case.indices);
        let expected: Vec<T> = places.iter().map(|at| elements[*at]).collect();
        for (table, order) in [
            (Lie::RowMajor, Lie::RowMajor),
            (Lie::Turned, Lie::RowMajor),
            (Lie::RowMajor, Lie::Turned),
            (Lie::Turned, Lie::Turned),
        ] {
            let table = Stored::new(table, case.table, &elements);
            let indices = Stored::new(order, case.sizes, &indices);
            let found = run_gather(case.gather, &table, &indices, &picked, element(0)).unwrap();
            assert_eq!(found, expected, "{:?} of {:?}", case.gather, case.table);
        }
    }
}

#[test]
fn picks_what_the_definition_says() {
    check_gather(|at| u8::try_from(at).unwrap(), |at| i32::try_from(at).unwrap());
    check_gather(|at| at as f32, |at| i64::try_from(at).unwrap());
    check_gather(|at| i64::try_from(at).unwrap(), |at| i32::try_from(at).unwrap());
    check_gather(|at| at % 3 == 0, |at| i64::try_from(at).unwrap());
}

fn check_scatter<T: Element>(meet: Meet, element: impl Fn(usize) -> T, sum: impl Fn(T, T) -> T) {
    for case in cases() {
        let base: Vec<T> = (0..case.table.iter().product()).map(&element).collect();
        let indices: Vec<i64> = case.indices.iter().map(|at| i64::try_from(*at).unwrap()).collect();
        let (places, picked) = expected_places(case.gather, case.table, case.sizes, case.indices);
        let updates: Vec<T> = (0..places.len()).map(|at| element(3 * at + 1)).collect();
        let mut expected = base.clone();
        for (place, update) in places.iter().zip(&updates) {
            expected[*place] = sum(expected[*place], *update);
        }
        for lie in [Lie::RowMajor, Lie::Turned] {
            let base = Stored::new(lie, case.table, &base);
            let indices = Stored::new(lie, case.sizes, &indices);
            let updates = Stored::new(lie, &picked, &updates);
            let layouts = [base.layout.clone(), indices.layout.clone(), updates.layout.clone()];
            let kernel = Scatter::new(case.gather, meet, &layouts, base.layout.spec);
            let mut found = vec![element(0); expected.len()];
            // SAFETY: the buffers have the elements of their layouts.
            unsafe {
                kernel
                    .run(
                        &[base.as_ptr(), indices.as_ptr(), updates.as_ptr()],
                        &[found.as_mut_ptr().cast()],
                    )
                    .unwrap();
            }
            assert_eq!(found, expected, "{:?} into {:?}", case.gather, case.table);
        }
    }
}

#[test]
fn adds_where_the_definition_says_in_the_order_of_the_indices() {
    // Sums of numbers this far apart depend on their order.
    let far = |at: usize| [1.0e8f32, 1.0, -1.0e8, 3.0e-3][at % 4] * (at + 1) as f32;
    check_scatter(Meet::Add, far, |a, b| a + b);
    check_scatter(Meet::Add, |at| 1.0 / (at + 1) as f64, |a, b| a + b);
    check_scatter(Meet::Add, |at| i32::MAX - i32::try_from(at).unwrap(), i32::wrapping_add);
    check_scatter(Meet::Add, |at| i64::try_from(at).unwrap() << 60, i64::wrapping_add);
    check_scatter(Meet::Add, |at| u8::try_from(at * 7 % 256).unwrap(), u8::wrapping_add);
}

#[test]
fn of_what_replaces_one_element_the_last_stays() {
    check_scatter(Meet::Replace, |at| at as f64, |_, b| b);
    check_scatter(Meet::Replace, |at| i32::try_from(at).unwrap(), |_, b| b);
    check_scatter(Meet::Replace, |at| at % 3 == 0, |_, b| b);
}

#[test]
fn an_index_out_of_range_is_named_with_its_place() {
    let table = Stored::new(Lie::RowMajor, &[5, 2], &[1.0f32; 10]);
    let wrong = |indices: [i32; 4]| {
        let indices = Stored::new(Lie::Turned, &[2, 2], &indices);
        run_gather(SLICES(0), &table, &indices, &[2, 2, 2], 0.0).unwrap_err()
    };
    let error = wrong([0, 4, 5, -1]);
    assert_eq!(error.kind(), ErrorKind::Index);
    assert_eq!(
        error.to_string(),
        "`gather` needs indices in 0..5 for axis 0, found 5 at [1, 0] of the indices\n  \
         help: indices go from 0 to 4; clamp them if that is what you mean"
    );
    assert_eq!(
        wrong([0, -5, 7, 0]).to_string(),
        "`gather` needs indices in 0..5 for axis 0, found -5 at [0, 1] of the indices\n  \
         help: negative indices do not count from the end here: add 5 to them yourself"
    );
    let indices = Stored::new(Lie::Turned, &[2, 2], &[0i32, 1, 4, 2]);
    assert_eq!(
        run_gather(POINTS, &table, &indices, &[2], 0.0).unwrap_err().message(),
        "`gather_nd` needs indices in 0..2 for axis 1, found 2 at [1, 1] of the indices"
    );
    let start = Stored::new(Lie::RowMajor, &[2], &[4i64, 0]);
    assert_eq!(
        run_gather(WINDOW_AT, &table, &start, &[2, 1], 0.0).unwrap_err().message(),
        "`dynamic_slice` needs indices in 0..4 for axis 0, found 4 at [0] of the indices"
    );
    let empty = Stored::new(Lie::RowMajor, &[0], &[0.0f64; 0]);
    let index = Stored::new(Lie::RowMajor, &[], &[0i64]);
    let error = run_gather(SLICES(0), &empty, &index, &[], 0.0).unwrap_err();
    assert_eq!(error.help(), Some("the axis is empty: nothing can be picked from it"));
}

#[test]
fn an_index_out_of_range_leaves_the_output_untouched() {
    let layouts = [
        Layout::row_major(Spec::new(DType::I32, [3])),
        Layout::row_major(Spec::new(DType::I64, [2])),
        Layout::row_major(Spec::new(DType::I32, [2])),
    ];
    let kernel = Scatter::new(SLICES(0), Meet::Add, &layouts, layouts[0].spec);
    let (base, indices, updates) = ([1i32, 2, 3], [0i64, 3], [10i32, 20]);
    let mut output = [7i32; 3];
    let inputs = [base.as_ptr().cast(), indices.as_ptr().cast(), updates.as_ptr().cast()];
    // SAFETY: the arrays have the elements of their layouts.
    let error = unsafe { kernel.run(&inputs, &[output.as_mut_ptr().cast()]) }.unwrap_err();
    assert_eq!(
        error.message(),
        "`scatter_add` needs indices in 0..3 for axis 0, found 3 at [1] of the indices"
    );
    assert_eq!(output, [7; 3]);
}
