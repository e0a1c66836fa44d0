//! Faults that others had in softmax, normalisation and cross entropy: each holds in every way of running it.

use crate::support::holds;
use graphfn::{Tolerance, loss, prelude::*};
use std::f32::consts::LN_2;

const CLOSE: Tolerance = Tolerance::relative(1e-5);
const DOWN: f32 = f32::NEG_INFINITY;

/// The values whose gradients `d1_softmax_and_layer_norm_have_gradients` checks; by JAX in float64.
#[test]
fn d1_softmax_and_layer_norm_behind_a_product() {
    let x = || Tensor::from([[1.0f32, 2.0]]);
    let w = || Tensor::from([[0.2f32, -0.5, 0.3], [0.7, 0.1, -0.4]]);
    holds(
        |[x, w]| (x.matmul(w).softmax(-1) * Tensor::from([1.0f32, 2.0, 3.0])).sum(),
        [x(), w()],
        1.310_120_8f32,
        CLOSE,
    );
    holds(
        |[x, w]| {
            (x.matmul(w).layer_norm(1.0, 0.0, -1, 1e-5) * Tensor::from([1.0f32, 2.0, 4.0])).sum()
        },
        [x(), w()],
        -3.029_204f32,
        CLOSE,
    );
}

#[test]
fn i1_softmax_of_large_numbers_neither_overflows_nor_vanishes() {
    let large = || Tensor::from([1000.0f32, 1001.0, 1002.0]);
    let shares = [0.090_030_57f32, 0.244_728_47, 0.665_240_96];
    holds(|[x]| x.softmax(-1), [large()], shares, CLOSE);
    holds(|[x]| (-x).softmax(-1), [large()], [shares[2], shares[1], shares[0]], CLOSE);
    // jax.nn.log_softmax in float64.
    let logarithms = [-2.407_606f32, -1.407_605_9, -0.407_605_95];
    holds(|[x]| x.log_softmax(-1), [large()], logarithms, CLOSE);
    let columns = || Tensor::from([[1000.0f32, 0.0], [1001.0, 0.0]]);
    // 1 / (1 + e), and its complement.
    let wanted = [[0.268_941_43f32, 0.5], [0.731_058_6, 0.5]];
    holds(|[x]| x.softmax(0), [columns()], wanted, CLOSE);
}

#[test]
fn i3_cross_entropy_of_large_logits_neither_overflows_nor_vanishes() {
    let logits = || Tensor::from([[100.0f32], [-100.0], [0.0], [1000.0]]);
    let labels = || Tensor::from([[1.0f32], [1.0], [1.0], [0.0]]);
    // exp(-100), a subnormal number, as for softplus.
    let wanted = [3.72e-44f32, 100.0, LN_2, 1000.0];
    holds(
        |[x, t]| loss::sigmoid_cross_entropy(x, t),
        [logits(), labels()],
        wanted,
        Tolerance { absolute: 1.5e-45, ..CLOSE },
    );
}

#[test]
fn i5_masked_logits() {
    let masked = || Tensor::from([DOWN, 0.0, 0.0]);
    let label = || Tensor::from([0.0f32, 1.0, 0.0]);
    holds(|[x]| x.softmax(-1), [masked()], [0.0f32, 0.5, 0.5], CLOSE);
    holds(|[x]| x.log_softmax(-1), [masked()], [DOWN, -LN_2, -LN_2], CLOSE);
    holds(|[x, t]| loss::softmax_cross_entropy(x, t), [masked(), label()], LN_2, CLOSE);
    let number = || Tensor::from(1);
    holds(|[x, t]| loss::sparse_softmax_cross_entropy(x, t), [masked(), number()], LN_2, CLOSE);
    holds(|[x, t]| loss::kl_div(&x.log_softmax(-1), t), [masked(), label()], LN_2, CLOSE);
    let rows = || Tensor::from([[DOWN, 0.0, 0.0], [3.0, DOWN, DOWN]]);
    let wanted = [[0.0f32, 0.5, 0.5], [1.0, 0.0, 0.0]];
    holds(|[x]| x.softmax(-1), [rows()], wanted, CLOSE);
    holds(
        |[x, t]| loss::sparse_softmax_cross_entropy(x, t),
        [rows(), Tensor::from([2, 0])],
        [LN_2, 0.0],
        CLOSE,
    );
}
