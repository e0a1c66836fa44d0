//! Tapes, eagerly: gradients of a line, of a second question to one tape, and of a gradient.
//!
//! `cargo run --example eager_tape` prints 22; 10 and 1, by a tape that is asked twice; `None` for what was not watched;
//! and the derivatives 3 and 6 of x^3 at 1, of which the last line is the second.

use graphfn::prelude::*;

fn main() {
    // Outside of a traced function, everything runs at once.
    let (a, b) = (Variable::new("a", 2), Variable::new("b", 20));
    println!("a + b = {:?}", &a + &b);

    // Trainable variables are watched by themselves. A persistent tape can be asked more than once.
    let (x, w) = (Variable::new("x", 10.0f32), Variable::new("w", 2.0f32));
    let (bias, other) = (Variable::new("b", 3.0f32), Tensor::from(1.0f32));
    let tape = GradientTape::new().persistent();
    let y = &w * &x + &bias + &other;
    println!("dy/dw = {:?}", tape.gradient(&y, &w).expect("y depends on w"));
    println!("dy/db = {:?}", tape.gradient(&y, &bias).expect("y depends on b"));

    // Tensors are watched when they are asked to be.
    println!("dy/dother = {:?}: {}", tape.gradient(&y, &other), tape.explain(&y, &other));

    // A tape that is open while another one is asked hears the gradient too.
    let x = Tensor::from(1.0f32);
    let outer = GradientTape::new();
    outer.watch(&x);
    let inner = GradientTape::new();
    inner.watch(&x);
    let y = &x * &x * &x;
    let first = inner.gradient(&y, &x).expect("y depends on x");
    let second = outer.gradient(&first, &x).expect("so does its slope");
    println!("first derivative: {first:?}");
    println!("second derivative: {second:?}");
}
