use graphfn::prelude::*;

#[graph_fn(handel = Add)]
fn f(x: &Tensor) -> Tensor {
    x + 1.0f32
}

#[graph_fn(jit_compile)]
fn g(x: &Tensor) -> Tensor {
    x + 1.0f32
}

fn main() {
    g(&f(&Tensor::from(1.0f32)));
}
