//! Reductions: what NumPy gives, the faults that others had, and what is refused. Each holds at once and traced, and with
//! inputs in another order of memory.

use graphfn::prelude::*;
use ndarray::ArrayD;

/// Three calls: at once, traced, and traced once more; of an input as it is, and stored in the opposite order of axes.
fn check(f: impl Fn(&Tensor) -> Tensor, x: &Tensor, shape: &[usize], wanted: &[f64]) {
    let found = |result: Tensor| {
        assert_eq!(*result.shape(), Shape::from(shape));
        let found = result.cast(DType::F64).to_vec::<f64>();
        let near = |(found, wanted): (&f64, &f64)| {
            found == wanted
                || (found.is_nan() && wanted.is_nan())
                || (found - wanted).abs() <= 1e-6 * wanted.abs().max(1.0)
        };
        let fits = found.len() == wanted.len() && found.iter().zip(wanted).all(near);
        assert!(fits, "found {found:?}, wanted {wanted:?}");
    };
    let traced = graph_fn(&f);
    for x in [x, &turned(x)] {
        found(f(x));
        found(traced.call(x));
        found(traced.call(x));
    }
}

/// The same elements, stored in the opposite order of axes.
fn turned(x: &Tensor) -> Tensor {
    fn turn<T: graphfn::Element>(x: &Tensor) -> Tensor {
        let elements: ArrayD<T> = x.value().to_array().unwrap();
        elements.reversed_axes().as_standard_layout().into_owned().reversed_axes().into()
    }
    match x.dtype() {
        DType::F32 => turn::<f32>(x),
        DType::F64 => turn::<f64>(x),
        DType::I32 => turn::<i32>(x),
        DType::I64 => turn::<i64>(x),
        DType::U8 => turn::<u8>(x),
        DType::Bool => turn::<bool>(x),
    }
}

/// Numbers of all signs.
fn numbers() -> Tensor {
    let elements: Vec<f64> = (0..24).map(|at| f64::from(at * 7 % 11) - 3.0).collect();
    Tensor::from(elements).reshape([2, 3, 4])
}

fn message(f: impl Fn() -> Tensor) -> String {
    attempt(f).unwrap_err().message().to_string()
}

// The numbers of these tests are NumPy's (2.4), of `((numpy.arange(24) * 7 % 11) - 3.0).reshape(2, 3, 4)`.

#[test]
fn sums_and_products() {
    let x = numbers();
    check(|x| x.sum(), &x, &[], &[45.0]);
    check(|x| x.sum_axis(1), &x, &[2, 4], &[-2.0, 8.0, 7.0, 6.0, 8.0, 7.0, 6.0, 5.0]);
    check(|x| x.sum_axis([0, -1]), &x, &[3], &[22.0, 15.0, 8.0]);
    check(|x| x.sum_axis(KeepDims([0, 2])), &x, &[1, 3, 1], &[22.0, 15.0, 8.0]);
    check(
        |x| x.prod_axis(0),
        &x,
        &[3, 4],
        &[-12., 0., 0., 21., -3., -6., 12., -4., -10., 5., -3., -12.],
    );
    check(|x| x.prod_axis((0..2).collect::<Vec<usize>>()), &x, &[4], &[-360.0, 0.0, 0.0, 1008.0]);
}

#[test]
fn extremes_and_where_they_are() {
    let x = numbers();
    check(|x| x.max_axis(1), &x, &[2, 4], &[3.0, 5.0, 6.0, 7.0, 5.0, 6.0, 7.0, 4.0]);
    check(|x| x.min_axis([0, 2]), &x, &[3], &[-3.0, -2.0, -3.0]);
    check(|x| x.max(), &x, &[], &[7.0]);
    check(|x| x.argmax_axis(1), &x, &[2, 4], &[1., 2., 1., 0., 2., 1., 0., 2.]);
    check(|x| x.argmin_axis(KeepDims(-1)), &x, &[2, 3, 1], &[0., 1., 3., 1., 3., 2.]);
    check(|x| x.argmax(), &x, &[], &[3.0]);
    check(|x| x.argmin(), &x, &[], &[0.0]);
    assert_eq!(x.argmax().dtype(), DType::I64);
}

