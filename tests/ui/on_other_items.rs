use graphfn::prelude::*;

#[graph_fn]
struct Model {
    w: Variable,
}

#[graph_fn]
enum Kind {
    A,
}

#[graph_fn]
trait Layer {
    fn call(&self, x: &Tensor) -> Tensor;
}

#[graph_fn]
mod inner {}

#[graph_fn]
const N: usize = 1;

fn main() {}
