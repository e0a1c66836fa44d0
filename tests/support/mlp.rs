//! Two classifiers whose inputs any language can make: what the peers time, and what their losses are compared on.

use graphfn::loss::sparse_softmax_cross_entropy;
use graphfn::prelude::*;

/// `(((i + seed) * 7919) mod 2003) / 2003 - 0.5` in f64 for each element, rounded to f32, times a scale.
pub fn filled<const N: usize>(shape: [usize; N], seed: usize, scale: f64) -> Tensor {
    let element = |at: usize| (((at + seed) * 7919) % 2003) as f64 / 2003.0 - 0.5;
    let len = shape.iter().product();
    let elements: Vec<f32> = (0..len).map(|at| element(at) as f32 * scale as f32).collect();
    Tensor::from(elements).reshape(shape)
}

/// A stack of weights and biases, with `relu` between.
#[derive(Tree)]
pub struct Mlp {
    layers: Vec<(Variable, Variable)>,
}

impl Mlp {
    pub fn new(sizes: &[usize]) -> Mlp {
        let layer = |(at, pair): (usize, &[usize])| {
            let weight = filled([pair[0], pair[1]], 11 + at, 2.0 / (pair[0] as f64).sqrt());
            let bias = Tensor::zeros::<f32>([pair[1]]);
            (Variable::new("weight", weight), Variable::new("bias", bias))
        };
        Mlp { layers: sizes.windows(2).enumerate().map(layer).collect() }
    }

    fn loss(&self, x: &Tensor, labels: &Tensor) -> Tensor {
        let mut x = x.clone();
        for (at, (weight, bias)) in self.layers.iter().enumerate() {
            x = x.matmul(weight.read()) + bias;
            if at + 1 < self.layers.len() {
                x = x.relu();
            }
        }
        sparse_softmax_cross_entropy(&x, labels).mean()
    }

    /// One step down the gradient; gives the loss before it.
    #[graph_fn]
    pub fn descend(&self, optimizer: &GradientDescent, x: &Tensor, labels: &Tensor) -> Tensor {
        optimizer.minimize(self.loss(x, labels))
    }

    /// One step of Adam; gives the loss before it.
    #[graph_fn]
    pub fn adapt(&self, optimizer: &Adam, x: &Tensor, labels: &Tensor) -> Tensor {
        optimizer.minimize(self.loss(x, labels))
    }
}

/// Images and labels for a batch.
pub fn batch(size: usize) -> (Tensor, Tensor) {
    let labels: Vec<i32> = (0..size).map(|at| (at * 7 % 10) as i32).collect();
    (filled([size, 784], 5, 1.0), Tensor::from(labels))
}
