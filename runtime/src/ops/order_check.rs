//! First and second derivatives of every op against differences, through expansions too, by a small reverse mode.
//! Knows the rules of ops alone, and no pass that will use them.

use super::table::samples;
use crate::error::{Place, Result};
use crate::graph::{
    Backward, Builder, Creation, Gradient, Graph, Kind, Lowered, Node, NodeKind, OpRef, Output,
    Recorder, Recording, Ref, Sample, Tensor, Tensors, apply_all,
};
use crate::types::{DType, Spec};
use crate::value::{Value, Variable};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Takes ops into a graph; there are no variables and no decisions.
struct Taking(RefCell<Builder>);

impl Recorder for Taking {
    fn record(&self, op: &OpRef, inputs: &[&Tensor], label: &str, place: Place) -> Result<Tensors> {
        let specs: Vec<Spec> = inputs.iter().map(|it| it.spec()).collect();
        let outputs = op.infer(&specs)?;
        let mut builder = self.0.borrow_mut();
        let inputs = inputs.iter().map(|it| builder.value_of(it)).collect::<Result<_>>()?;
        let kind = NodeKind::Op(op.clone());
        Ok(builder.add(Node { kind, inputs, outputs, name: label.into(), place }))
    }

    fn read(&self, _: &Variable, _: Place) -> Result<Tensor> {
        unreachable!("ops read no variables")
    }

    fn assign(&self, _: &Variable, _: &Tensor, _: Place) -> Result<()> {
        unreachable!("ops assign no variables")
    }

    fn decide(&self, condition: &Tensor, _: Place) -> Result<bool> {
        panic!("a rule decides on {condition:?}")
    }

    fn rename(&self, tensor: &Tensor, _: &str) -> Result<Tensor> {
        Ok(tensor.clone())
    }

    fn created(&self, _: Variable, _: Creation, _: Place) -> Result<Variable> {
        unreachable!("ops make no variables")
    }
}

/// The graph of a function on inputs of these specs.
fn traced(specs: &[Spec], f: impl Fn(&[Tensor]) -> Vec<Tensor>) -> Graph {
    let mut builder = Builder::new(Graph::default());
    let place = Place::caller();
    let inputs: Vec<Tensor> = specs
        .iter()
        .map(|spec| {
            let value = builder.graph.add_input("x", *spec);
            builder.tensor_of(value, "x", place)
        })
        .collect();
    let taking = Rc::new(Taking(RefCell::new(builder)));
    let outputs = {
        let _recording = Recording::to(taking.clone());
        f(&inputs)
    };
    let mut builder = taking.0.borrow_mut();
    let outputs = outputs.iter().map(|it| {
        let value = builder.value_of(it).unwrap();
        Output { name: "".into(), value }
    });
    let outputs = outputs.collect();
    let mut graph = std::mem::take(&mut builder.graph);
    graph.outputs = outputs;
    graph
}

/// Every value of a graph, computed or recorded anew.
fn replayed(graph: &Graph, inputs: &[Tensor]) -> HashMap<Ref, Tensor> {
    let mut values: HashMap<Ref, Tensor> = HashMap::new();
    for (at, input) in inputs.iter().enumerate() {
        values.insert(Ref::Input(crate::graph::InputId::new(at)), input.clone());
    }
    for (at, constant) in graph.constants.iter().enumerate() {
        values.insert(Ref::Constant(crate::graph::ConstantId::new(at)), constant.clone().into());
    }
    for (id, node) in graph.iter() {
        let inputs: Vec<Tensor> = node.inputs.iter().map(|it| values[it].clone()).collect();
        let inputs: Vec<&Tensor> = inputs.iter().collect();
        let op = node.kind.op().expect("there are ops alone").clone();
        for (output, tensor) in apply_all(op, &inputs, &node.name).into_iter().enumerate() {
            values.insert(Ref::Node(id, output as u16), tensor);
        }
    }
    values
}

fn outputs(graph: &Graph, inputs: &[Tensor]) -> Vec<Tensor> {
    let values = replayed(graph, inputs);
    graph.outputs.iter().map(|it| values[&it.value].clone()).collect()
}

