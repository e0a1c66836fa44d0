use graphfn::prelude::*;

#[graph_fn(asoc, handle = F, handle = G)]
async fn f(xs: Vec<&Tensor>, #[tensor] rate: Tensor, #[cfg(unix)] n: i32) -> Option<&Tensor> {
    Some(xs[0] * rate)
}

fn main() {}
