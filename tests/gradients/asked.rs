//! Gradients: of tapes, of functions, in traces and eagerly; of any order. Figures are exact, or JAX's in float64.

use graphfn::prelude::*;
use graphfn::{UnconnectedGradients, gradients_seeded};

fn number(x: f32) -> Tensor {
    Tensor::from(x)
}

#[graph_fn]
fn square_slope(x: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    tape.watch(x);
    let y = x.square();
    tape.gradient(&y, x).unwrap()
}

#[graph_fn]
fn square_gradients(x: &Variable) -> Tensor {
    let y = x.square();
    gradients(&y, x).unwrap()
}

#[test]
fn s29_a_tape_in_a_traced_function() {
    assert_eq!(square_slope(&number(3.0)).item::<f32>(), 6.0);
    let graph = square_slope::concrete_function(&number(3.0)).unwrap();
    let names: Vec<&str> = graph.graph().nodes.iter().map(|node| &*node.name).collect();
    assert_eq!(names, ["Square", "ones", "gradient_tape/Mul", "gradient_tape/Mul_1"]);
}

#[test]
fn s28_gradients_are_a_graph_of_their_own() {
    let x = Variable::new("x", 3.0f32);
    assert_eq!(square_gradients(&x).item::<f32>(), 6.0);
    let graph = square_gradients::concrete_function(&x).unwrap();
    let names: Vec<&str> = graph.graph().nodes.iter().map(|node| &*node.name).collect();
    assert_eq!(
        names,
        [
            "ReadVariableOp",
            "Square",
            "gradients/grad_ys_0",
            "gradients/Square_grad/Mul",
            "gradients/Square_grad/Mul_1"
        ]
    );
}

#[test]
fn s51_only_what_is_watched_has_a_gradient() {
    let (x, z) = (number(1.0), number(2.0));
    let w = Variable::new("w", 5.0f32);
    let tape = GradientTape::new().persistent();
    tape.watch(&x);
    let y = &x * &w * &z;
    assert_eq!(tape.gradient(&y, &w).unwrap().item::<f32>(), 2.0);
    let (dx, dz) = tape.gradient(&y, (&x, &z));
    assert_eq!((dx.unwrap().item::<f32>(), dz.is_none()), (10.0, true));
}

#[test]
fn d11_unconnected_sources_are_none_or_zeros() {
    let (x, z) = (number(1.0), Tensor::from([1.0f32, 2.0]));
    let tape = GradientTape::new().unconnected(UnconnectedGradients::Zero);
    tape.watch([&x, &z]);
    let y = x.square();
    let [dx, dz] = tape.gradient(&y, [&x, &z]);
    assert_eq!(dx.unwrap().item::<f32>(), 2.0);
    assert_eq!(dz.unwrap().to_vec::<f32>(), [0.0, 0.0]);
}

#[test]
fn s55_nested_tapes_give_second_derivatives() {
    let x = number(1.0);
    let outer = GradientTape::new();
    outer.watch(&x);
    let inner = GradientTape::new();
    inner.watch(&x);
    let y = &x * &x * &x;
    let first = inner.gradient(&y, &x).unwrap();
    let second = outer.gradient(&first, &x).unwrap();
    assert_eq!((first.item::<f32>(), second.item::<f32>()), (3.0, 6.0));
    let f = |x: &Tensor| x * x * x;
    assert_eq!(grad(f)(&x).item::<f32>(), 3.0);
    assert_eq!(grad(grad(f))(&x).item::<f32>(), 6.0);
    assert_eq!(grad(grad(grad(f)))(&x).item::<f32>(), 6.0);
}

#[graph_fn]
fn orders(x: &Tensor) -> (Tensor, Tensor, Tensor, bool) {
    let y = x * x;
    let first = gradients(&y, x).unwrap();
    let second = gradients(&first, x).unwrap();
    let third = gradients(&second, x);
    (y, first, second, third.is_none())
}

#[test]
fn the_third_derivative_of_a_square_is_none() {
    let (y, first, second, is_none) = orders(&number(3.0));
    assert_eq!([y, first, second].map(|it| it.item::<f32>()), [9.0, 6.0, 2.0]);
    assert!(is_none);
    assert_eq!(orders::trace_count(), 1);
}

#[graph_fn]
fn traced_orders(x: &Tensor) -> (Tensor, Tensor) {
    let f = |x: &Tensor| x * x * x;
    (grad(f)(x), grad(grad(f))(x))
}

#[test]
fn gradients_of_functions_in_traces() {
    let (first, second) = traced_orders(&number(2.0));
    assert_eq!((first.item::<f32>(), second.item::<f32>()), (12.0, 12.0));
}

#[test]
fn s49_all_gradients_of_a_line_at_once() {
    let line = |(x, w, b): &(Tensor, Tensor, Tensor)| w * x + b;
    let at = (number(10.0), number(2.0), number(3.0));
    let (dx, dw, db) = grad(line)(&at);
    assert_eq!([dx, dw, db].map(|it| it.item::<f32>()), [2.0, 10.0, 1.0]);
}

#[derive(Tree)]
struct Line {
    a: Variable,
    b: Variable,
}

#[graph_fn]
fn of_model(line: &Line, x: &Tensor) -> (Tensor, Line) {
    value_and_grad(|line: &Line| (&line.a * x + &line.b).square().sum())(line)
}

#[test]
fn the_gradient_of_a_model_is_such_a_model() {
    let line = Line { a: Variable::new("a", 2.0f32), b: Variable::new("b", 1.0f32) };
    let x = Tensor::from([1.0f32, 3.0]);
    // The values are 3 and 7: 58 in all; 2 * (3 * 1 + 7 * 3) = 48 and 2 * (3 + 7) = 20.
    let traced = of_model(&line, &x);
    let eager = graphfn::eager(|| of_model(&line, &x));
    for (value, gradient) in [traced, eager] {
        assert_eq!(value.item::<f32>(), 58.0);
        assert_eq!(gradient.a.read().item::<f32>(), 48.0);
        assert_eq!(gradient.b.read().item::<f32>(), 20.0);
    }
}

#[test]
fn a_tape_hears_a_traced_function() {
    let x = number(4.0);
    let tape = GradientTape::new();
    tape.watch(&x);
    let y = square_slope(&x);
    assert_eq!(tape.gradient(&y, &x).unwrap().item::<f32>(), 2.0);
}

#[graph_fn]
fn seeded(x: &Tensor, seed: &Tensor) -> Tensor {
    gradients_seeded(x.square(), x, seed).unwrap()
}

#[test]
fn seeds_come_to_the_targets() {
    let (x, seed) = (Tensor::from([1.0f32, 2.0]), Tensor::from([1.0f32, 10.0]));
    assert_eq!(seeded(&x, &seed).to_vec::<f32>(), [2.0, 40.0]);
}
