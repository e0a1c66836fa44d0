use graphfn::prelude::*;

#[derive(Tree)]
struct Model {
    w: Variable,
}

#[graph_fn]
impl Model {
    fn call(&self, x: &Tensor) -> Tensor {
        x * &self.w
    }
}

#[graph_fn(in_trait)]
impl Model {
    #[graph_fn]
    fn other(&self, x: &Tensor) -> Tensor {
        x * &self.w
    }
}

fn main() {
    let model = Model { w: Variable::new("w", 1.0f32) };
    model.call(&model.other(&Tensor::from(1.0f32)));
}
