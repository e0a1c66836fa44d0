//! Graphs that the real TensorFlow imports and runs: `GRAPHFN_TF=python cargo test --test interop`, where `python` is a
//! Python that has the package `tensorflow`. Every op that maps, on its samples, and its gradients; and whole programs.

use crate::folder::Folder;
use graphfn::graphdef::GraphDef;
use graphfn::{ConcreteFunction, Sample, Value, apply_all, op_table, prelude::*};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

/// One run in TensorFlow: a graph, what it is fed, and what it should give.
struct Case {
    name: String,
    graph: GraphDef,
    feeds: Vec<Value>,
    outputs: Vec<Value>,
    /// Variables after `update`, by name.
    after: Vec<(String, Value)>,
}

/// Runs all cases in TensorFlow, which complains of each that differs.
fn check(cases: &[Case]) {
    let Some(python) = std::env::var_os("GRAPHFN_TF") else {
        eprintln!("skipped: set GRAPHFN_TF to a Python that has the package `tensorflow`");
        return;
    };
    let folder = Folder::new("tensorflow");
    let file = folder.path("cases.jsonl");
    let lines: String = cases.iter().map(Case::line).collect();
    std::fs::write(&file, lines).expect("there is space for a file");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interop/run_tensorflow.py");
    let done =
        Command::new(python).arg(script).arg(&file).output().expect("GRAPHFN_TF names a Python");
    let (told, errors) =
        (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{told}\n{errors}");
    assert!(told.ends_with(&format!("all {} cases agree\n", cases.len())), "{told}\n{errors}");
    eprint!("{told}");
}

impl Case {
    fn of(name: &str, concrete: &ConcreteFunction, feeds: Vec<Value>, outputs: Vec<Value>) -> Case {
        let graph = concrete
            .graphdef()
            .unwrap_or_else(|error| panic!("{name}: {error}\n{}", concrete.graph()));
        Case { name: name.to_string(), graph, feeds, outputs, after: Vec::new() }
    }

    /// The case as a line of JSON; all bytes are hexadecimal, so nothing needs an escape.
    fn line(&self) -> String {
        let named = |names: &[String], values: &[Value]| -> String {
            assert_eq!(names.len(), values.len(), "{}", self.name);
            let items = names.iter().zip(values).map(|(name, value)| tensor(name, value));
            items.collect::<Vec<_>>().join(", ")
        };
        let name =
            |it: &Option<String>| it.as_ref().map_or("null".to_string(), |it| format!("\"{it}\""));
        let (names, values): (Vec<String>, Vec<Value>) = self.after.iter().cloned().unzip();
        format!(
            "{{\"name\": \"{}\", \"graph\": \"{}\", \"feeds\": [{}], \"outputs\": [{}], \"init\": {}, \"update\": {}, \"after\": [{}]}}\n",
            self.name.replace('"', "'"),
            hex(&self.graph.encode()),
            named(&self.graph.inputs, &self.feeds),
            named(&self.graph.outputs, &self.outputs),
            name(&self.graph.init),
            name(&self.graph.update),
            named(&names, &values),
        )
    }
}

fn tensor(name: &str, value: &Value) -> String {
    macro_rules! bytes {
        ($type:ty) => {
            value.to_vec::<$type>().unwrap().into_iter().flat_map(|it| it.to_le_bytes()).collect()
        };
    }
    let bytes: Vec<u8> = match value.dtype() {
        DType::F32 => bytes!(f32),
        DType::F64 => bytes!(f64),
        DType::I32 => bytes!(i32),
        DType::I64 => bytes!(i64),
        DType::U8 => bytes!(u8),
        DType::Bool => value.to_vec::<bool>().unwrap().into_iter().map(u8::from).collect(),
    };
    format!("[\"{name}\", \"{}\", {:?}, \"{}\"]", value.dtype(), value.sizes(), hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes all");
        text
    })
}

fn tensors(values: &[Value]) -> Vec<Tensor> {
    values.iter().cloned().map(Tensor::from).collect()
}

fn values(tensors: &[Tensor]) -> Vec<Value> {
    tensors.iter().map(Tensor::value).collect()
}

/// What is not compared, and why.
const APART: &[(&str, &str)] = &[
    ("RandomUniform", OTHER_NUMBERS),
    ("RandomStandardNormal", OTHER_NUMBERS),
    ("TruncatedNormal", OTHER_NUMBERS),
];
const OTHER_NUMBERS: &str = "TensorFlow draws other numbers of the same distribution";

fn is_apart(op: &str) -> bool {
    APART.iter().any(|it| it.0 == op)
}

/// Calls of every op, but those that `APART` lists and points without coordinates, which TensorFlow does not take.
fn calls() -> impl Iterator<Item = (String, Sample)> {
    let of = |info: graphfn::OpInfo| {
        let name = info.name;
        let named = move |(at, sample): (usize, Sample)| {
            (format!("{name} {at}{}", sample.op.attrs()), fitting(sample))
        };
        info.samples.into_iter().enumerate().map(named)
    };
    let is_taken = |sample: &Sample| {
        let is_of_points =
            matches!(sample.op.name(), "GatherNd" | "TensorScatterAdd" | "TensorScatterUpdate");
        !is_of_points || sample.inputs[1].sizes().last() != Some(&0)
    };
    op_table().into_iter().flat_map(of).filter(move |(_, sample)| is_taken(sample))
}

