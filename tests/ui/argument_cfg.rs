use graphfn::prelude::*;

#[graph_fn]
fn f(x: &Tensor, #[cfg(windows)] y: &Tensor) -> Tensor {
    x + 1.0f32
}

fn main() {}
