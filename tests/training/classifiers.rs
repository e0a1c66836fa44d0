//! Two classifiers train as in JAX: the loss of the tenth step, on the same numbers.

use crate::mlp::{Mlp, batch};
use graphfn::prelude::*;

/// Checks the loss of the tenth step; JAX's in f32.
#[track_caller]
fn tenth(mut step: impl FnMut() -> Tensor, wanted: f32) {
    let found: f32 = (0..10).map(|_| step().item()).last().expect("there are ten");
    assert!((found - wanted).abs() <= 1e-5 * wanted, "{found} instead of {wanted}");
}

#[test]
fn a_small_one_by_gradient_descent() {
    let (model, optimizer) = (Mlp::new(&[784, 100, 10]), GradientDescent::new(0.1));
    let (x, labels) = batch(50);
    tenth(|| model.descend(&optimizer, &x, &labels), 2.062_938_2);
    assert_eq!(Mlp::descend_graph_fn().trace_count(), 1);
}

#[test]
fn a_larger_one_by_adam() {
    let (model, optimizer) =
        (Mlp::new(&[784, 512, 512, 10]), Adam::new(0.001).corrected_epsilon(1e-8));
    let (x, labels) = batch(128);
    tenth(|| model.adapt(&optimizer, &x, &labels), 0.851_155_7);
    assert_eq!(Mlp::adapt_graph_fn().trace_count(), 1);
}
