use graphfn::prelude::*;

#[derive(Tree)]
struct Model {
    w: Tensor,
}

impl Model {
    #[graph_fn]
    fn new(w: &Tensor) -> Self {
        Model { w: w.clone() }
    }
}

fn main() {}
