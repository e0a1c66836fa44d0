use graphfn::prelude::*;

struct Model {
    w: Variable,
}

impl Model {
    #[graph_fn]
    fn call(&self, x: &Tensor) -> Tensor {
        x * &self.w
    }
}

fn main() {}
