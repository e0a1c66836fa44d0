//! A step of the example `linear_regression`: a line through five points, gradients written by hand.

use crate::contender::Contender;
use candle_core::{Device, Tensor as Candle, Var};
use graphfn::prelude::*;
use ndarray::Array1;

const X: [f32; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const Y: [f32; 5] = [0.0, 4.0 / 11.0, 6.0 / 11.0, 9.0 / 11.0, 1.0];
const RATE: f32 = 1e-3;
/// After how many steps the lines have to agree.
const STEPS: u32 = 10_000;

#[derive(Tree)]
struct Line {
    a: Variable,
    b: Variable,
}

#[graph_fn]
fn traced(line: &Line, x: &Tensor, y: &Tensor, #[tensor] rate: f32) {
    let error = &line.a * x + &line.b - y;
    let (slope_a, slope_b) = ((&error * x).sum(), error.sum());
    line.a.assign_sub(&rate * slope_a);
    line.b.assign_sub(&rate * slope_b);
}

fn candle(
    (a, b): &mut (Candle, Candle),
    x: &Candle,
    y: &Candle,
    rate: f32,
) -> candle_core::Result<()> {
    let error = (x.broadcast_mul(a)?.broadcast_add(b)? - y)?;
    let (slope_a, slope_b) = ((&error * x)?.sum_all()?, error.sum_all()?);
    *a = (&*a - (slope_a * f64::from(rate))?)?;
    *b = (&*b - (slope_b * f64::from(rate))?)?;
    Ok(())
}

fn by_hand((a, b): &mut (f32, f32), x: &Array1<f32>, y: &Array1<f32>, rate: f32) {
    let error = *a * x + *b - y;
    let (slope_a, slope_b) = ((&error * x).sum(), error.sum());
    *a -= rate * slope_a;
    *b -= rate * slope_b;
}

#[graph_fn]
fn minimized(line: &Line, x: &Tensor, y: &Tensor, #[tensor] rate: f32) -> Tensor {
    let loss = (&line.a * x + &line.b - y).square().sum() * 0.5;
    GradientDescent::new(&rate).minimize(&loss)
}

fn differentiated((a, b): &mut (Var, Var), x: &Candle, y: &Candle) -> candle_core::Result<()> {
    let error = (x.broadcast_mul(a)?.broadcast_add(b)? - y)?;
    let gradients = (error.sqr()?.sum_all()? * 0.5)?.backward()?;
    for variable in [a, b] {
        let slope = gradients.get(variable).expect("the loss depends on both");
        variable.set(&(variable.as_tensor() - (slope * f64::from(RATE))?)?)?;
    }
    Ok(())
}

/// A step whose gradients a library works out.
pub fn descent() -> Vec<Contender> {
    let start = || Line { a: Variable::new("a", 0.0f32), b: Variable::new("b", 0.0f32) };
    let (x, y) = (Tensor::from(X), Tensor::from(Y));
    let ours = Contender::stepping(
        "graphfn, one traced call",
        start,
        move |line| drop(minimized(line, &x, &y, RATE)),
        STEPS,
        |line| vec![line.a.read().item(), line.b.read().item()],
    );
    let points = |it: [f32; 5]| Candle::new(&it, &Device::Cpu).expect("numbers are a tensor");
    let (x, y) = (points(X), points(Y));
    let number = || Var::new(0.0f32, &Device::Cpu).expect("a number is a tensor");
    let candle = Contender::stepping(
        "Candle, op by op",
        move || (number(), number()),
        move |line| differentiated(line, &x, &y).expect("shapes and types agree"),
        STEPS,
        |(a, b)| [a, b].map(|it| it.to_scalar().expect("it is a number")).to_vec(),
    );
    vec![ours, candle]
}

/// A step of linear regression.
pub fn step() -> Vec<Contender> {
    vec![ours(), candles(), ndarrays()]
}

fn ours() -> Contender {
    let start = || Line { a: Variable::new("a", 0.0f32), b: Variable::new("b", 0.0f32) };
    let (x, y) = (Tensor::from(X), Tensor::from(Y));
    Contender::stepping(
        "graphfn, one traced call",
        start,
        move |line| traced(line, &x, &y, RATE),
        STEPS,
        |line| vec![line.a.read().item(), line.b.read().item()],
    )
}

fn candles() -> Contender {
    let number = || Candle::new(0.0f32, &Device::Cpu).expect("a number is a tensor");
    let points = |it: [f32; 5]| Candle::new(&it, &Device::Cpu).expect("numbers are a tensor");
    let (x, y) = (points(X), points(Y));
    Contender::stepping(
        "Candle, op by op",
        move || (number(), number()),
        move |line| candle(line, &x, &y, RATE).expect("shapes and types agree"),
        STEPS,
        |(a, b)| [a, b].map(|it| it.to_scalar().expect("it is a number")).to_vec(),
    )
}

fn ndarrays() -> Contender {
    let (x, y) = (Array1::from_iter(X), Array1::from_iter(Y));
    Contender::stepping(
        "ndarray, op by op",
        || (0.0, 0.0),
        move |line| by_hand(line, &x, &y, RATE),
        STEPS,
        |(a, b)| vec![a, b],
    )
}
