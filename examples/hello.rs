//! The shortest traced functions: 1 + 1, and a + b with a and b from the command line.
//!
//! `cargo run --example hello -- 2 3` prints
//! ```text
//! 1 + 1 = 2
//! a + b = 5
//! ```

use graphfn::prelude::*;

#[graph_fn]
fn two() -> Tensor {
    Tensor::from(1) + 1
}

/// One trace serves all numbers: `#[tensor]` makes them inputs of the graph.
#[graph_fn]
fn add(#[tensor] a: i32, #[tensor] b: i32) -> Tensor {
    a + b
}

fn main() {
    println!("1 + 1 = {}", two());
    let mut numbers = std::env::args().skip(1);
    let mut number = |default: i32| match numbers.next() {
        None => default,
        Some(text) => text.parse().unwrap_or_else(|_| {
            eprintln!("`{text}` is not a whole number that fits in an i32");
            std::process::exit(2);
        }),
    };
    let (a, b) = (number(2), number(3));
    println!("a + b = {}", add(a, b));
}
