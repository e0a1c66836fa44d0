//! Optimisers in traced functions and eagerly: what they change, what they remember, and of what.

use graphfn::optimizer::Clip;
use graphfn::prelude::*;
use once_cell::sync::Lazy;

#[derive(Tree)]
struct Line {
    a: Variable,
    b: Variable,
}

impl Line {
    fn new() -> Line {
        Line { a: Variable::new("a", 0.0f32), b: Variable::new("b", 0.0f32) }
    }

    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        (&self.a * x + &self.b - y).square().sum() * 0.5
    }

    fn numbers(&self) -> [f32; 2] {
        [&self.a, &self.b].map(|it| it.read().item())
    }
}

fn points() -> (Tensor, Tensor) {
    let y = [0.0f32, 4.0 / 11.0, 6.0 / 11.0, 9.0 / 11.0, 1.0];
    (Tensor::from([0.0f32, 0.25, 0.5, 0.75, 1.0]), Tensor::from(y))
}

#[graph_fn]
fn descend(line: &Line, x: &Tensor, y: &Tensor, #[tensor] rate: f32) -> Tensor {
    let loss = line.loss(x, y);
    GradientDescent::new(&rate).minimize(&loss)
}

#[test]
fn s30_minimize_finds_the_variables() {
    let ((x, y), line) = (points(), Line::new());
    let loss = descend(&line, &x, &y, 0.5);
    // Half the sum of the squares of y, and its slopes: the sums of -x * y and of -y.
    assert!((loss.item::<f32>() - 1.049_587).abs() < 1e-6);
    let [a, b] = line.numbers();
    assert!((a - 0.988_636).abs() < 1e-6 && (b - 1.363_636).abs() < 1e-6, "{a} {b}");
    let concrete = descend::concrete_function(&line, &x, &y, 0.5).unwrap();
    for name in ["a", "b"] {
        let update = format!("GradientDescent/update_{name}/ResourceApplyGradientDescent");
        assert!(concrete.graph().find(&update).is_some(), "{}", concrete.graph());
    }
    assert_eq!(concrete.variables().len(), 2, "nothing is counted, for nobody asks");
}

#[graph_fn]
fn halves(line: &Line, x: &Tensor, y: &Tensor, optimizer: &GradientDescent) -> Tensor {
    let loss = line.loss(x, y);
    let pairs = optimizer.compute_gradients(&loss);
    let names: Vec<&str> = pairs.iter().map(|(_, variable)| variable.name()).collect();
    assert_eq!(names, ["a", "b"]);
    optimizer.apply_gradients(pairs);
    loss
}

#[test]
fn s31_compute_gradients_gives_pairs() {
    let ((x, y), line, other) = (points(), Line::new(), Line::new());
    halves(&line, &x, &y, &GradientDescent::new(0.5));
    descend(&other, &x, &y, 0.5);
    assert_eq!(line.numbers(), other.numbers());
}

#[graph_fn]
fn train(line: &Line, optimizer: &Adam, x: &Tensor, y: &Tensor) -> Tensor {
    optimizer.minimize(line.loss(x, y))
}

#[graph_fn]
fn train_tree(line: &Line, optimizer: &Adam, x: &Tensor, y: &Tensor) -> Tensor {
    let (loss, gradients) = value_and_grad(|line: &Line| line.loss(x, y))(line);
    optimizer.apply(line, &gradients);
    loss
}

#[graph_fn]
fn train_tape(line: &Line, optimizer: &Adam, x: &Tensor, y: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let loss = line.loss(x, y);
    let variables = [&line.a, &line.b];
    let gradients = tape.gradient(&loss, variables);
    optimizer.apply_gradients(gradients.into_iter().zip(variables));
    loss
}

fn train_eagerly(line: &Line, optimizer: &Adam, x: &Tensor, y: &Tensor) -> Tensor {
    optimizer.minimize(|| line.loss(x, y))
}

fn adam() -> Adam {
    Adam::new(0.1)
}

/// A way to do one step.
type Train = fn(&Line, &Adam, &Tensor, &Tensor) -> Tensor;

