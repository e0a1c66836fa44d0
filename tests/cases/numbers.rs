//! Faults that others had in reductions, broadcasting and stable functions: each holds in every way of running it.

use crate::support::{holds, refused};
use graphfn::{Tolerance, assert_close, prelude::*};
use ndarray::Array2;

const EXACT: Tolerance = Tolerance::EXACT;
const CLOSE: Tolerance = Tolerance::relative(1e-5);

fn none() -> Tensor {
    Tensor::from(Vec::<f32>::new())
}

fn no_rows() -> Tensor {
    Tensor::from(Array2::<f32>::zeros((0, 3)))
}

#[test]
fn e6_argmax_and_argmin_point_at_the_first_nan() {
    const N: f32 = f32::NAN;
    for (x, largest, smallest) in [
        ([1.0f32, N, 3.0, N], 1i64, 1i64),
        ([N, 1.0, 3.0, N], 0, 0),
        ([1.0, 2.0, 3.0, N], 3, 3),
        ([3.0, 1.0, 3.0, 1.0], 0, 1),
    ] {
        let columns = || Tensor::from([[x[0], 0.0], [x[1], 0.0], [x[2], 0.0], [x[3], 0.0]]);
        holds(|[x]| x.argmax(), [Tensor::from(x)], largest, EXACT);
        holds(|[x]| x.argmin(), [Tensor::from(x)], smallest, EXACT);
        holds(|[x]| x.argmax_axis(0), [columns()], [largest, 0], EXACT);
        holds(|[x]| x.argmin_axis(0), [columns()], [smallest, 0], EXACT);
    }
}

#[test]
fn e11_the_assertion_is_not_blind_to_nan() {
    let fails = |found: &[f32], wanted: &[f32], tolerance| {
        attempt(|| assert_close(found, wanted, tolerance)).is_err()
    };
    assert!(fails(&[f32::NAN], &[1.0], Tolerance::absolute(1e9)));
    assert!(fails(&[1.0], &[f32::NAN], Tolerance::absolute(1e9).with_nan()));
    assert!(fails(&[f32::NAN], &[f32::NAN], CLOSE));
    assert!(!fails(&[f32::NAN], &[f32::NAN], CLOSE.with_nan()));
    assert!(fails(&[], &[1.0], Tolerance::absolute(1e9).with_nan()));
}

#[test]
fn f1_a_sum_of_twenty_million_ones_is_exact() {
    const MANY: usize = 20_000_000;
    #[graph_fn]
    fn sum_and_mean(x: &Tensor) -> (Tensor, Tensor) {
        (x.sum_axis(0), x.mean_axis(0))
    }
    let flat = Tensor::from(vec![1.0f32; MANY]);
    assert_eq!(flat.sum().item::<f32>(), MANY as f32);
    let (sum, mean) = sum_and_mean(&flat);
    assert_eq!((sum.item::<f32>(), mean.item::<f32>()), (MANY as f32, 1.0));
    let pairs = flat.broadcast_to([2, MANY]).t();
    let stored = Tensor::from(Array2::<f32>::ones((MANY, 2)));
    for x in [pairs, stored] {
        assert_eq!(x.sum_axis(0).to_vec::<f32>(), [MANY as f32; 2]);
        let (sum, mean) = sum_and_mean(&x);
        assert_eq!(
            (sum.to_vec::<f32>(), mean.to_vec::<f32>()),
            (vec![MANY as f32; 2], vec![1.0; 2])
        );
    }
}

#[test]
fn f5_reductions_of_nothing_give_their_identity() {
    let infinite = f32::NEG_INFINITY;
    holds(|[x]| x.sum(), [none()], 0.0f32, EXACT);
    holds(|[x]| x.prod(), [none()], 1.0f32, EXACT);
    holds(|[x]| x.greater(0.0).all(), [none()], true, EXACT);
    holds(|[x]| x.greater(0.0).any(), [none()], false, EXACT);
    holds(|[x]| x.mean(), [none()], f32::NAN, EXACT.with_nan());
    holds(|[x]| x.logsumexp(), [none()], infinite, EXACT);
    holds(|[x]| x.sum_axis(0), [no_rows()], [0.0f32; 3], EXACT);
    holds(|[x]| x.prod_axis(0), [no_rows()], [1.0f32; 3], EXACT);
    holds(|[x]| x.greater(0.0).all_axis(0), [no_rows()], [true; 3], EXACT);
    holds(|[x]| x.greater(0.0).any_axis(0), [no_rows()], [false; 3], EXACT);
    holds(|[x]| x.mean_axis(0), [no_rows()], [f32::NAN; 3], EXACT.with_nan());
    holds(|[x]| x.logsumexp_axis(0), [no_rows()], [infinite; 3], EXACT);
    holds(|[x]| x.sum_axis(1), [no_rows()], Vec::<f32>::new(), EXACT);
    holds(|[x]| x.cast(DType::I32).prod(), [none()], 1, EXACT);
}

