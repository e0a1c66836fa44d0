use graphfn::prelude::*;

#[graph_fn]
fn f(xs: &mut [Tensor], name: &mut str) {
    xs[0] += 1.0f32;
    name.make_ascii_lowercase();
}

fn main() {}
