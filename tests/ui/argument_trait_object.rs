use graphfn::prelude::*;

trait Layer {
    fn call(&self, x: &Tensor) -> Tensor;
}

#[graph_fn]
fn f(g: &dyn Fn(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
    g(x)
}

#[graph_fn]
fn h(layer: &dyn Layer, x: &Tensor) -> Tensor {
    layer.call(x)
}

fn main() {}
