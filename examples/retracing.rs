//! What makes a function trace again and what does not, and how to find out.
//!
//! Prints the number of traces after each kind of call; the last lines say, for each trace, what had changed.

use graphfn::prelude::*;

#[graph_fn]
fn power(x: &Tensor, n: usize) -> Tensor {
    let mut product = x.clone();
    for _ in 1..n {
        product *= x;
    }
    product
}

#[graph_fn]
fn scale(x: &Tensor, #[tensor] by: f32) -> Tensor {
    x * by
}

/// One trace for every length: the size is declared unknown.
#[graph_fn(signature(x: f32[?]))]
fn total(x: &Tensor) -> Tensor {
    (x * x).sum()
}

fn main() {
    let x = Tensor::from([1.0f32, 2.0, 3.0]);
    power(&x, 2);
    power(&(&x * 5.0), 2);
    println!("other numbers in a tensor of one shape: {} trace", power::trace_count());
    power(&x, 3);
    println!("another plain argument:                 {} traces", power::trace_count());
    power(&Tensor::from([1.0f32, 2.0]), 3);
    println!("another shape:                          {} traces", power::trace_count());

    for by in [0.5, 1.5, 2.5] {
        scale(&x, by);
    }
    println!("three values of a #[tensor] argument:   {} trace", scale::trace_count());

    for length in [1, 2, 50, 1000] {
        total(&Tensor::from(vec![2.0f32; length]));
    }
    println!("four lengths of a declared size:        {} trace", total::trace_count());

    println!("{}", power::explain_retraces());
}
