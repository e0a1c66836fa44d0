//! First and second derivatives of every op against differences, eagerly and by the graph that a trace would have.
//! Knows rules as the sweep applies them.

use super::answer::{Answered, answer};
use super::eager::Heard;
use crate::error::Place;
use crate::graph::{
    Builder, ConstantId, Deferred, DeferredSource, Graph, InputId, Kind, Listening, Node, NodeKind,
    Output, Ref, Sample, Source, Style, Tensor, apply_all,
};
use crate::ops::samples;
use crate::types::{DType, Spec};
use crate::value::Value;
use std::collections::HashMap;

/// A function of tensors: what is differentiated.
trait Function: Fn(&[Tensor]) -> Vec<Tensor> {}
impl<F: Fn(&[Tensor]) -> Vec<Tensor>> Function for F {}

/// The gradients of the weighted sum of what a function gives, `None` for inputs without one.
fn gradient(f: &impl Function, inputs: &[Tensor]) -> Vec<Option<Tensor>> {
    let heard = Heard::new(false);
    let sources: Vec<Source> = inputs.iter().cloned().map(Source::Tensor).collect();
    sources.iter().for_each(|source| heard.watch(source));
    let _listening = Listening::of(heard.clone());
    let (targets, seeds): (Vec<Tensor>, Vec<Option<Tensor>>) = f(inputs)
        .into_iter()
        .filter_map(|output| Some((output.clone(), Some(weights(output.spec())?))))
        .unzip();
    heard.gradient(&targets, &seeds, &sources).unwrap()
}

/// The function that gives the gradients of another.
fn gradients(f: &impl Function) -> impl Function {
    move |inputs: &[Tensor]| gradient(f, inputs).into_iter().flatten().collect()
}

/// Checks the gradient of the weighted sum by differences. Gives how many derivatives were compared.
fn check(f: &impl Function, inputs: &[Value], about: &str) -> usize {
    let tensors =
        |values: &[Value]| values.iter().map(|it| it.clone().into()).collect::<Vec<Tensor>>();
    let found = gradient(f, &tensors(inputs));
    let sum = |inputs: &[Value]| -> f64 {
        let outputs = f(&tensors(inputs));
        outputs.iter().filter_map(|it| Some(dot(it, &weights(it.spec())?))).sum()
    };
    let mut compared = 0;
    for (at, input) in inputs.iter().enumerate() {
        let Some(elements) = input.to_vec::<f64>() else { continue };
        let found = match found.get(at) {
            Some(Some(found)) => found.to_vec(),
            _ => vec![0.0; elements.len()],
        };
        for place in 0..elements.len() {
            let moved = |by: f64| {
                let (mut inputs, mut elements) = (inputs.to_vec(), elements.clone());
                elements[place] += by;
                inputs[at] = Value::from_vec(input.spec().shape(), elements);
                sum(&inputs)
            };
            let Some(wanted) = slope(moved) else { continue };
            let close = (found[place] - wanted).abs() <= 2e-6 * wanted.abs().max(1.0);
            assert!(
                close,
                "{about}: element {place} of input {at} has {}, differences say {wanted}",
                found[place]
            );
            compared += 1;
        }
    }
    compared
}

/// Different weights for the elements of an output that has derivatives.
fn weights(spec: Spec) -> Option<Tensor> {
    let weight = |at: usize| 1.0 + (at * 7 % 11) as f64 / 8.0;
    let len = spec.len().expect("the samples have known sizes");
    (spec.dtype() == DType::F64)
        .then(|| Value::from_vec(spec.shape(), (0..len).map(weight).collect::<Vec<f64>>()).into())
}

fn dot(x: &Tensor, y: &Tensor) -> f64 {
    x.to_vec::<f64>().iter().zip(y.to_vec::<f64>()).map(|(x, y)| x * y).sum()
}

/// The derivative at 0; `None` where differences do not converge, or differ on both sides.
fn slope(f: impl Fn(f64) -> f64) -> Option<f64> {
    const STEP: f64 = 1e-3;
    let difference = |step: f64| (f(step) - f(-step)) / (2.0 * step);
    let [coarse, fine, finest] = [STEP, STEP / 2.0, STEP / 4.0].map(difference);
    let [rough, exact] = [(4.0 * fine - coarse) / 3.0, (4.0 * finest - fine) / 3.0];
    let size = exact.abs().max(1.0);
    let bend = (f(STEP) - 2.0 * f(0.0) + f(-STEP)).abs() / STEP;
    ((rough - exact).abs() < 1e-7 * size && bend < 0.05 * size).then_some(exact)
}

/// A sample's inputs, moved apart and off the points where functions are not smooth.
fn moved(at: usize, value: &Value) -> Value {
    match value.to_vec::<f64>() {
        Some(elements) => {
            let off = |place: usize| 0.0371 + (place * 5 % 7) as f64 * 0.0113 - at as f64 * 0.0237;
            let moved = elements.iter().enumerate().map(|(place, it)| it + off(place));
            Value::from_vec(value.spec().shape(), moved.collect::<Vec<f64>>())
        }
        None => value.clone(),
    }
}

fn name(sample: &Sample) -> String {
    format!("{}{} of {:?}", sample.op.name(), sample.op.attrs(), sample.inputs)
}