#[test]
fn moments() {
    let x = numbers();
    check(|x| x.mean(), &x, &[], &[1.875]);
    check(|x| x.mean_axis(KeepDims(())), &x, &[1, 1, 1], &[1.875]);
    check(|x| x.mean_axis([0, 2]), &x, &[3], &[2.75, 1.875, 1.0]);
    check(|x| x.var(), &x, &[], &[10.359375]);
    check(|x| x.var_axis([0, 2]), &x, &[3], &[10.9375, 8.359375, 10.25]);
    check(|x| x.std(), &x, &[], &[3.2185982973959333]);
    check(
        |x| x.std_axis([0, 2]),
        &x,
        &[3],
        &[3.307189138830738, 2.8912583765550943, 3.2015621187164243],
    );
}

/// A variance by the mean of the squares would be 0 here, or negative.
#[test]
fn a_variance_far_from_zero_is_exact() {
    let x = Tensor::from([1e8f64 + 4.0, 1e8 + 7.0, 1e8 + 13.0, 1e8 + 16.0]);
    check(|x| x.var(), &x, &[], &[22.5]);
}

#[test]
fn norms() {
    let x = numbers();
    check(
        |x| x.norm_axis(2),
        &x,
        &[2, 3],
        &[
            8.602325267042627,
            7.0710678118654755,
            6.244997998398398,
            8.602325267042627,
            6.708203932499369,
            7.14142842854285,
        ],
    );
    check(
        |x| x.norm_p(1.5, 2),
        &x,
        &[2, 3],
        &[
            10.01973026204272,
            8.255847297199807,
            7.418306085554127,
            10.01973026204272,
            7.696914842851882,
            8.635504750587597,
        ],
    );
    check(|x| x.norm_p(1.0, ()), &x, &[], &[75.0]);
    check(|x| x.norm_p(f64::INFINITY, ()), &x, &[], &[7.0]);
}

#[test]
fn truth_values() {
    let x = Tensor::from([[true, false, false], [true, true, false]]);
    check(|x| x.any_axis(0), &x, &[3], &[1.0, 1.0, 0.0]);
    check(|x| x.all_axis(0), &x, &[3], &[1.0, 0.0, 0.0]);
    check(|x| x.any(), &x, &[], &[1.0]);
    check(|x| x.all(), &x, &[], &[0.0]);
    check(|x| x.sum_axis(1), &x, &[2], &[1.0, 2.0]);
    check(|x| x.count_nonzero_axis(1), &x, &[2], &[1.0, 2.0]);
    check(|x| x.count_nonzero(), &numbers(), &[], &[22.0]);
    check(|x| x.count_nonzero(), &Tensor::from([f32::NAN, 0.0, -0.0, 0.1]), &[], &[2.0]);
}

#[test]
fn small_integers_are_summed_without_wrapping() {
    let x = Tensor::from(vec![255u8; 1000]);
    check(|x| x.sum(), &x, &[], &[255_000.0]);
    assert_eq!(
        (x.sum().dtype(), x.max().dtype(), x.prod().dtype()),
        (DType::I64, DType::U8, DType::U8)
    );
    check(|x| x.cumsum(0).slice(-1), &x, &[], &[255_000.0]);
    check(|x| x.sum_axis([0usize; 0]), &Tensor::from([true, false]), &[2], &[1.0, 0.0]);
    assert_eq!(Tensor::from([i32::MAX, 1]).sum().item::<i32>(), i32::MIN);
}

#[test]
fn running_sums_and_products() {
    let x = numbers();
    let sums = [
        -3.0, 4.0, 0.0, 7.0, 0.0, 3.0, 6.0, 9.0, -2.0, 8.0, 7.0, 6.0, 4.0, 0.0, 7.0, 3.0, 3.0, 6.0,
        9.0, 1.0, 8.0, 7.0, 6.0, 5.0,
    ];
    check(|x| x.cumsum(1), &x, &[2, 3, 4], &sums);
    let products = [
        -3.0, -12.0, -0.0, -0.0, 3.0, -3.0, -18.0, -36.0, -2.0, -10.0, -10.0, 30.0, 4.0, 0.0, 0.0,
        0.0, -1.0, -6.0, -12.0, 24.0, 5.0, 5.0, -15.0, -60.0,
    ];
    check(|x| x.cumprod(-1), &x, &[2, 3, 4], &products);
    check(|x| x.cumsum(0), &Tensor::from(Vec::<f32>::new()), &[0], &[]);
    check(|x| x.cumprod(0), &Tensor::from(Vec::<f32>::new()), &[0], &[]);
}

