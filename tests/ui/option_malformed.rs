use graphfn::prelude::*;

#[graph_fn(autograph, handle, 3, signature = "x", in_trait = true)]
fn f(x: &Tensor) -> Tensor {
    x + 1.0f32
}

fn main() {}
