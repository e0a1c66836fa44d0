use graphfn::prelude::*;

trait Layer {
    fn call(&self, x: &Tensor) -> Tensor;
}

#[derive(Tree)]
struct Identity;

impl Layer for Identity {
    #[graph_fn]
    fn call(&self, x: &Tensor) -> Tensor {
        x + 0.0f32
    }
}

fn main() {}