#[test]
fn running_sums_of_many_ones_do_not_stick() {
    let ones = Tensor::from(1.0f32).broadcast_to([17_000_000]);
    assert_eq!(ones.cumsum(0).at(-1).item::<f32>(), 17_000_000.0);
}

#[graph_fn(signature(x: f32[?]))]
fn sum_of_squares(x: &Tensor) -> Tensor {
    (x * x).sum()
}

#[test]
fn a1_a_sum_of_squares_is_right_for_every_length() {
    for n in 1..=50u16 {
        let x: Vec<f32> = (0..n).map(f32::from).collect();
        let n = f32::from(n);
        assert_eq!(
            sum_of_squares(&Tensor::from(x)).item::<f32>(),
            n * (n - 1.0) * (2.0 * n - 1.0) / 6.0
        );
    }
    assert_eq!(sum_of_squares::trace_count(), 1);
    let traced = graph_fn(|x: &Tensor| (x * x).sum());
    for n in 1..=50 {
        let _ = traced.call(&Tensor::from(vec![1.0f32; n]));
    }
    assert_eq!(traced.trace_count(), 50);
}

#[test]
fn f1_twenty_million_ones_are_counted() {
    const MANY: usize = 20_000_000;
    let ones = Tensor::from(vec![1.0f32; MANY]);
    let traced = graph_fn(|x: &Tensor| (x.sum(), x.mean()));
    let (sum, mean) = traced.call(&ones);
    assert_eq!((sum.item::<f32>(), mean.item::<f32>()), (MANY as f32, 1.0));
    assert_eq!((ones.sum().item::<f32>(), ones.mean().item::<f32>()), (MANY as f32, 1.0));
    let pairs = Tensor::from(1.0f32).broadcast_to([MANY, 2]);
    assert_eq!(pairs.sum_axis(0).to_vec::<f32>(), [MANY as f32; 2]);
}

#[test]
fn f5_nothing_to_reduce() {
    let none = Tensor::from(Vec::<f32>::new());
    let rows = Tensor::from(ndarray::Array2::<f32>::zeros((0, 3)));
    check(|x| x.sum(), &none, &[], &[0.0]);
    check(|x| x.sum_axis(0), &rows, &[3], &[0.0; 3]);
    check(|x| x.prod(), &none, &[], &[1.0]);
    check(|x| x.prod_axis(0), &rows, &[3], &[1.0; 3]);
    check(|x| x.cast(DType::Bool).all_axis(0), &rows, &[3], &[1.0; 3]);
    check(|x| x.cast(DType::Bool).any_axis(0), &rows, &[3], &[0.0; 3]);
    check(|x| x.mean(), &none, &[], &[f64::NAN]);
    check(|x| x.mean_axis(0), &rows, &[3], &[f64::NAN; 3]);
    check(|x| x.var_axis(0), &rows, &[3], &[f64::NAN; 3]);
    check(|x| x.logsumexp(), &none, &[], &[f64::NEG_INFINITY]);
    check(|x| x.logsumexp_axis(0), &rows, &[3], &[f64::NEG_INFINITY; 3]);
    check(|x| x.norm(), &none, &[], &[0.0]);
    let needs = |op: &str, found: &str| {
        format!("`{op}` needs at least one element along axis 0, found {found}")
    };
    assert_eq!(message(|| none.max()), needs("max", "f32[0]"));
    assert_eq!(message(|| rows.max_axis(0)), needs("max", "f32[0, 3]"));
    assert_eq!(message(|| rows.min_axis(-2)), needs("min", "f32[0, 3]"));
    assert_eq!(message(|| none.argmax()), needs("argmax", "f32[0]"));
    assert_eq!(message(|| rows.argmin_axis(0)), needs("argmin", "f32[0, 3]"));
    let columns = Tensor::from(ndarray::Array2::<f32>::zeros((2, 0)));
    check(|x| x.max_axis(0), &columns, &[0], &[]);
    check(|x| x.argmax_axis(0), &columns, &[0], &[]);
}

#[graph_fn(signature(x: f32[?, 3]))]
fn largest(x: &Tensor) -> Tensor {
    x.max_axis(0)
}

#[graph_fn(signature(x: f32[?, 3]))]
fn log_sum_exp(x: &Tensor) -> Tensor {
    x.logsumexp_axis(0)
}

