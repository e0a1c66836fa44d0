use graphfn::prelude::*;

struct Config {
    rate: f32,
}

#[graph_fn]
fn f(x: &Tensor, config: &Config) -> Tensor {
    x * config.rate
}

fn main() {
    f(&Tensor::from(1.0f32), &Config { rate: 1.0 });
}
