use graphfn::prelude::*;

#[derive(Tree)]
struct Model {
    w: Variable,
}

impl Model {
    #[graph_fn]
    fn call(self: &Self, x: &Tensor) -> Tensor {
        x * &self.w
    }
}

fn main() {}