/// The gradients of an op's weighted outputs, by the graph that a trace would have of the question.
fn traced(sample: &Sample, inputs: &[Value]) -> Vec<Option<Tensor>> {
    let mut found = vec![None; inputs.len()];
    let floats = (0..inputs.len()).filter(|at| inputs[*at].dtype() == DType::F64);
    let mut sources: Vec<usize> = floats.collect();
    let graph = loop {
        match answer(question(sample, inputs, &sources)).unwrap() {
            Answered::Graph(graph) => break graph,
            Answered::Unconnected { source, .. } => sources.retain(|at| *at != source),
        }
    };
    let mut values: HashMap<Ref, Tensor> = HashMap::new();
    let given = inputs.iter().enumerate().map(|(at, it)| (Ref::Input(InputId::new(at)), it));
    let constants = graph.constants.iter().enumerate();
    let constants = constants.map(|(at, it)| (Ref::Constant(ConstantId::new(at)), it));
    values.extend(given.chain(constants).map(|(value, it)| (value, it.clone().into())));
    for (id, node) in graph.iter() {
        let inputs: Vec<&Tensor> = node.inputs.iter().map(|it| &values[it]).collect();
        let op = node.kind.op().expect("the question is answered").clone();
        let made = apply_all(op, &inputs, &node.name);
        let outputs = made.into_iter().enumerate();
        values.extend(outputs.map(|(at, tensor)| (Ref::Node(id, at as u16), tensor)));
    }
    for (source, output) in sources.iter().zip(&graph.outputs) {
        found[*source] = Some(values[&output.value].clone());
    }
    found
}

/// A graph of one call, and of the question for the gradients of some of its inputs.
fn question(sample: &Sample, inputs: &[Value], sources: &[usize]) -> Graph {
    let mut builder = Builder::new(Graph::default());
    let specs: Vec<Spec> = inputs.iter().map(Value::spec).collect();
    let given: Vec<Ref> = specs.iter().map(|it| builder.graph.add_input("x", *it)).collect();
    let made = sample.op.infer(&specs).unwrap();
    let node = |kind, inputs: &[Ref], outputs: &[Spec], name: &str| Node {
        kind,
        inputs: inputs.into(),
        outputs: outputs.into(),
        name: name.into(),
        place: Place::caller(),
    };
    let kind = NodeKind::Op(sample.op.clone());
    let called = builder.graph.add_node(node(kind, &given, &made, "op"));
    let (mut asked, mut seeds) = (Vec::new(), Vec::new());
    for (at, spec) in made.iter().enumerate() {
        if let Some(weights) = weights(*spec) {
            asked.push(Ref::Node(called, at as u16));
            seeds.push(builder.constant(&weights.value()));
        }
    }
    let source = |at: &usize| DeferredSource { index: *at, slot: None, since: 0 };
    let deferred = Deferred {
        question: 0,
        seeded: vec![true; asked.len()],
        sources: sources.iter().map(source).collect(),
        from: 0,
        style: Style::Gradients,
    };
    let outputs: Vec<Spec> = sources.iter().map(|at| specs[*at]).collect();
    let inputs = [asked, seeds, sources.iter().map(|at| given[*at]).collect()].concat();
    let kind = NodeKind::Gradient(deferred.into());
    let answered = builder.graph.add_node(node(kind, &inputs, &outputs, "gradients"));
    let output = |at| Output { name: "".into(), value: Ref::Node(answered, at as u16) };
    builder.graph.outputs = (0..outputs.len()).map(output).collect();
    builder.graph
}

/// The samples that have derivatives, off the points where functions are not smooth.
fn smooth_samples() -> impl Iterator<Item = (Sample, Vec<Value>)> {
    let is_smooth = |sample: &Sample| {
        !matches!(sample.op.kind(), Kind::Random | Kind::Host)
            && sample.op.name() != "StopGradient"
            && sample.inputs.iter().any(|it| it.dtype() == DType::F64)
    };
    samples().into_iter().filter(is_smooth).map(|sample| {
        let inputs = sample.inputs.iter().enumerate().map(|(at, it)| moved(at, it)).collect();
        (sample, inputs)
    })
}

fn function(sample: &Sample) -> impl Function {
    |inputs: &[Tensor]| {
        let inputs: Vec<&Tensor> = inputs.iter().collect();
        apply_all(sample.op.clone(), &inputs, sample.op.name()).into_vec()
    }
}

#[test]
fn first_and_second_derivatives_agree_with_differences() {
    let mut compared = [0, 0];
    for (sample, inputs) in smooth_samples() {
        let f = function(&sample);
        compared[0] += check(&f, &inputs, &name(&sample));
        let about = format!("the gradient of {}", name(&sample));
        compared[1] += check(&gradients(&f), &inputs, &about);
    }
    assert!(compared.iter().all(|it| *it > 1000), "{compared:?}");
}

#[test]
fn a_trace_has_the_same_gradients_as_an_eager_tape() {
    let mut compared = 0;
    for (sample, inputs) in smooth_samples() {
        let tensors: Vec<Tensor> = inputs.iter().map(|it| it.clone().into()).collect();
        let eager = gradient(&function(&sample), &tensors);
        for (at, (eager, traced)) in eager.iter().zip(traced(&sample, &inputs)).enumerate() {
            let bits = |it: &Tensor| it.to_vec::<f64>().iter().map(|it| it.to_bits()).collect();
            let [eager, traced]: [Option<Vec<u64>>; 2] =
                [eager.as_ref().map(bits), traced.as_ref().map(bits)];
            assert_eq!(eager, traced, "input {at} of {}", name(&sample));
            compared += usize::from(eager.is_some());
        }
    }
    assert!(compared > 100, "{compared}");
}
