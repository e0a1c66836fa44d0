//! What a call costs: `cargo bench --bench call`. Each line is the median of batches, after a warm-up.
//! Knows the public interface only.

use graphfn::prelude::*;
use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() {
    replays();
    eager();
    first_calls();
    regression();
    sessions();
}

/// The median time of one run, over batches of some 100 us for half a second.
fn median(mut run: impl FnMut()) -> Duration {
    run();
    let begun = Instant::now();
    (0..10).for_each(|_| run());
    let batch = (100_000 / (begun.elapsed().as_nanos() / 10).max(1)).clamp(1, 10_000) as u32;
    let mut times = Vec::new();
    let end = Instant::now() + Duration::from_millis(500);
    while times.len() < 5 || Instant::now() < end {
        let begun = Instant::now();
        (0..batch).for_each(|_| run());
        times.push(begun.elapsed() / batch);
    }
    times.sort();
    times[times.len() / 2]
}

fn print_line(what: &str, time: Duration) {
    println!("{what:<56} {time:>12.3?}");
}

#[graph_fn]
fn add(a: &Tensor, b: &Tensor) -> Tensor {
    a + b
}

#[graph_fn]
fn increment(x: &Tensor) -> Tensor {
    x + 1.0
}

fn replays() {
    let (a, b) = (Tensor::from([1.0f32; 8]), Tensor::from([2.0f32; 8]));
    print_line("a + b on 8 floats, traced", median(|| drop(black_box(add(&a, &b)))));
    let x = Tensor::from(1.0f32);
    print_line("x + 1 on one float, traced", median(|| drop(black_box(increment(&x)))));
}

fn eager() {
    let (a, b) = (Tensor::from([1.0f32; 8]), Tensor::from([2.0f32; 8]));
    print_line("a + b on 8 floats, eager", median(|| drop(black_box(&a + &b))));
    let x = Tensor::from(1.0f32);
    print_line("x.exp() on one float, eager", median(|| drop(black_box(x.exp()))));
}

#[graph_fn]
fn sines(x: &Tensor, pairs: usize) -> Tensor {
    let mut x = x.clone();
    for _ in 0..pairs {
        x = x.sin() * 1.01;
    }
    x
}

fn first_calls() {
    let first = |pairs: usize| {
        let times = (0..5).map(|_| {
            sines::clear_cache();
            let begun = Instant::now();
            black_box(sines(&Tensor::from(0.5f32), pairs));
            begun.elapsed()
        });
        times.min().expect("there are five")
    };
    print_line("first call of one sin-mul pair", first(1));
    let (short, long) = (first(500), first(2000));
    print_line("first call of 500 sin-mul pairs", short);
    print_line("first call of 2000 sin-mul pairs", long);
    println!("time(2000) / time(500) = {:.2}", long.as_secs_f64() / short.as_secs_f64());
}

#[derive(Tree)]
struct Line {
    a: Variable,
    b: Variable,
}

#[graph_fn]
fn step(line: &Line, x: &Tensor, y: &Tensor, #[tensor] rate: f32) {
    let error = &line.a * x + &line.b - y;
    let (slope_a, slope_b) = ((&error * x).sum(), error.sum());
    line.a.assign_sub(&rate * slope_a);
    line.b.assign_sub(&rate * slope_b);
}

#[graph_fn]
fn minimize(line: &Line, x: &Tensor, y: &Tensor, #[tensor] rate: f32) -> Tensor {
    let loss = (&line.a * x + &line.b - y).square().sum() * 0.5;
    GradientDescent::new(&rate).minimize(&loss)
}

#[graph_fn]
fn minimize_by(optimizer: &Adam, line: &Line, x: &Tensor, y: &Tensor) -> Tensor {
    optimizer.minimize((&line.a * x + &line.b - y).square().sum() * 0.5)
}

/// The five points of the example `linear_regression`.
fn points() -> [Tensor; 2] {
    [[0.0f32, 0.25, 0.5, 0.75, 1.0], [0.0, 4.0 / 11.0, 6.0 / 11.0, 9.0 / 11.0, 1.0]]
        .map(Tensor::from)
}

/// The 10,000 steps of the example `linear_regression`, one call each.
fn regression() {
    let line = Line { a: Variable::new("a", 0.0f32), b: Variable::new("b", 0.0f32) };
    let [x, y] = points();
    let fastest = |step: &dyn Fn()| {
        step();
        let times = (0..5).map(|_| {
            let begun = Instant::now();
            (0..10_000).for_each(|_| step());
            begun.elapsed()
        });
        times.min().expect("there are five")
    };
    let time = fastest(&|| step(&line, &x, &y, 1e-3));
    print_line("10,000 steps of linear_regression, one call each", time);
    let time = fastest(&|| drop(minimize(&line, &x, &y, 1e-3)));
    print_line("the same by gradients and SGD, loss returned", time);
    let adam = Adam::new(1e-3);
    let time = fastest(&|| drop(minimize_by(&adam, &line, &x, &y)));
    print_line("the same by Adam", time);
}

/// Runs of graphs: a sum of two scalars that are fed, and a training step.
fn sessions() {
    let graph = Graph::new();
    let (a, b) = (graph.placeholder::<f32>([]), graph.placeholder::<f32>([]));
    let sum = &a + &b;
    let session = Session::new(&graph);
    let run = || session.run_with(&sum, feed! { a => 1.0f32, b => 2.0f32 }).expect("it is fed");
    print_line("a + b on scalars, a session's run", median(|| drop(black_box(run()))));

    let graph = Graph::new();
    let (x, y) = (graph.placeholder::<f32>([5]), graph.placeholder::<f32>([5]));
    let line = ["a", "b"].map(|name| graph.get_variable(name, [], init::Zeros));
    let loss = (&line[0] * &x + &line[1] - &y).square().sum() * 0.5;
    let step = GradientDescent::new(1e-3).minimize(&loss);
    let session = Session::new(&graph);
    session.run(&graph.global_variables_initializer()).expect("it needs no feed");
    let [years, prices] = points();
    let run = || session.run_with(&step, feed! { x => &years, y => &prices }).expect("it is fed");
    print_line("a step of the regression, a session's run", median(|| drop(black_box(run()))));
}
