use graphfn::prelude::*;

#[graph_fn(handle = A, handle = B)]
fn f(x: &Tensor) -> Tensor {
    x + 1.0f32
}

fn main() {}