#[test]
fn s32_all_ways_to_train_are_one() {
    let (x, y) = points();
    let trained = |train: Train| {
        let (line, optimizer) = (Line::new(), adam());
        let losses: Vec<f32> =
            (0..5).map(|_| train(&line, &optimizer, &x, &y).item::<f32>()).collect();
        (losses, line.numbers())
    };
    let first = trained(train);
    assert!(first.0.is_sorted_by(|a, b| a > b), "{first:?}");
    for another in [train_tree as Train, train_tape, train_eagerly] {
        assert_eq!(trained(another), first);
    }
}

#[test]
fn slots_are_named_variables_and_are_made_by_the_first_step() {
    let ((x, y), line, optimizer) = (points(), Line::new(), adam());
    train(&line, &optimizer, &x, &y);
    let concrete = train::concrete_function(&line, &optimizer, &x, &y).unwrap();
    let names: Vec<String> = concrete.variables().iter().map(|it| it.name()).collect();
    let slots = ["Adam/a/m:0", "Adam/a/v:0", "Adam/step:0", "Adam/b/m:0", "Adam/b/v:0"];
    assert_eq!(names, [&["a:0", "b:0"], &slots[..]].concat());
    assert_eq!(concrete.trainable_variables().len(), 2);
    let own: Vec<String> = optimizer.variables().iter().map(|it| it.name().to_string()).collect();
    assert_eq!(own, ["Adam/step", "Adam/a/m", "Adam/a/v", "Adam/b/m", "Adam/b/v"]);
    assert_eq!(optimizer.variables()[0].read().item::<i64>(), 1);
}

/// What a line is after some steps by themselves.
fn alone(optimizer: &Adam, train: Train, steps: usize) -> [f32; 2] {
    let ((x, y), line) = (points(), Line::new());
    (0..steps).for_each(|_| drop(train(&line, optimizer, &x, &y)));
    line.numbers()
}

#[test]
fn a_trace_serves_other_models_and_other_optimizers_with_their_own_slots() {
    let (x, y) = points();
    let expected = alone(&adam(), train_eagerly, 3);
    for train in [train as Train, train_tree, train_tape] {
        // Two models and two optimisers, by turns: each keeps its own.
        let [first, second] = [(); 2].map(|()| (Line::new(), adam()));
        for _ in 0..3 {
            train(&first.0, &first.1, &x, &y);
            train(&second.0, &second.1, &x, &y);
        }
        assert_eq!([first.0.numbers(), second.0.numbers()], [expected; 2]);
    }
    for function in [train::graph_fn(), train_tree::graph_fn(), train_tape::graph_fn()] {
        assert!(function.trace_count() <= 1, "{:?}", function.explain_retraces());
    }
}

#[graph_fn]
fn by_turns(line: &Line, optimizer: &Momentum, x: &Tensor, y: &Tensor) -> Tensor {
    optimizer.minimize(line.loss(x, y))
}

#[test]
fn one_optimizer_remembers_two_models_and_two_optimizers_one_model() {
    let (x, y) = points();
    let momentum = || Momentum::new(0.01, 0.5);
    let eagerly = |line: &Line, optimizer: &Momentum| optimizer.minimize(|| line.loss(&x, &y));
    let traced = |line: &Line, optimizer: &Momentum| by_turns(line, optimizer, &x, &y);
    let one_optimizer = |step: &dyn Fn(&Line, &Momentum) -> Tensor| {
        let (lines, optimizer) = ([(); 2].map(|()| Line::new()), momentum());
        (0..3).for_each(|_| lines.iter().for_each(|line| drop(step(line, &optimizer))));
        assert_eq!(optimizer.variables().len(), 5);
        lines.map(|it| it.numbers())
    };
    let one_model = |step: &dyn Fn(&Line, &Momentum) -> Tensor| {
        let (line, optimizers) = (Line::new(), [(); 2].map(|()| momentum()));
        (0..3).for_each(|_| optimizers.iter().for_each(|it| drop(step(&line, it))));
        line.numbers()
    };
    assert_eq!(one_optimizer(&traced), one_optimizer(&eagerly));
    assert_eq!(one_model(&traced), one_model(&eagerly));
    let [first, second] = one_optimizer(&traced);
    assert_eq!(first, second, "two models that are trained alike are alike");
    assert_eq!(by_turns::trace_count(), 1);
}

#[graph_fn]
fn two_optimizers(line: &Line, first: &Momentum, second: &Momentum, x: &Tensor, y: &Tensor) {
    first.minimize(line.loss(x, y));
    second.minimize(line.loss(x, y));
}

