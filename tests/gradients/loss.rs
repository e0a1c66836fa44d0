//! The gradients of losses where others fail: masked and saturated logits, seams, certain predictions.

use crate::support::has_gradient as check;
use graphfn::loss::*;
use graphfn::prelude::*;

const INF: f64 = f64::INFINITY;

#[test]
fn i5_cross_entropy_of_masked_logits() {
    let label = Tensor::from([0.0, 1.0, 0.0]);
    check(|x| softmax_cross_entropy(x, &label), [-INF, 0.0, 0.0], &[0.0, -0.5, 0.5]);
    let number = Tensor::from(1);
    check(|x| sparse_softmax_cross_entropy(x, &number), [-INF, 0.0, 0.0], &[0.0, -0.5, 0.5]);
    check(|x| nll(&x.log_softmax(-1), &number), [-INF, 0.0, 0.0], &[0.0, -0.5, 0.5]);
    let shares = Tensor::from([0.0, 0.5, 0.5]);
    check(|x| kl_div(&x.log_softmax(-1), &shares), [-INF, 0.0, 0.0], &[0.0, 0.0, 0.0]);
}

/// JAX with Optax in float64; the labels of the first sum to a half.
#[test]
fn gradients_are_jax_s() {
    let x = [[0.3, -1.2, 2.0], [1.5, 0.25, -0.75]];
    let labels = Tensor::from([[0.1, 0.4, 0.0], [0.5, 0.0, 0.0]]);
    check(
        |x| softmax_cross_entropy(x, &labels),
        x,
        &[
            -0.025_340_568_908_304_42,
            -0.383_341_229_183_919_33,
            0.408_681_798_092_223_7,
            -0.140_779_829_424_467_54,
            0.102_918_301_998_825_76,
            0.037_861_527_425_641_76,
        ],
    );
    let numbers = Tensor::from([1, 2]);
    check(
        |x| sparse_softmax_cross_entropy(x, &numbers),
        x,
        &[
            0.149_318_862_183_391_2,
            -0.966_682_458_367_838_6,
            0.817_363_596_184_447_4,
            0.718_440_341_151_064_9,
            0.205_836_603_997_651_52,
            -0.924_276_945_148_716_5,
        ],
    );
    let labels = Tensor::from([1.0, 0.0, 0.3]);
    check(
        |p| binary_cross_entropy(p, &labels),
        [0.25, 0.5, 0.75],
        &[-1.333_333_333_333_333_3, 0.666_666_666_666_666_6, 0.8],
    );
    let zeros = || Tensor::from([0.0; 5]);
    check(|x| huber(x, zeros(), 1.0), [0.0, 0.5, 1.0, -3.0, 1e3], &[0.0, 0.1, 0.2, -0.2, 0.2]);
}

/// JAX with Optax in float64. The slope of a right answer is small, and not 0.
#[test]
fn saturated_sigmoids_keep_their_digits() {
    let labels = Tensor::from([0.0, 1.0, 0.3, 1.0, 0.0]);
    let slopes = [
        0.124_491_866_240_370_92,
        -0.176_159_415_595_576_46,
        0.04,
        -1.871_524_593_767_862e-14,
        8.496_708_510_583_178e-19,
    ];
    // Made large, so that the small ones count.
    let scale = [1.0, 1.0, 1.0, 1e14, 1e19];
    let wanted: Vec<f64> = slopes.iter().zip(scale).map(|(slope, scale)| slope * scale).collect();
    let logits = [0.5, -2.0, 0.0, 30.0, -40.0];
    let scaled: Vec<f64> = logits.iter().zip(scale).map(|(logit, scale)| logit / scale).collect();
    check(|x| sigmoid_cross_entropy(&(x * Tensor::from(scale)), &labels), scaled, &wanted);
    let certain = Tensor::from([1.0, 0.0]);
    check(|x| sigmoid_cross_entropy(x, &certain), [INF, -INF], &[0.0, 0.0]);
}

#[test]
fn seams_have_the_subgradient_0() {
    let zeros = || Tensor::from([0.0, 0.0]);
    check(|x| mae(x, zeros()), [0.0, -3.0], &[0.0, -0.5]);
    check(|x| mse(x, zeros()), [0.0, -3.0], &[0.0, -3.0]);
    let labels = Tensor::from([1.0, -1.0]);
    check(|x| hinge(x, &labels), [1.0, 0.0], &[0.0, 0.5]);
}

#[test]
fn certain_predictions_that_are_right_have_a_finite_gradient() {
    let labels = Tensor::from([0.0, 1.0]);
    check(|p| binary_cross_entropy(p, &labels), [0.0, 1.0], &[0.5, -0.5]);
}
