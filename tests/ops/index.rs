//! Picking and putting by indices that are data: what NumPy gives, in every way of running it, and what is refused.
// The numbers are NumPy's (2.x, float64), of `x = numpy.arange(12.).reshape(2, 3, 2) / 2`.

use crate::support::{holds, told};
use graphfn::{Tolerance, prelude::*};

fn counted(sizes: [usize; 3], first: f64, step: f64) -> Tensor {
    let len: usize = sizes.iter().product();
    Tensor::from((0..len).map(|at| first + step * at as f64).collect::<Vec<f64>>()).reshape(sizes)
}

fn x() -> Tensor {
    counted([2, 3, 2], 0.0, 0.5)
}

#[track_caller]
fn check<const N: usize>(
    f: impl Fn(&[Tensor; N]) -> Tensor,
    inputs: [Tensor; N],
    sizes: &[usize],
    wanted: &[f64],
) {
    holds(f, inputs, Tensor::from(wanted.to_vec()).reshape(sizes), Tolerance::EXACT);
}

fn points() -> Tensor {
    Tensor::from([[[1, 2], [0, 1]], [[1, 0], [1, 2]]])
}

#[test]
fn points_pick_what_their_coordinates_leave_out() {
    let wanted = [5.0, 5.5, 1.0, 1.5, 3.0, 3.5, 5.0, 5.5];
    check(|[x, at]| x.gather_nd(at), [x(), points()], &[2, 2, 2], &wanted);
    check(|[x, at]| x.gather_nd(at), [x(), Tensor::from([1, 2, 1])], &[], &[5.5]);
    let rows = [Tensor::from([[1.0, 2.0], [3.0, 4.0]]), Tensor::from([[1], [0], [1]])];
    check(
        |[x, at]| x.embedding_lookup(&at.reshape(-1)),
        rows,
        &[3, 2],
        &[3.0, 4.0, 1.0, 2.0, 3.0, 4.0],
    );
}

#[test]
fn updates_are_added_at_points_and_the_last_one_replaces() {
    let inputs = || [x(), points(), counted([2, 2, 2], 10.0, 1.0)];
    let added = [0.0, 0.5, 13.0, 14.5, 2.0, 2.5, 17.0, 18.5, 4.0, 4.5, 31.0, 33.5];
    check(|[x, at, u]| x.scatter_nd_add(at, u), inputs(), &[2, 3, 2], &added);
    let put = [0.0, 0.5, 12.0, 13.0, 2.0, 2.5, 14.0, 15.0, 4.0, 4.5, 16.0, 17.0];
    check(|[x, at, u]| x.scatter_nd_update(at, u), inputs(), &[2, 3, 2], &put);
    let slices = [x(), Tensor::from([2, 0, 2]), counted([2, 3, 2], 100.0, 1.0)];
    let put = [102.0, 103.0, 1.0, 1.5, 104.0, 105.0, 108.0, 109.0, 4.0, 4.5, 110.0, 111.0];
    check(|[x, at, u]| x.scatter_update(at, u, 1), slices, &[2, 3, 2], &put);
    let at = Tensor::from([[[1], [0], [1]], [[0], [0], [1]]]);
    let along = [x(), at, counted([2, 3, 1], -6.0, 1.0)];
    let put = [0.0, -6.0, -5.0, 1.5, 2.0, -4.0, -3.0, 3.5, -2.0, 4.5, 5.0, -1.0];
    check(|[x, at, u]| x.scatter_update_along_axis(at, u, -1), along, &[2, 3, 2], &put);
}

#[test]
fn a_window_begins_where_data_say() {
    let at = Tensor::from([1i64, 1, 0]);
    let window = [4.0, 4.5, 5.0, 5.5];
    check(|[x, at]| x.dynamic_slice(at, [1, 2, 2]), [x(), at], &[1, 2, 2], &window);
    let put = [0.0, 0.5, 1.0, -9.0, 2.0, -8.0, 3.0, 3.5, 4.0, -7.0, 5.0, -6.0];
    let inputs = [x(), Tensor::from([0, 1, 1]), counted([2, 2, 1], -9.0, 1.0)];
    check(|[x, at, u]| x.dynamic_update_slice(u, at), inputs, &[2, 3, 2], &put);
}

#[test]
fn a_mask_picks_what_is_true() {
    let mask = Tensor::from([[true, false, true], [false, true, true]]);
    let some = x().boolean_mask(&mask);
    assert_eq!(some.shape(), &Shape::from([4, 2]));
    assert_eq!(some.to_vec::<f64>(), [0.0, 0.5, 2.0, 2.5, 4.0, 4.5, 5.0, 5.5]);
    let large = x().boolean_mask(&x().greater(2.0));
    assert_eq!(large.to_vec::<f64>(), [2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5]);
    let none = x().boolean_mask(&Tensor::from([false, false]));
    assert_eq!(none.shape(), &Shape::from([0, 3, 2]));
    // A mask that a trace only captures is known.
    let traced = graph_fn(|x: &Tensor| x.boolean_mask(&mask) + 1.0);
    assert_eq!(traced.call(&x()).to_vec::<f64>(), [1.0, 1.5, 3.0, 3.5, 5.0, 5.5, 6.0, 6.5]);
}

