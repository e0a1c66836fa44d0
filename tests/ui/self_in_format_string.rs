use graphfn::prelude::*;

#[derive(Tree, Debug)]
struct Model {
    w: Variable,
}

impl Model {
    #[graph_fn]
    fn call(&self, x: &Tensor) -> Tensor {
        println!("{self:?}");
        x * &self.w
    }
}

fn main() {}
