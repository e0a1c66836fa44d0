//! First and second derivatives of a function of one tensor, by a tape and in a trace, which must agree.

use graphfn::prelude::*;

/// Different weights for the elements of a first derivative: 1, 1.875, 1.375, 2.25, ..
fn weights(like: &Tensor) -> Tensor {
    let len = like.shape().len().expect("the sizes are known");
    let weights = (0..len).map(|at| 1.0 + (at * 7 % 11) as f64 / 8.0).collect::<Vec<f64>>();
    Tensor::from(weights).reshape(like.shape().clone())
}

/// The gradient of the sum of what a function gives, and the gradient of the weighted sum of that gradient.
pub fn gradients_of(f: impl Fn(&Tensor) -> Tensor, x: &Tensor) -> [Vec<f64>; 2] {
    let sum = |x: &Tensor| f(x).sum();
    let weighted = |x: &Tensor| (grad(sum)(x) * weights(x)).sum();
    let both = |x: &Tensor| (grad(sum)(x), grad(weighted)(x));
    let eager = both(x);
    let traced = graph_fn(both).call(x);
    let bits = |(first, second): &(Tensor, Tensor)| {
        [first, second]
            .map(|it| it.to_vec::<f64>().iter().map(|it| it.to_bits()).collect::<Vec<_>>())
    };
    assert_eq!(bits(&eager), bits(&traced), "a trace differs: {eager:?} and {traced:?}");
    [eager.0.to_vec(), eager.1.to_vec()]
}

/// Checks the gradient of the sum of what a function gives.
#[track_caller]
pub fn has_gradient(f: impl Fn(&Tensor) -> Tensor, x: impl Into<Tensor>, wanted: &[f64]) {
    let [found, _] = gradients_of(f, &x.into());
    let near =
        |(found, wanted): (&f64, &f64)| (found - wanted).abs() <= 1e-12 * wanted.abs().max(1.0);
    assert!(
        found.len() == wanted.len() && found.iter().zip(wanted).all(near),
        "found {found:?}, wanted {wanted:?}"
    );
}
