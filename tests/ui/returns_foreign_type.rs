use graphfn::prelude::*;

struct Out {
    y: Tensor,
}

#[graph_fn]
fn f(x: &Tensor) -> Out {
    Out { y: x + 1.0f32 }
}

#[graph_fn]
fn g(x: &mut Tensor) -> Out {
    Out { y: x.clone() }
}

fn main() {}