/// The gradients of the inputs, from those of the outputs.
fn backward(graph: &Graph, inputs: &[Tensor], seeds: &[Option<Tensor>]) -> Vec<Option<Tensor>> {
    let values = replayed(graph, inputs);
    let mut grads: HashMap<Ref, Tensor> = HashMap::new();
    let add = |grads: &mut HashMap<Ref, Tensor>, to: Ref, g: &Tensor| {
        assert_eq!(g.spec(), values[&to].spec(), "a gradient is as what it is of");
        let total = grads.get(&to).map_or_else(|| g.clone(), |before| before + g);
        grads.insert(to, total);
    };
    for (output, seed) in graph.outputs.iter().zip(seeds) {
        seed.iter().for_each(|seed| add(&mut grads, output.value, seed));
    }
    for (id, node) in graph.iter().rev() {
        let made: Vec<Ref> = (0..node.outputs.len()).map(|at| Ref::Node(id, at as u16)).collect();
        let reaching: Vec<Option<Tensor>> = made.iter().map(|it| grads.get(it).cloned()).collect();
        if reaching.iter().all(Option::is_none) {
            continue;
        }
        let given: Vec<Tensor> = node.inputs.iter().map(|it| values[it].clone()).collect();
        let outputs: Vec<Tensor> = made.iter().map(|it| values[it].clone()).collect();
        let op = node.kind.op().expect("there are ops alone");
        let call = Backward { inputs: &given, outputs: &outputs, grads: &reaching };
        let found = match op.grad(&call) {
            Gradient::None => continue,
            Gradient::Inputs(found) => found,
            Gradient::Expand => backward(&expansion(op, &given, &node.outputs), &given, &reaching),
        };
        for (to, g) in node.inputs.iter().zip(&found) {
            g.iter().for_each(|g| add(&mut grads, *to, g));
        }
    }
    let inputs = (0..inputs.len()).map(crate::graph::InputId::new);
    inputs.map(|id| grads.get(&Ref::Input(id)).cloned()).collect()
}

fn expansion(op: &OpRef, given: &[Tensor], outputs: &[Spec]) -> Graph {
    let specs: Vec<Spec> = given.iter().map(Tensor::spec).collect();
    traced(&specs, |inputs| match op.lower(&specs, outputs) {
        Lowered::Expand(expand) => expand(inputs),
        Lowered::Kernel(_) => panic!("{op:?} says that it expands"),
    })
}

/// The gradient of the sum of what a function gives, and the gradient of the weighted sum of that gradient.
pub(super) fn gradients_of(f: impl Fn(&Tensor) -> Tensor, x: &Tensor) -> [Vec<f64>; 2] {
    let ones = |graph: &Graph| {
        let spec = graph.spec(graph.outputs[0].value);
        let len = spec.len().expect("the sizes are known");
        vec![Some(Tensor::from(Value::from_vec(spec.shape(), vec![1.0f64; len])))]
    };
    let once = traced(&[x.spec()], |inputs| vec![f(&inputs[0])]);
    let seeds = ones(&once);
    let twice = traced(&[x.spec()], |inputs| {
        backward(&once, inputs, &seeds).into_iter().flatten().collect()
    });
    let x = [x.clone()];
    let elements = |grads: Vec<Option<Tensor>>| grads[0].as_ref().map_or(vec![], Tensor::to_vec);
    [elements(backward(&once, &x, &seeds)), elements(backward(&twice, &x, &[weights(x[0].spec())]))]
}

/// Checks the gradient of a weighted sum of a graph's outputs by differences. Gives how many derivatives were compared.
fn check(graph: &Graph, inputs: &[Value], about: &str) -> usize {
    let tensors =
        |values: &[Value]| values.iter().map(|it| it.clone().into()).collect::<Vec<Tensor>>();
    let seeds: Vec<Option<Tensor>> =
        graph.outputs.iter().map(|it| weights(graph.spec(it.value))).collect();
    let found = backward(graph, &tensors(inputs), &seeds);
    let sum = |inputs: &[Value]| -> f64 {
        let outputs = outputs(graph, &tensors(inputs));
        let weighted = outputs.iter().zip(&seeds).filter_map(|(y, w)| Some(dot(y, w.as_ref()?)));
        weighted.sum()
    };
    let mut compared = 0;
    for (at, input) in inputs.iter().enumerate() {
        let Some(elements) = input.to_vec::<f64>() else { continue };
        let found = found[at].as_ref().map_or(vec![0.0; elements.len()], Tensor::to_vec);
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

#[test]
fn first_and_second_derivatives_agree_with_differences() {
    let mut compared = [0, 0];
    for sample in samples() {
        let is_smooth = !matches!(sample.op.kind(), Kind::Random | Kind::Host)
            && sample.op.name() != "StopGradient"
            && sample.inputs.iter().any(|it| it.dtype() == DType::F64);
        if !is_smooth {
            continue;
        }
        let inputs: Vec<Value> =
            sample.inputs.iter().enumerate().map(|(at, it)| moved(at, it)).collect();
        let specs: Vec<Spec> = inputs.iter().map(Value::spec).collect();
        let once = traced(&specs, |inputs| {
            let inputs: Vec<&Tensor> = inputs.iter().collect();
            apply_all(sample.op.clone(), &inputs, sample.op.name()).into_vec()
        });
        compared[0] += check(&once, &inputs, &name(&sample));
        let seeds: Vec<Option<Tensor>> =
            once.outputs.iter().map(|it| weights(once.spec(it.value))).collect();
        let twice = traced(&specs, |inputs| {
            backward(&once, inputs, &seeds).into_iter().flatten().collect()
        });
        compared[1] += check(&twice, &inputs, &format!("the gradient of {}", name(&sample)));
    }
    assert!(compared.iter().all(|it| *it > 1000), "{compared:?}");
}
