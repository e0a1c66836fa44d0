//! A straight line through points, by gradient descent: 10,000 steps, one call each.
//!
//! `cargo run --release --example linear_regression [points.csv] [--form manual|gradients|apply|minimize]`: the file has
//! two columns of numbers, and perhaps a line of names above them. Both columns are scaled to 0..1 first. The form says
//! how much of a step is written by hand. The last line is `a = .., b = ..`, in all forms the same; for the five points
//! of the tutorial `a = 0.97637, b = 0.057565063`.

use graphfn::prelude::*;
use std::process::ExitCode;

const STEPS: usize = 10_000;

/// The years 2013 to 2017, and a price in each.
const YEARS: [f32; 5] = [2013.0, 2014.0, 2015.0, 2016.0, 2017.0];
const PRICES: [f32; 5] = [12_000.0, 14_000.0, 15_000.0, 16_500.0, 17_500.0];

#[derive(Tree)]
struct Line {
    a: Variable,
    b: Variable,
}

impl Line {
    fn new() -> Line {
        Line { a: Variable::new("a", 0.0f32), b: Variable::new("b", 0.0f32) }
    }

    /// Half the sum of squares.
    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        (&self.a * x + &self.b - y).square().sum() * 0.5
    }

    /// One step down the gradient of the loss.
    #[graph_fn]
    fn step(&self, x: &Tensor, y: &Tensor, #[tensor] rate: f32, form: Form) {
        match form {
            Form::Manual => {
                let error = &self.a * x + &self.b - y;
                let (slope_a, slope_b) = ((&error * x).sum(), error.sum());
                self.a.assign_sub(&rate * slope_a);
                self.b.assign_sub(&rate * slope_b);
            }
            Form::Gradients => {
                let [slope_a, slope_b] = gradients(self.loss(x, y), [&self.a, &self.b])
                    .map(|it| it.expect("the loss depends on both"));
                self.a.assign_sub(&rate * slope_a);
                self.b.assign_sub(&rate * slope_b);
            }
            Form::Apply => {
                let optimizer = GradientDescent::new(&rate);
                let pairs = optimizer.compute_gradients(self.loss(x, y));
                optimizer.apply_gradients(pairs);
            }
            Form::Minimize => {
                GradientDescent::new(&rate).minimize(self.loss(x, y));
            }
        }
    }
}

/// How a step is written. It is plain data, so each form is a trace of its own.
#[derive(Clone, Copy, Tree)]
enum Form {
    /// The gradients are worked out on paper.
    Manual,
    /// The gradients are asked for.
    Gradients,
    /// An optimiser computes the gradients, and applies them.
    Apply,
    /// An optimiser does all.
    Minimize,
}

impl Form {
    fn named(name: &str) -> Result<Form, String> {
        Ok(match name {
            "manual" => Form::Manual,
            "gradients" => Form::Gradients,
            "apply" => Form::Apply,
            "minimize" => Form::Minimize,
            _ => {
                return Err(format!(
                    "expected `--form manual|gradients|apply|minimize`, found `{name}`"
                ));
            }
        })
    }
}

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let (mut form, mut points) = (Form::Manual, (YEARS.to_vec(), PRICES.to_vec()));
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--form" => form = Form::named(&arguments.next().unwrap_or_default())?,
            path => points = read(path)?,
        }
    }
    let [x, y] = [points.0, points.1].map(|it| Tensor::from(scaled(&it)));
    let line = Line::new();
    for _ in 0..STEPS {
        line.step(&x, &y, 1e-3, form);
    }
    let traces = Line::step_graph_fn().trace_count();
    println!("{} points, {STEPS} steps, {traces} trace", x.shape()[0]);
    println!("a = {}, b = {}", line.a, line.b);
    Ok(())
}

/// Numbers moved and stretched so that the least is 0 and the largest 1; equal numbers become 0.
fn scaled(numbers: &[f32]) -> Vec<f32> {
    let least = numbers.iter().copied().fold(f32::INFINITY, f32::min);
    let largest = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let width = if largest > least { largest - least } else { 1.0 };
    numbers.iter().map(|it| (it - least) / width).collect()
}

/// Two columns of numbers.
fn read(path: &str) -> Result<(Vec<f32>, Vec<f32>), String> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .trim(csv::Trim::All)
        .flexible(true)
        .from_path(path)
        .map_err(|error| format!("{path}: {error}"))?;
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (at, record) in reader.records().enumerate() {
        let record = record.map_err(|error| format!("{path}: {error}"))?;
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() != 2 {
            return Err(format!("{path}:{line}: expected two columns, found {}", record.len()));
        }
        match (number(&record[0]), number(&record[1])) {
            (Some(a), Some(b)) => {
                x.push(a);
                y.push(b);
            }
            (None, None) if at == 0 => {} // A line of names.
            (a, _) => {
                let wrong = if a.is_none() { &record[0] } else { &record[1] };
                return Err(format!("{path}:{line}: expected a number, found `{wrong}`"));
            }
        }
    }
    if x.len() < 2 {
        return Err(format!("{path}: expected at least two points, found {}", x.len()));
    }
    Ok((x, y))
}

fn number(text: &str) -> Option<f32> {
    text.parse().ok().filter(|it: &f32| it.is_finite())
}
