use graphfn::prelude::*;

trait Layer {
    #[graph_fn(in_trait)]
    fn call(&self, x: &Tensor) -> Tensor;
}

fn main() {}
