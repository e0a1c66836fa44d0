use graphfn::prelude::*;

#[derive(Tree)]
struct View<'a> {
    x: &'a Tensor,
}

fn main() {}