#[test]
fn f5_the_largest_of_nothing_is_an_error_that_names_the_axis() {
    for error in [
        refused(|[x]| x.max(), [none()]),
        refused(|[x]| x.min(), [none()]),
        refused(|[x]| x.argmax(), [none()]),
        refused(|[x]| x.max_axis(0), [no_rows()]),
        refused(|[x]| x.min_axis(0), [no_rows()]),
        refused(|[x]| x.argmin_axis(0), [no_rows()]),
    ] {
        assert!(error.message().contains("axis 0"), "{error}");
        assert!(error.help().is_some(), "{error}");
    }
    // No result needs an element here.
    let wide = || Tensor::from(Array2::<f32>::zeros((2, 0)));
    holds(|[x]| x.max_axis(0), [wide()], Vec::<f32>::new(), EXACT);
    holds(|[x]| x.argmax_axis(0), [wide()], Vec::<i64>::new(), EXACT);
    holds(|[x]| x.max_axis(1), [no_rows()], Vec::<f32>::new(), EXACT);
}

#[test]
fn g7_an_integer_tensor_and_a_fraction_is_refused_in_every_way() {
    let numbers = || [Tensor::from([1, 2, 3])];
    for error in [refused(|[x]| x * 0.5, numbers()), refused(|[x]| x.less(1.5), numbers())] {
        assert_eq!(error.kind(), ErrorKind::Type);
        assert!(error.message().contains("int32"), "{error}");
    }
    holds(|[x]| x.cast(DType::F32) * 0.5, numbers(), [0.5f32, 1.0, 1.5], EXACT);
    holds(|[x]| x.cast(DType::F32).less(1.5), numbers(), [true, false, false], EXACT);
}

#[test]
fn i1_logsumexp_of_large_numbers_neither_overflows_nor_vanishes() {
    let large = || Tensor::from([1000.0f32, 1001.0, 1002.0]);
    holds(|[x]| x.logsumexp(), [large()], 1_002.407_6f32, Tolerance::relative(1e-7));
    let small = || Tensor::from([-1000.0f32, -1001.0]);
    holds(|[x]| x.logsumexp(), [small()], -999.686_74f32, Tolerance::relative(1e-7));
    let shares = [0.090_030_57f32, 0.244_728_47, 0.665_240_96];
    holds(|[x]| (x - x.logsumexp()).exp(), [large()], shares, Tolerance::relative(1e-4));
    holds(|[x]| (x - x.max()).exp() / (x - x.max()).exp().sum(), [large()], shares, CLOSE);
    // Without care the exponentials are infinite, and the result says so.
    holds(|[x]| x.exp().sum().log(), [large()], f32::INFINITY, EXACT);
    holds(|[x]| x.exp() / x.exp().sum(), [large()], [f32::NAN; 3], EXACT.with_nan());
    holds(|[x]| x.exp().sum().log(), [small()], f32::NEG_INFINITY, EXACT);
}

#[test]
fn i1_logsumexp_of_infinities_is_not_nan() {
    let (up, down) = (f32::INFINITY, f32::NEG_INFINITY);
    holds(|[x]| x.logsumexp(), [Tensor::from([down, down])], down, EXACT);
    holds(|[x]| x.logsumexp(), [Tensor::from([down, 0.0f32])], 0.0f32, EXACT);
    holds(|[x]| x.logsumexp(), [Tensor::from([up, 0.0f32])], up, EXACT);
    holds(|[x]| x.logsumexp(), [Tensor::from([f32::NAN, up])], f32::NAN, EXACT.with_nan());
}
