//! A line through points, trained with a loss that is plain Rust on arrays: a host function, and its gradient.
//!
//! Prints the training with a loss of the library's ops, the same with a host function that has a gradient, and what
//! comes of a host function without one.

use graphfn::prelude::*;
use ndarray::ArrayViewD;
use std::error::Error as StdError;

const STEPS: usize = 1000;

/// How far outputs are from what is wanted.
type Loss = fn(&Tensor, &Tensor) -> Tensor;

/// The mean of the squared differences, by ops.
fn built_in_loss(y: &Tensor, t: &Tensor) -> Tensor {
    (y - t).square().mean()
}

/// The squared differences, by a closure on views of ndarray's. Nothing is known of its derivative.
fn square_diff() -> graphfn::HostFn<[Tensor; 2], Tensor> {
    host_fn("square_diff", |y: ArrayViewD<f32>, t: ArrayViewD<f32>| (&y - &t).mapv(|it| it * it))
}

/// The mean of the squared differences, by the host function, and the gradient that it is given.
fn host_loss(y: &Tensor, t: &Tensor) -> Tensor {
    let square_diff = square_diff().with_gradient(|call| {
        let (y, t) = (&call.inputs[0], &call.inputs[1]);
        let slope = call.grads[0].as_ref().map(|g| g * 2.0 * (y - t));
        vec![slope.clone(), slope.map(|it| -it)]
    });
    square_diff.call([y, t]).mean()
}

/// Trains a line, one traced call a step, and prints some of the steps: the line after the step, the loss before.
fn train(x: &Tensor, t: &Tensor, loss: Loss) -> Result<(), Error> {
    let w = Variable::new("W", [0.345_629_7f32]);
    let b = Variable::new("b", [0.0f32]);
    let descent = GradientDescent::new(0.1);
    let step = graph_fn(|(x, t): &(Tensor, Tensor)| descent.minimize(loss(&(&w * x + &b), t)));
    let data = (x.clone(), t.clone());
    for at in 1..=STEPS {
        let loss = step.try_call(&data)?;
        if at < 10 || at == STEPS {
            println!("step:{at},W={w},b={b},loss={loss}");
        }
    }
    Ok(())
}

/// Two columns of numbers below a line of names.
fn read(path: &str) -> Result<(Tensor, Tensor), Box<dyn StdError>> {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for record in csv::Reader::from_path(path)?.deserialize() {
        let (a, b): (f32, f32) = record?;
        x.push(a);
        y.push(b);
    }
    Ok((x.into(), y.into()))
}

fn main() -> Result<(), Box<dyn StdError>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/seed002_xy_4.csv");
    let (x, t) = read(path)?;
    println!("with a loss of ops:");
    train(&x, &t, built_in_loss)?;
    println!("with a host function and its gradient:");
    train(&x, &t, host_loss)?;
    println!("with a host function without a gradient:");
    let told = train(&x, &t, |y, t| square_diff().no_gradient().call([y, t]).mean());
    println!("error: {}", told.expect_err("nothing is known of its derivative"));
    Ok(())
}
