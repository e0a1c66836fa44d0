use graphfn::prelude::*;

#[graph_fn]
fn f<T: Clone>(extra: &T, x: &Tensor) -> Tensor {
    let _ = extra.clone();
    x + 1.0f32
}

fn main() {}
