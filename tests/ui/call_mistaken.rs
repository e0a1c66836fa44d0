use graphfn::prelude::*;

#[graph_fn]
fn f(x: &Tensor, n: i32) -> Tensor {
    x * n
}

fn main() {
    f(&Tensor::from(1.0f32));
    f::concrete_function(&Tensor::from(1.0f32), "two");
}
