use graphfn::prelude::*;

#[graph_fn]
fn f(pair: (&Tensor, &Tensor), xs: &[&Tensor]) -> Tensor {
    pair.0 + xs[0]
}

fn main() {}
