use graphfn::prelude::*;

#[derive(Tree)]
union Bits {
    float: f32,
    int: u32,
}

fn main() {}
