//! Training programs of the chapters as graphs: four forms of one regression, with the printed numbers.

use graphfn::prelude::*;
use graphfn::{feed, group};

const X: [f32; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const Y: [f32; 5] = [0.0, 4.0 / 11.0, 6.0 / 11.0, 9.0 / 11.0, 1.0];

/// The program of the chapter up to its loss; placeholders have no shape.
struct Program {
    graph: Graph,
    x: Tensor,
    y: Tensor,
    a: Variable,
    b: Variable,
    rate: Tensor,
    predicted: Tensor,
    loss: Tensor,
}

fn program() -> Program {
    let graph = Graph::new();
    let x = graph.placeholder::<f32>(Shape::unknown());
    let y = graph.placeholder::<f32>(Shape::unknown());
    let rate = graph.placeholder::<f32>([]);
    let a = graph.get_variable("a", [], init::Zeros);
    let b = graph.get_variable("b", [], init::Zeros);
    let predicted = &a * &x + &b;
    let loss = (&predicted - &y).square().sum() * 0.5;
    Program { graph, x, y, a, b, rate, predicted, loss }
}

/// Runs 10,000 steps at 1e-3, and compares with the chapter.
#[track_caller]
fn converges(it: &Program, train: &impl graphfn::Fetch) {
    let session = Session::new(&it.graph);
    it.graph.global_variables_initializer().run(&session).unwrap();
    for _ in 0..10_000 {
        let feeds = feed! { it.x => X, it.y => Y, it.rate => 1e-3 };
        session.run_with(train, feeds).unwrap();
    }
    let (a, b) = session.run((&it.a, &it.b)).unwrap();
    assert_eq!((a.item::<f32>(), b.item::<f32>()), (0.97637, 0.057565063));
}

/// Golden G-5 in the four forms of the chapter.
#[test]
fn s34_s35_by_gradients_written_by_hand() {
    let it = program();
    let off = &it.predicted - &it.y;
    let (grad_a, grad_b) = ((&off * &it.x).sum(), off.sum());
    let new_a = it.a.assign(&it.a - &it.rate * grad_a);
    let new_b = it.b.assign(&it.b - &it.rate * grad_b);
    converges(&it, &[&new_a, &new_b]);
}

#[test]
fn s34_by_gradients() {
    let it = program();
    let [grad_a, grad_b] = gradients(&it.loss, [&it.a, &it.b]).map(Option::unwrap);
    let new_a = it.a.assign(&it.a - &it.rate * grad_a);
    let new_b = it.b.assign(&it.b - &it.rate * grad_b);
    converges(&it, &group([&new_a, &new_b]));
}

#[test]
fn s30_s31_s34_by_computing_and_applying_gradients() {
    let it = program();
    let optimizer = GradientDescent::new(&it.rate);
    let pairs = optimizer.compute_gradients(&it.loss);
    let names: Vec<&str> = pairs.iter().map(|(_, variable)| variable.name()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(pairs.iter().all(|(gradient, _)| gradient.is_some()));
    let train = optimizer.apply_gradients(pairs);
    assert_eq!(train.name(), "GradientDescent");
    converges(&it, &train);
}

#[test]
fn s30_s34_by_minimize() {
    let it = program();
    let train = GradientDescent::new(1e-3).minimize(&it.loss);
    let ir = it.graph.to_ir();
    assert_eq!(ir.find("GradientDescent").unwrap().kind.name(), "NoOp");
    for name in ["a", "b"] {
        let update = format!("GradientDescent/update_{name}/ResourceApplyGradientDescent");
        assert_eq!(ir.find(&update).unwrap().kind.name(), "AssignVariableOp");
    }
    converges(&it, &train);
}

#[test]
fn s25_s28_gradients_are_a_part_of_the_graph_with_names_of_their_own() {
    let graph = Graph::new();
    let x = graph.get_variable("x", [], init::Constant(3.0));
    let y = x.square();
    let slope = gradients(&y, [&x]);
    assert_eq!(format!("{x:?}"), "<Variable 'x:0' shape=() dtype=float32>");
    assert_eq!(y.to_string(), "Tensor(\"Square:0\", shape=(), dtype=float32)");
    let [slope] = slope.map(Option::unwrap);
    assert_eq!(
        format!("{:?}", [&slope]),
        "[<Tensor 'gradients/Square_grad/Mul_1:0' shape=() dtype=float32>]"
    );
    let session = Session::new(&graph);
    graph.global_variables_initializer().run(&session).unwrap();
    let (x, y, slope) = session.run((&x, &y, &slope)).unwrap();
    assert_eq!([x, y, slope].map(|it| it.item::<f32>()), [3.0, 9.0, 6.0]);
}

#[test]
fn gradients_of_gradients_are_a_second_part() {
    let graph = Graph::new();
    let x = graph.placeholder::<f32>([]);
    let y = &x * &x * &x;
    let first = gradients(&y, &x).unwrap();
    let second = gradients(&first, &x).unwrap();
    assert!(second.to_string().starts_with("Tensor(\"gradients_1/"), "{second}");
    let session = Session::new(&graph);
    let found = session.run_with([&first, &second], feed! { x => 1.0 }).unwrap();
    assert_eq!(found.map(|it| it.item::<f32>()), [3.0, 6.0]);
}
