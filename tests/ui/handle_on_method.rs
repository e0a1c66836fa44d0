use graphfn::prelude::*;

#[derive(Tree)]
struct Model {
    w: Variable,
}

impl Model {
    #[graph_fn(handle = Call)]
    fn call(&self, x: &Tensor) -> Tensor {
        x * &self.w
    }
}

fn main() {}
