use graphfn::prelude::*;

#[graph_fn]
fn f(g: fn(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
    g(x)
}

fn main() {}
