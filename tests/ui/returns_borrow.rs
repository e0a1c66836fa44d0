use graphfn::prelude::*;

#[graph_fn]
fn f(x: &Tensor) -> &Tensor {
    x
}

#[graph_fn]
fn g(x: &Tensor) -> Option<&Tensor> {
    Some(x)
}

fn main() {
    f(&Tensor::from(1.0f32));
}
