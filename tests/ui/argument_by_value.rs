use graphfn::prelude::*;

struct Config {
    rate: f32,
}

#[graph_fn]
fn f(config: Config, x: &Tensor) -> Tensor {
    x * config.rate
}

#[graph_fn]
fn g(configs: &[Config], x: &Tensor) -> Tensor {
    x * configs[0].rate
}

#[graph_fn]
fn h(config: &mut Config, x: &Tensor) -> Tensor {
    config.rate = 1.0;
    x * config.rate
}

fn main() {}
