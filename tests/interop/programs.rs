//! Whole programs that TensorFlow runs as we do: steps of training, the scoped model, layers. Run as `tensorflow` is.

use crate::tensorflow::{Case, check};
use graphfn::{ConcreteFunction, Value, prelude::*};

#[derive(Tree)]
struct Line {
    a: Variable,
    b: Variable,
}

impl Line {
    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        (&self.a * x + &self.b - y).square().sum() * 0.5
    }

    #[graph_fn]
    fn manual(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let error = &self.a * x + &self.b - y;
        self.a.assign_sub((&error * x).sum() * 0.1);
        self.b.assign_sub(error.sum() * 0.1);
        // Read behind the assignment.
        self.a.read() + &self.b
    }

    #[graph_fn]
    fn minimized(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let loss = self.loss(x, y);
        GradientDescent::new(0.1f32).minimize(&loss);
        loss
    }
}

/// The name of a variable of a line, and its value now.
fn held(concrete: &ConcreteFunction) -> Vec<(String, Value)> {
    let one = |it: &graphfn::BoundVariable| (it.path().to_string(), it.variable().read().value());
    concrete.variables().iter().map(one).collect()
}

#[test]
fn steps_of_training_change_variables_as_in_tensorflow() {
    let x = Tensor::from([0.0f32, 0.25, 0.5, 0.75, 1.0]);
    let y = Tensor::from([0.0f32, 0.36, 0.55, 0.82, 1.0]);
    let line = Line { a: Variable::new("a", 0.5f32), b: Variable::new("b", -0.25f32) };
    let mut cases = Vec::new();
    for name in ["manual", "minimized"] {
        let concrete = match name {
            "manual" => line.manual_concrete_function(&x, &y),
            _ => line.minimized_concrete_function(&x, &y),
        }
        .unwrap();
        // The graph holds the values before the step.
        let mut case = Case::of(name, &concrete, vec![x.value(), y.value()], Vec::new());
        let output = if name == "manual" { line.manual(&x, &y) } else { line.minimized(&x, &y) };
        case.outputs = vec![output.value()];
        case.after = held(&concrete);
        cases.push(case);
    }
    check(&cases);
}

/// A layer whose variables are found by name in the open scope, or made there.
fn scoped(x: &Tensor, units: usize) -> Tensor {
    let width = x.shape()[1].known().expect("the width of a layer's input is a number");
    let weight = get_variable("weight", [width, units], init::GlorotUniform);
    let bias = get_variable("bias", [units], init::Zeros);
    (x.matmul(&weight) + &bias).relu()
}

/// The scoped model of the tutorial: the third layer has the weights of the second.
#[graph_fn]
fn three_layers(x: &Tensor) -> Tensor {
    let x = variable_scope("dense1").enter(|| scoped(x, 10));
    let x = variable_scope("dense2").enter(|| scoped(&x, 10));
    variable_scope("dense2").reuse(true).enter(|| scoped(&x, 10))
}

#[test]
fn a_scoped_model_keeps_its_names_and_values_in_tensorflow() {
    let x = Tensor::arange(0.0f32..320.0).reshape([10, 32]) * 0.01 - 1.0;
    let concrete = three_layers::concrete_function(&x).unwrap();
    let outputs = vec![three_layers(&x).value()];
    let mut case = Case::of("three layers", &concrete, vec![x.value()], outputs);
    let variables = ["dense1/weight", "dense1/bias", "dense2/weight", "dense2/bias"];
    case.after = held(&concrete);
    assert_eq!(case.after.iter().map(|it| &*it.0).collect::<Vec<_>>(), variables);
    let names: Vec<&str> = case.graph.node.iter().map(|node| &*node.name).collect();
    // A variable that an op reads has the op's name there.
    for node in concrete.graph().nodes.iter().filter(|it| !it.name.contains("ReadVariableOp")) {
        assert!(names.contains(&&*node.name), "{} is not among {names:?}", node.name);
    }
    check(&[case]);
}

#[test]
fn after_the_passes_all_that_is_read_is_read_before_it_is_assigned() {
    let line = Line { a: Variable::new("a", 0.5f32), b: Variable::new("b", -0.25f32) };
    let x = Tensor::from([1.0f32, 2.0]);
    let concrete = line.manual_concrete_function(&x, &x).unwrap();
    let graph = concrete.graph_optimised().to_graphdef().unwrap();
    let node = |name: &str| graph.node.iter().find(|node| node.name == name).unwrap();
    let assign = node("a/AssignVariableOp");
    assert_eq!((&*assign.op, &*assign.input[0]), ("AssignVariableOp", "a"));
    assert_eq!(assign.input[2..], ["^a/Read/ReadVariableOp"]);
    assert_eq!(node("update").input, ["^a/AssignVariableOp", "^b/AssignVariableOp"]);
    assert_eq!(graph.init, None, "a graph knows no values");
}

#[derive(Tree)]
struct Model {
    dense1: Dense,
    dense2: Dense,
}

impl Model {
    #[graph_fn]
    fn step(&self, x: &Tensor, y: &Tensor, optimizer: &Adam) -> Tensor {
        let hidden = self.dense1.call(x);
        let loss = (self.dense2.call(&hidden) - y).square().mean();
        optimizer.minimize(&loss);
        loss
    }

    #[graph_fn(signature(x: f32[n, 3]))]
    fn call(&self, x: &Tensor) -> Tensor {
        self.dense2.call(&self.dense1.call(x)).softmax(-1)
    }
}

#[test]
fn a_model_of_layers_trains_and_predicts_as_in_tensorflow() {
    let model = Model { dense1: Dense::new(4).activation(Activation::Relu), dense2: Dense::new(2) };
    let optimizer = Adam::new(0.01f32);
    let x = Tensor::from([[1.0f32, -2.0, 0.5], [0.25, 3.0, -1.0]]);
    let y = Tensor::from([[1.0f32, 0.0], [0.0, 1.0]]);
    model.step(&x, &y, &optimizer);
    let concrete = model.step_concrete_function(&x, &y, &optimizer).unwrap();
    let mut step = Case::of("step", &concrete, vec![x.value(), y.value()], Vec::new());
    step.outputs = vec![model.step(&x, &y, &optimizer).value()];
    step.after = held(&concrete);

    let concrete = model.call_concrete_function(&x).unwrap();
    let outputs = vec![model.call(&x).value()];
    let open = Case::of("call", &concrete, vec![x.value()], outputs.clone());
    let frozen = Case {
        name: "frozen".to_string(),
        graph: concrete.frozen_graphdef().unwrap(),
        feeds: vec![x.value()],
        outputs,
        after: Vec::new(),
    };
    // The graph of unknown size is fed with another one.
    let other = Tensor::from([[1.0f32, -2.0, 0.5]]);
    let again =
        Case::of("another size", &concrete, vec![other.value()], vec![model.call(&other).value()]);
    check(&[step, open, frozen, again]);
}

#[test]
fn a_frozen_graph_changes_no_variable() {
    let line = Line { a: Variable::new("a", 0.5f32), b: Variable::new("b", -0.25f32) };
    let x = Tensor::from([1.0f32]);
    let error = line.manual_concrete_function(&x, &x).unwrap().frozen_graphdef().unwrap_err();
    assert_eq!(error.message(), "`manual` changes the variable `a`, which a frozen graph cannot");
    assert_eq!(error.help(), Some("export it with variables: `graphdef()`"));
}