#[test]
fn a_mask_of_a_trace_is_refused_with_a_way_out() {
    let traced = graph_fn(|x: &Tensor| x.boolean_mask(&x.greater(0.0)));
    let error = traced.try_call(&x()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Trace);
    assert_eq!(
        error.message(),
        "`boolean_mask` needs a mask whose value is known: how many elements it picks is not known while tracing"
    );
    assert!(error.help().unwrap().contains("mask.select(&x, 0.0)"), "{error}");
}

#[test]
fn out_of_range_is_an_error_and_never_clamped() {
    let index = |at: &str| format!("needs indices in {at} of the indices");
    let at = Tensor::from([[0, 3]]);
    let message = index("0..3 for axis 1, found 3 at [0, 1]");
    told(
        |[x, at]| x.gather_nd(at),
        [x(), at.clone()],
        ErrorKind::Index,
        &format!("`gather_nd` {message}"),
    );
    let u = Tensor::from([[0.0, 0.0]]);
    let inputs = || [x(), at.clone(), u.clone()];
    told(
        |[x, at, u]| x.scatter_nd_add(at, u),
        inputs(),
        ErrorKind::Index,
        &format!("`scatter_nd_add` {message}"),
    );
    told(
        |[x, at, u]| x.scatter_nd_update(at, u),
        inputs(),
        ErrorKind::Index,
        &format!("`scatter_nd_update` {message}"),
    );
    let message = index("0..2 for axis 1, found 2 at [1]");
    let starts = Tensor::from([0, 2, 0]);
    let inputs = [x(), starts.clone()];
    told(
        |[x, at]| x.dynamic_slice(at, [2, 2, 2]),
        inputs,
        ErrorKind::Index,
        &format!("`dynamic_slice` {message}"),
    );
    let inputs = [x(), starts, counted([1, 2, 2], 0.0, 1.0)];
    let message = format!("`dynamic_update_slice` {message}");
    told(|[x, at, u]| x.dynamic_update_slice(u, at), inputs, ErrorKind::Index, &message);
    let inputs = [x(), Tensor::from([-1]), counted([2, 1, 2], 0.0, 1.0)];
    let message = format!("`scatter_update` {}", index("0..3 for axis 1, found -1 at [0]"));
    told(|[x, at, u]| x.scatter_update(at, u, 1), inputs, ErrorKind::Index, &message);
}

#[test]
fn what_does_not_fit_is_refused() {
    let shape = ErrorKind::Shape;
    let message = "`gather_nd` needs indices whose last axis holds up to 3 coordinates, found [4] for [2, 3, 2]";
    told(|[x, at]| x.gather_nd(at), [x(), Tensor::from([0; 4])], shape, message);
    let message =
        "`dynamic_slice` needs a start for each axis of [2, 3, 2], found starts of shape [2]";
    told(|[x, at]| x.dynamic_slice(at, [1, 1, 1]), [x(), Tensor::from([0; 2])], shape, message);
    let message = "`dynamic_slice` needs a window that fits [2, 3, 2], found [1, 4, 1]";
    told(|[x, at]| x.dynamic_slice(at, [1, 4, 1]), [x(), Tensor::from([0; 3])], shape, message);
    let message = "`dynamic_slice` needs indices of int32 or int64, found f64[3]";
    told(
        |[x, at]| x.dynamic_slice(at, [1, 1, 1]),
        [x(), Tensor::from([0.0; 3])],
        ErrorKind::Type,
        message,
    );
    let message =
        "`boolean_mask` needs a mask of the first sizes of the tensor, found [3] for [2, 3, 2]";
    told(|[x]| x.boolean_mask(&Tensor::from([true; 3])), [x()], shape, message);
    let message = "`boolean_mask` chooses by truth values, found i32[2]";
    told(|[x]| x.boolean_mask(&Tensor::from([1, 0])), [x()], ErrorKind::Type, message);
}

#[graph_fn(signature(x: f64[?, 2], at: i32[?], u: f64[?, 2]))]
fn rows(x: &Tensor, at: &Tensor, u: &Tensor) -> Tensor {
    let points = at.expand_dims(1);
    x.scatter_add(at, &x.gather_nd(&points), 0).scatter_nd_add(&points, &x.gather(at, 0)) + u.sum()
}

#[graph_fn(signature(x: f64[n, 2], at: i32[2]))]
fn windows(x: &Tensor, at: &Tensor) -> Tensor {
    x.dynamic_update_slice(&x.dynamic_slice(at, [2, 1]), &at.zeros_like())
}

#[test]
fn sizes_that_vary_have_one_trace() {
    let (ones, at) = (|rows| Tensor::ones::<f64>([rows, 2]), Tensor::from([1, 1]));
    assert_eq!(rows(&ones(2), &at, &ones(1)).to_vec::<f64>(), [3.0, 3.0, 7.0, 7.0]);
    assert_eq!(rows(&ones(3), &at, &ones(1)).to_vec::<f64>(), [3.0, 3.0, 7.0, 7.0, 3.0, 3.0]);
    assert_eq!(rows::trace_count(), 1);
    let x = Tensor::from([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    let wanted = [4.0, 2.0, 6.0, 4.0, 5.0, 6.0];
    assert_eq!(windows(&x, &Tensor::from([1, 1])).to_vec::<f64>(), wanted);
    let error = windows::try_call(&Tensor::from([[1.0, 2.0]]), &Tensor::from([0, 0])).unwrap_err();
    assert_eq!(error.message(), "`dynamic_slice` needs a window that fits [1, 2], found [2, 1]");
    assert_eq!(windows::trace_count(), 1);
}
