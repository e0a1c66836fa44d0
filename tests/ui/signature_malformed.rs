use graphfn::prelude::*;

#[graph_fn(signature(x: f32[-1]))]
fn f(x: &Tensor) -> Tensor {
    x + 1.0f32
}

#[graph_fn(signature(x = f32))]
fn g(x: &Tensor) -> Tensor {
    x + 1.0f32
}

fn main() {}
