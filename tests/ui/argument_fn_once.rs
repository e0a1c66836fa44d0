use graphfn::prelude::*;

#[graph_fn]
fn f(g: impl FnOnce(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
    g(x)
}

fn main() {}
