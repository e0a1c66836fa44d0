//! The gradients of reductions where others fail: at zeros, ties, the origin, and masked elements.

use crate::support::{gradients_of, has_gradient as check};
use graphfn::prelude::*;

/// Checks the product of second derivatives with the weights 1, 1.875, 1.375, 2.25, .. of the first.
fn check_second(f: impl Fn(&Tensor) -> Tensor, x: impl Into<Tensor>, wanted: &[f64]) {
    let [_, found] = gradients_of(f, &x.into());
    assert_eq!(found, wanted);
}

#[test]
fn c3_a_norm_at_the_origin() {
    check(|x| x.norm(), [0.0, 0.0], &[0.0, 0.0]);
    check(|x| x.norm().square(), [0.0, 0.0], &[0.0, 0.0]);
    check(|x| x.norm(), [3.0, -4.0, 0.0], &[0.6, -0.8, 0.0]);
    check(|x| x.norm_axis(1), [[0.0, 0.0], [3.0, 4.0]], &[0.0, 0.0, 0.6, 0.8]);
    check(|x| x.norm_p(3.0, ()), [0.0, 0.0], &[0.0, 0.0]);
    check(|x| x.norm_p(1.0, ()), [0.0, -2.0], &[0.0, -1.0]);
}

#[test]
fn c3_a_standard_deviation_of_equal_elements() {
    check(|x| x.std(), [2.0, 2.0, 2.0], &[0.0, 0.0, 0.0]);
    check(|x| x.var(), [2.0, 2.0, 2.0], &[0.0, 0.0, 0.0]);
}

#[test]
fn c4_a_product_with_zeros() {
    check(|x| x.prod(), [2.0, 0.0, 3.0, 4.0], &[0.0, 24.0, 0.0, 0.0]);
    check(|x| x.prod(), [0.0, 0.0, 3.0], &[0.0, 0.0, 0.0]);
    check(|x| x.prod_axis(1), [[2.0, 0.0, 4.0], [1.0, 3.0, 5.0]], &[0.0, 8.0, 0.0, 15.0, 5.0, 3.0]);
    check(|x| x.prod(), [[2.0, 0.0], [3.0, 4.0]], &[0.0, 24.0, 0.0, 0.0]);
    check(|x| x.prod_axis(KeepDims([0, 1])), [[2.0, 5.0], [3.0, 4.0]], &[60.0, 24.0, 40.0, 30.0]);
    check(|x| x.cumprod(0), [2.0, 0.0, 3.0], &[1.0, 2.0 + 6.0, 0.0]);
}

/// Second derivatives of x0 x1 x2: the third element, off the diagonal.
#[test]
fn c4_second_derivatives_of_a_product_with_zeros() {
    let [a, b, c] = [1.0, 1.875, 1.375];
    check_second(|x| x.prod(), [0.0, 0.0, 3.0], &[3.0 * b, 3.0 * a, 0.0]);
    check_second(|x| x.prod(), [2.0, 0.0, 5.0], &[5.0 * b, 5.0 * a + 2.0 * c, 2.0 * b]);
}

/// By the sums of products that are left when one or two factors are taken out, in NumPy.
#[test]
fn c4_running_products_with_zeros() {
    let (first, second) = ([1.0, 32.0, 0.0, 0.0], [30.0, 43.25, 18.75, 11.25]);
    check(|x| x.cumprod(0), [2.0, 0.0, 3.0, 4.0], &first);
    check_second(|x| x.cumprod(0), [2.0, 0.0, 3.0, 4.0], &second);
    check(|x| x.cumprod(0), [2.0, 0.0, 0.0, 5.0], &[1.0, 2.0, 0.0, 0.0]);
    check_second(|x| x.cumprod(0), [2.0, 0.0, 0.0, 5.0], &[1.875, 17.5, 22.5, 0.0]);
    check(|x| x.cumprod(0), [0.0, 0.0, 0.0, 1.0], &[1.0, 0.0, 0.0, 0.0]);
    check_second(|x| x.cumprod(0), [0.0, 0.0, 0.0, 1.0], &[1.875, 1.0, 0.0, 0.0]);
}

#[test]
fn c6_equal_largest_elements_share_the_gradient() {
    let third = 1.0 / 3.0;
    check(|x| x.max(), [1.0, 2.0, 2.0, 2.0], &[0.0, third, third, third]);
    check(|x| x.min(), [1.0, 2.0, 1.0, 2.0], &[0.5, 0.0, 0.5, 0.0]);
    check(|x| x.max_axis(0), [[1.0, 5.0], [1.0, 7.0]], &[0.5, 0.0, 0.5, 1.0]);
    check(|x| x.max(), [f64::NAN, 1.0, f64::NAN], &[0.5, 0.0, 0.5]);
}

#[test]
fn i5_masked_elements_get_no_gradient() {
    let inf = f64::INFINITY;
    check(|x| x.logsumexp(), [-inf, 0.0, 0.0], &[0.0, 0.5, 0.5]);
    check(|x| x.logsumexp(), [-inf, -inf], &[0.0, 0.0]);
    check_second(
        |x| x.logsumexp(),
        [-inf, 0.0, 0.0],
        &[0.0, 0.25 * (1.875 - 1.375), 0.25 * (1.375 - 1.875)],
    );
    check(|x| x.logsumexp(), [1000.0, 0.0], &[1.0, 0.0]);
}