/// The call with 0 for floats that the integers they are cast to do not hold: what TensorFlow makes of those depends on
/// the processor.
fn fitting(mut sample: Sample) -> Sample {
    let holds = |it: f64| it.is_finite() && (0.0..256.0).contains(&it);
    let to_integers = sample.op.attrs().to_string();
    if sample.op.name() == "Cast"
        && ["=i32", "=i64", "=u8"].iter().any(|it| to_integers.contains(it))
    {
        let x = &sample.inputs[0];
        if let Some(floats) = x.to_vec::<f32>() {
            let floats = floats.into_iter().map(|it| if holds(it.into()) { it } else { 0.0 });
            sample.inputs[0] = Value::from_vec(x.sizes(), floats.collect());
        } else if let Some(floats) = x.to_vec::<f64>() {
            let floats = floats.into_iter().map(|it| if holds(it) { it } else { 0.0 });
            sample.inputs[0] = Value::from_vec(x.sizes(), floats.collect());
        }
    }
    sample
}

#[test]
fn every_op_that_maps_gives_the_same_in_tensorflow() {
    let mut cases = Vec::new();
    for (name, sample) in calls().filter(|(_, sample)| !is_apart(sample.op.name())) {
        let op = sample.op.clone();
        let function = graphfn::graph_fn(move |inputs: &Vec<Tensor>| {
            apply_all(op.clone(), &inputs.iter().collect::<Vec<_>>(), "node").into_vec()
        });
        let inputs = tensors(&sample.inputs);
        let outputs = values(&function.call(&inputs));
        let concrete = function.concrete_function(&inputs).unwrap();
        cases.push(Case::of(&name, &concrete, sample.inputs, outputs));
    }
    check(&cases);
}

#[test]
fn the_gradients_of_every_op_give_the_same_in_tensorflow() {
    let mut cases = Vec::new();
    for (name, sample) in calls().filter(|(_, sample)| !is_apart(sample.op.name())) {
        let op = sample.op.clone();
        let function = graphfn::graph_fn(move |inputs: &Vec<Tensor>| {
            let sources: Vec<&Tensor> = inputs.iter().filter(|it| it.dtype().is_float()).collect();
            let outputs = apply_all(op.clone(), &inputs.iter().collect::<Vec<_>>(), "node");
            let floats: Vec<&Tensor> = outputs.iter().filter(|it| it.dtype().is_float()).collect();
            let found = gradients(floats, sources);
            found.into_iter().flatten().collect::<Vec<Tensor>>()
        });
        let inputs = tensors(&sample.inputs);
        let Ok(found) = function.try_call(&inputs) else { continue };
        if found.is_empty() {
            continue;
        }
        let concrete = function.concrete_function(&inputs).unwrap();
        cases.push(Case::of(
            &format!("gradient of {name}"),
            &concrete,
            sample.inputs,
            values(&found),
        ));
    }
    assert!(cases.len() > 100, "only {} ops have gradients", cases.len());
    check(&cases);
}

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
    for node in &concrete.graph().nodes {
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
fn what_is_not_exported_is_refused_at_its_line() {
    let double = host_fn("double", |x: ndarray::ArrayViewD<f32>| x.mapv(|it| it * 2.0));
    let function = graphfn::graph_fn(move |x: &Tensor| double.call([x]));
    let concrete = function.concrete_function(&Tensor::from([1.0f32])).unwrap();
    let error = concrete.graphdef().unwrap_err();
    assert_eq!(
        error.message(),
        "`HostCall` cannot be exported to TensorFlow: a closure is code of this process"
    );
    assert!(error.place().is_some_and(|place| place.file.ends_with("tensorflow.rs")));
    assert_eq!(
        error.help(),
        Some("leave it out of the function that is exported, or write it with other ops")
    );
}

#[test]
fn a_frozen_graph_changes_no_variable() {
    let line = Line { a: Variable::new("a", 0.5f32), b: Variable::new("b", -0.25f32) };
    let x = Tensor::from([1.0f32]);
    let error = line.manual_concrete_function(&x, &x).unwrap().frozen_graphdef().unwrap_err();
    assert_eq!(error.message(), "`manual` changes the variable `a`, which a frozen graph cannot");
    assert_eq!(error.help(), Some("export it with variables: `graphdef()`"));
}

#[test]
fn names_are_unique_and_what_is_used_stands_before() {
    for (name, sample) in calls() {
        let op = sample.op.clone();
        let function = graphfn::graph_fn(move |inputs: &Vec<Tensor>| {
            apply_all(op.clone(), &inputs.iter().collect::<Vec<_>>(), "node").into_vec()
        });
        let concrete = function.concrete_function(&tensors(&sample.inputs)).unwrap();
        let graph = concrete.graphdef().unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
        for node in &graph.node {
            for input in &node.input {
                let source = input.trim_start_matches('^').split(':').next().unwrap();
                assert!(seen.contains_key(source), "{name}: `{}` uses `{input}`", node.name);
            }
            assert!(seen.insert(&node.name, &node.op).is_none(), "{name}: two `{}`", node.name);
        }
    }
}
