use graphfn::prelude::*;

#[graph_fn(signature(imput: f32[?, 784], input: f23[n], input: f32[2]))]
fn f(input: &Tensor, k: i32) -> Tensor {
    input * k
}

fn main() {}
