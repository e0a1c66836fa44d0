//! Graphs that the real TensorFlow imports and runs: `GRAPHFN_TF=python cargo test --test interop`, where `python` is a
//! Python that has the package `tensorflow`. Every op that maps, on its samples, and its gradients.

use crate::folder::Folder;
use graphfn::graphdef::GraphDef;
use graphfn::{ConcreteFunction, Sample, Value, apply_all, op_table, prelude::*};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

/// One run in TensorFlow: a graph, what it is fed, and what it should give.
pub struct Case {
    pub name: String,
    pub graph: GraphDef,
    pub feeds: Vec<Value>,
    pub outputs: Vec<Value>,
    /// Variables after `update`, by name.
    pub after: Vec<(String, Value)>,
}

/// Runs all cases in TensorFlow, which complains of each that differs.
pub fn check(cases: &[Case]) {
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
    pub fn of(
        name: &str,
        concrete: &ConcreteFunction,
        feeds: Vec<Value>,
        outputs: Vec<Value>,
    ) -> Case {
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
fn branches_are_refused_at_their_line() {
    let function =
        graphfn::graph_fn(|x: &Tensor| graphfn::cond(&x.greater(0.0), || x + 1.0, || -x));
    let concrete = function.concrete_function(&Tensor::from(1.0f32)).unwrap();
    let error = concrete.graphdef().unwrap_err();
    assert_eq!(
        error.message(),
        "`If` cannot be exported to TensorFlow: its regions would be functions there, and none is written"
    );
    assert!(error.place().is_some_and(|place| place.file.ends_with("tensorflow.rs")));
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
