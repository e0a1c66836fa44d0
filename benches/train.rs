//! What a training step costs: `GRAPHFN_THREADS=1 cargo bench --bench train`. Each line is the median of single steps.
//! Knows the public interface only; `--explain` prints the plans.

#[path = "../tests/support/mlp.rs"]
mod mlp;

use graphfn::prelude::*;
use mlp::{Mlp, batch};
use std::time::{Duration, Instant};

fn main() {
    let explains = std::env::args().any(|it| it == "--explain");
    let (model, optimizer) = (Mlp::new(&[784, 100, 10]), GradientDescent::new(0.1));
    let (x, labels) = batch(50);
    if explains {
        let step = model.descend_concrete_function(&optimizer, &x, &labels);
        println!("{}", step.and_then(|it| it.explain()).expect("it is planned"));
    }
    print_line("784-100-10, batch 50, gradient descent", || model.descend(&optimizer, &x, &labels));

    let (model, optimizer) =
        (Mlp::new(&[784, 512, 512, 10]), Adam::new(0.001).corrected_epsilon(1e-8));
    let (x, labels) = batch(128);
    if explains {
        let step = model.adapt_concrete_function(&optimizer, &x, &labels);
        println!("{}", step.and_then(|it| it.explain()).expect("it is planned"));
    }
    print_line("784-512-512-10, batch 128, Adam", || model.adapt(&optimizer, &x, &labels));
}

fn print_line(what: &str, mut step: impl FnMut() -> Tensor) {
    (0..5).for_each(|_| drop(step()));
    let mut times: Vec<Duration> = Vec::new();
    let end = Instant::now() + Duration::from_secs(2);
    while times.len() < 20 || Instant::now() < end {
        let begun = Instant::now();
        drop(step());
        times.push(begun.elapsed());
    }
    times.sort();
    println!("{what:<56} {:>12.3?} (least {:.3?})", times[times.len() / 2], times[0]);
}
