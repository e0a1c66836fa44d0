//! The regression of `linear_regression` as graphs: four ways to write a step, in sessions of 10,000 runs.
//!
//! Prints a line for each form, all with the same two numbers: `minimize: a = 0.97637, b = 0.057565063`.

use graphfn::prelude::*;
use graphfn::{Fetch, group};

const X: [f32; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const Y: [f32; 5] = [0.0, 4.0 / 11.0, 6.0 / 11.0, 9.0 / 11.0, 1.0];
const STEPS: usize = 10_000;

/// The graph up to its loss. Nothing is known of the shapes of the placeholders: each run says what they are.
struct Line {
    graph: Graph,
    x: Tensor,
    y: Tensor,
    rate: Tensor,
    a: Variable,
    b: Variable,
    loss: Tensor,
}

impl Line {
    fn new() -> Line {
        let graph = Graph::new();
        let x = graph.placeholder::<f32>(Shape::unknown());
        let y = graph.placeholder::<f32>(Shape::unknown());
        let rate = graph.placeholder::<f32>([]);
        let a = graph.get_variable("a", [], init::Zeros);
        let b = graph.get_variable("b", [], init::Zeros);
        let loss = (&a * &x + &b - &y).square().sum() * 0.5;
        Line { graph, x, y, rate, a, b, loss }
    }

    /// Runs the steps in a session of its own, and prints what they came to.
    fn train(&self, form: &str, step: &impl Fetch) -> Result<(), Error> {
        let session = Session::new(&self.graph);
        session.run(&self.graph.global_variables_initializer())?;
        for _ in 0..STEPS {
            session.run_with(step, feed! { self.x => X, self.y => Y, self.rate => 1e-3 })?;
        }
        let (a, b) = session.run((&self.a, &self.b))?;
        println!("{form}: a = {a}, b = {b}");
        Ok(())
    }
}

fn main() -> Result<(), Error> {
    let line = Line::new();
    let off = &line.a * &line.x + &line.b - &line.y;
    let new_a = line.a.assign(&line.a - &line.rate * (&off * &line.x).sum());
    let new_b = line.b.assign(&line.b - &line.rate * off.sum());
    line.train("manual", &[&new_a, &new_b])?;

    let line = Line::new();
    let slopes = gradients(&line.loss, [&line.a, &line.b]);
    let [slope_a, slope_b] = slopes.map(|it| it.expect("the loss depends on both"));
    let new_a = line.a.assign(&line.a - &line.rate * slope_a);
    let new_b = line.b.assign(&line.b - &line.rate * slope_b);
    line.train("gradients", &group([&new_a, &new_b]))?;

    let line = Line::new();
    let optimizer = GradientDescent::new(&line.rate);
    let pairs = optimizer.compute_gradients(&line.loss);
    line.train("apply", &optimizer.apply_gradients(pairs))?;

    let line = Line::new();
    let step = GradientDescent::new(&line.rate).minimize(&line.loss);
    line.train("minimize", &step)
}
