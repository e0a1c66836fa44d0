use graphfn::prelude::*;

#[graph_fn]
unsafe fn f(x: &Tensor) -> Tensor {
    x + 1.0f32
}

#[graph_fn]
const fn g(x: i32) -> i32 {
    x
}

#[graph_fn]
extern "C" fn h(x: i32) -> i32 {
    x
}

fn main() {}
