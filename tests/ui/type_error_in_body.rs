use graphfn::prelude::*;

#[graph_fn]
fn f(x: &Tensor, k: i32) -> Tensor {
    let y: Tensor = k;
    x + y
}

#[graph_fn]
fn g(x: &Tensor) -> Tensor {
    x.item::<f32>()
}

fn main() {}
