use graphfn::prelude::*;

mod add {}

#[graph_fn]
fn add(a: &Tensor, b: &Tensor) -> Tensor {
    a + b
}

fn main() {}
