//! The first call of a small function: what it takes to trace, optimise, plan and run it.

use crate::contender::Contender;
use graphfn::prelude::*;

#[graph_fn]
fn traced(x: &Tensor) -> Tensor {
    x * 2.0 + 1.0
}

/// The first call of `x * 2 + 1`. Candle and ndarray have no such thing.
pub fn call() -> Vec<Contender> {
    let x = Tensor::from(1.5f32);
    let first = move || {
        traced::clear_cache();
        traced(&x)
    };
    vec![Contender::calling("graphfn, traced", first, |y| y.to_vec())]
}
