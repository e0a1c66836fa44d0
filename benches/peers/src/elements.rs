//! Rows of one element-wise op on few numbers, where a call's cost is all there is.

use crate::contender::Contender;
use candle_core::{Device, Tensor as Candle};
use graphfn::prelude::*;
use ndarray::Array;

#[graph_fn]
fn increment_traced(x: &Tensor) -> Tensor {
    x + 1.0
}

#[graph_fn]
fn add_traced(a: &Tensor, b: &Tensor) -> Tensor {
    a + b
}

/// `x + 1` on one float.
pub fn increment() -> Vec<Contender> {
    let x = Tensor::from(1.5f32);
    let eager = x.clone();
    let candle = Candle::new(1.5f32, &Device::Cpu).expect("a number is a tensor");
    let array = Array::from_elem((), 1.5f32);
    vec![
        Contender::calling("graphfn, traced", move || increment_traced(&x), ours),
        Contender::calling("graphfn, eager", move || &eager + 1.0, ours),
        Contender::calling("Candle", move || (&candle + 1.0).expect("a float adds"), candles),
        Contender::calling("ndarray", move || &array + 1.0, |sum| sum.into_iter().collect()),
    ]
}

/// `a + b` of two scalars.
pub fn add_scalars() -> Vec<Contender> {
    let (a, b) = (Tensor::from(1.5f32), Tensor::from(0.25f32));
    let eager = (a.clone(), b.clone());
    let candle = |number: f32| Candle::new(number, &Device::Cpu).expect("a number is a tensor");
    let candle = (candle(1.5), candle(0.25));
    let array = (Array::from_elem((), 1.5f32), Array::from_elem((), 0.25f32));
    vec![
        Contender::calling("graphfn, traced", move || add_traced(&a, &b), ours),
        Contender::calling("graphfn, eager", move || &eager.0 + &eager.1, ours),
        Contender::calling(
            "Candle",
            move || (&candle.0 + &candle.1).expect("shapes agree"),
            candles,
        ),
        Contender::calling("ndarray", move || &array.0 + &array.1, |sum| sum.into_iter().collect()),
    ]
}

/// `a + b` on 8 floats.
pub fn add() -> Vec<Contender> {
    let (left, right) = ([0.5f32, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0], [0.25f32; 8]);
    let (a, b) = (Tensor::from(left), Tensor::from(right));
    let eager = (a.clone(), b.clone());
    let candle =
        |numbers: &[f32; 8]| Candle::new(numbers, &Device::Cpu).expect("numbers are a tensor");
    let candle = (candle(&left), candle(&right));
    let array = (Array::from_iter(left), Array::from_iter(right));
    vec![
        Contender::calling("graphfn, traced", move || add_traced(&a, &b), ours),
        Contender::calling("graphfn, eager", move || &eager.0 + &eager.1, ours),
        Contender::calling(
            "Candle",
            move || (&candle.0 + &candle.1).expect("shapes agree"),
            candles,
        ),
        Contender::calling("ndarray", move || &array.0 + &array.1, |sum| sum.to_vec()),
    ]
}

fn ours(tensor: Tensor) -> Vec<f32> {
    tensor.to_vec()
}

fn candles(tensor: Candle) -> Vec<f32> {
    tensor.flatten_all().and_then(|it| it.to_vec1()).expect("it holds floats")
}