#[test]
fn one_optimizer_in_two_places_is_not_two() {
    let (x, y) = points();
    let momentum = || Momentum::new(0.01, 0.5);
    let run = |first: &Momentum, second: &Momentum| {
        let line = Line::new();
        (0..3).for_each(|_| two_optimizers(&line, first, second, &x, &y));
        line.numbers()
    };
    let one = momentum();
    let (same, different) = (run(&one, &one.clone()), run(&momentum(), &momentum()));
    assert_ne!(same, different);
    assert_eq!(run(&momentum(), &momentum()), different);
    let again = momentum();
    assert_eq!(run(&again, &again), same);
    assert_eq!(two_optimizers::trace_count(), 2);
}

static LINE: Lazy<Line> = Lazy::new(Line::new);
static OPTIMIZER: Lazy<Adam> = Lazy::new(adam);

#[graph_fn]
fn train_statics(x: &Tensor, y: &Tensor) -> Tensor {
    OPTIMIZER.minimize(LINE.loss(x, y))
}

#[test]
fn models_and_optimizers_may_be_statics() {
    let (x, y) = points();
    (0..3).for_each(|_| drop(train_statics(&x, &y)));
    assert_eq!(LINE.numbers(), alone(&adam(), train_eagerly, 3));
    assert_eq!(train_statics::trace_count(), 1);
}

#[graph_fn]
fn train_layer(layer: &Dense, optimizer: &Adam, x: &Tensor) -> Tensor {
    optimizer.minimize(layer.call(x).square().mean())
}

#[test]
fn layers_are_built_and_trained_in_one_trace() {
    let (layer, optimizer) = (Dense::new(2), adam());
    let x = Tensor::ones::<f32>([3, 4]);
    let losses: Vec<f32> =
        (0..4).map(|_| train_layer(&layer, &optimizer, &x).item::<f32>()).collect();
    assert!(losses.is_sorted_by(|a, b| a > b), "{losses:?}");
    assert_eq!(train_layer::trace_count(), 1);
    let own: Vec<String> = optimizer.variables().iter().map(|it| format!("{it:?}")).collect();
    assert_eq!(own[1], "<Variable 'Adam/weight/m:0' shape=(4, 2) dtype=float32>");
}

#[derive(Tree)]
struct Deep {
    dense1: Dense,
    dense2: Dense,
}

#[graph_fn]
fn train_deep(deep: &Deep, optimizer: &Adam, x: &Tensor) -> Tensor {
    let loss = deep.dense2.call(&deep.dense1.call(x).relu()).square().mean();
    optimizer.minimize(&loss)
}

#[test]
fn slots_have_the_paths_of_a_model() {
    let model = Deep { dense1: Dense::new(3), dense2: Dense::new(1) };
    let optimizer = adam().clip(Clip::GlobalNorm(1.0));
    let concrete =
        train_deep::concrete_function(&model, &optimizer, &Tensor::ones::<f32>([2, 4])).unwrap();
    let names: Vec<String> = concrete.variables().iter().map(|it| it.name()).collect();
    for name in ["dense1/weight:0", "Adam/dense1/weight/m:0", "Adam/dense2/bias/v:0"] {
        assert!(names.iter().any(|it| it == name), "{name} is not in {names:?}");
    }
    let update = "Adam/update_dense1/weight/AssignVariableOp";
    assert!(concrete.graph().find(update).is_some(), "{}", concrete.graph());
}

#[graph_fn]
fn fails(line: &Line, optimizer: &Adam, x: &Tensor, y: &Tensor) -> Tensor {
    let loss = optimizer.minimize(line.loss(x, y));
    loss.reshape([7])
}

#[test]
fn a_failed_trace_leaves_an_optimizer_as_it_was() {
    let ((x, y), line, optimizer) = (points(), Line::new(), adam());
    let error = fails::try_call(&line, &optimizer, &x, &y).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
    assert_eq!(optimizer.variables().len(), 1);
    assert_eq!(optimizer.variables()[0].read().item::<i64>(), 0);
    let expected = alone(&adam(), train_eagerly, 1);
    train(&line, &optimizer, &x, &y);
    assert_eq!(line.numbers(), expected);
}