#[test]
fn f5_nothing_to_reduce_is_found_at_the_call_where_sizes_vary() {
    assert_eq!(
        largest(&Tensor::from([[1.0f32, 5.0, 2.0], [4.0, 3.0, 0.0]])).to_vec::<f32>(),
        [4.0, 5.0, 2.0]
    );
    let none = Tensor::from(ndarray::Array2::<f32>::zeros((0, 3)));
    let error = largest::try_call(&none).unwrap_err();
    assert_eq!(error.message(), "`max` needs at least one element along axis 0, found f32[0, 3]");
    assert_eq!(error.node(), Some("Max"));
    assert_eq!(log_sum_exp(&none).to_vec::<f32>(), [f32::NEG_INFINITY; 3]);
}

#[test]
fn e4_nan_wins_in_every_place() {
    for at in 0..40 {
        let mut x: Vec<f32> = (0..40u8).map(f32::from).collect();
        x[at] = f32::NAN;
        let x = Tensor::from(x);
        check(|x| x.max(), &x, &[], &[f64::NAN]);
        check(|x| x.min(), &x, &[], &[f64::NAN]);
        check(|x| x.argmax(), &x, &[], &[at as f64]);
        check(|x| x.argmin(), &x, &[], &[at as f64]);
        check(|x| x.logsumexp(), &x, &[], &[f64::NAN]);
    }
}

#[test]
fn e6_the_first_nan_is_the_largest_and_the_smallest() {
    let x = Tensor::from([1.0f32, f32::NAN, 3.0, f32::NAN]);
    check(|x| x.argmax(), &x, &[], &[1.0]);
    check(|x| x.argmin(), &x, &[], &[1.0]);
    check(|x| x.argmax_axis(0), &x.expand_dims(1), &[1], &[1.0]);
    check(|x| x.argmax(), &Tensor::from([2, 7, 7, 1]), &[], &[1.0]);
}

#[test]
fn i1_logsumexp_of_large_numbers() {
    check(|x| x.logsumexp(), &Tensor::from([1000.0f32, 1001.0, 1002.0]), &[], &[1002.4076059644]);
    check(|x| x.logsumexp(), &Tensor::from([-1000.0f32, -1001.0]), &[], &[-999.68673831]);
    let by_hand = |x: &Tensor| x.exp().sum().log();
    check(by_hand, &Tensor::from([1000.0f32, 1001.0, 1002.0]), &[], &[f64::INFINITY]);
}

#[test]
fn i5_logsumexp_of_masked_numbers() {
    let inf = f32::INFINITY;
    let x = Tensor::from([[-inf, 0.0, 0.0], [-inf, -inf, -inf], [inf, 0.0, -inf]]);
    let wanted = [std::f64::consts::LN_2, f64::NEG_INFINITY, f64::INFINITY];
    check(|x| x.logsumexp_axis(1), &x, &[3], &wanted);
}

#[test]
fn what_is_refused_names_op_axis_and_type() {
    let x = numbers();
    assert_eq!(
        message(|| x.sum_axis(3)),
        "`sum` needs an axis of a tensor of rank 3, one from -3 to 2, found 3"
    );
    assert_eq!(
        message(|| x.max_axis([0, -3])),
        "`max` needs each axis once, found axis 0 of rank 3 as 0 and -3"
    );
    assert_eq!(message(|| x.argmax_axis([0, 1])), "`argmax_axis` needs one axis, found [0, 1]");
    assert_eq!(message(|| x.norm_p(0.0, ())), "`norm` needs p greater than 0, found 0.0");
    let counts = Tensor::from([1, 2]);
    let error = attempt(|| counts.mean()).unwrap_err();
    assert_eq!(error.message(), "`mean` takes float32, float64, found int32");
    assert_eq!(error.help(), Some("convert first: `.cast(DType::F32)`"));
    assert_eq!(message(|| counts.any()), "`any` takes bool, found int32");
    assert_eq!(
        message(|| counts.linear_recurrence(&x, 0)),
        "`linear_recurrence` needs one element type, found i32[2] and f64[2, 3, 4]"
    );
    let three = Tensor::from([1, 2, 3]);
    assert_eq!(
        message(|| counts.linear_recurrence(&three, 0)),
        "`linear_recurrence` needs equal shapes, found [2] and [3]"
    );
}
