use graphfn::prelude::*;

#[graph_fn]
fn f(x: &Tensor, #[tensor] rate: &f32) -> Tensor {
    x * rate
}

#[graph_fn]
fn g(#[tensor] x: &Tensor, #[tensor] y: Tensor) -> Tensor {
    x * y
}

#[graph_fn]
fn h(x: &Tensor, #[tensor] name: String) -> Tensor {
    x + 1.0f32
}

fn main() {}
