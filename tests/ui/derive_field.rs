use graphfn::prelude::*;

#[derive(Tree)]
struct Model {
    w: Variable,
    file: std::fs::File,
}

#[derive(Tree)]
enum Source {
    None,
    Open(std::fs::File),
}

fn main() {}
