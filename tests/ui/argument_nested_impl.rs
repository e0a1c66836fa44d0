use graphfn::prelude::*;

#[graph_fn]
fn f(xs: &[impl Into<Tensor> + Clone]) -> Tensor {
    xs[0].clone().into()
}

fn main() {}
