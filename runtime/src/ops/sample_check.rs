//! Tests of all ops on their samples: every way to run an op gives the same, and its text makes it again.
//! Knows no particular op.

use super::table::{make, samples};
use crate::graph::{Graph, Kind, Node, NodeKind, Output, Parsed, Ref, Sample, Tensor, run_eagerly};
use crate::kernels::View;
use crate::passes;
use crate::plan::{Plan, specialise};
use crate::types::{Dim, Shape, Spec, Symbol};
use crate::value::Value;
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeMap;

/// The samples of ops that give the same whenever they are run.
fn repeatable() -> impl Iterator<Item = Sample> {
    samples().into_iter().filter(|sample| !matches!(sample.op.kind(), Kind::Random | Kind::Host))
}

/// Elements in row-major order by their bits, each with what they are; or the complaint.
type Outcome = Result<Vec<(Spec, Vec<u8>)>, String>;

fn outcome(result: crate::Result<Vec<Value>>) -> Outcome {
    let bytes = |value: &Value| {
        let value = value.to_row_major();
        let len = value.len() * value.dtype().size();
        // SAFETY: a row-major value has the bytes of its elements from `as_ptr` on.
        unsafe { std::slice::from_raw_parts(value.as_ptr(), len) }.to_vec()
    };
    match result {
        Ok(values) => Ok(values.iter().map(|value| (value.spec(), bytes(value))).collect()),
        Err(error) => Err(error.message().to_string()),
    }
}

fn eagerly(sample: &Sample, inputs: &[Value]) -> Outcome {
    let inputs: Vec<Tensor> = inputs.iter().map(|value| value.clone().into()).collect();
    let inputs: Vec<&Tensor> = inputs.iter().collect();
    let outputs = run_eagerly(&sample.op, &inputs);
    outcome(outputs.map(|outputs| outputs.iter().map(Tensor::value).collect()))
}

/// The same by a plan of a graph.
fn planned(graph: &Graph, inputs: &[Value]) -> Outcome {
    let inputs: Vec<&Value> = inputs.iter().collect();
    let mut outputs: SmallVec<[Value; 2]> = smallvec![];
    let result = Plan::new(graph).and_then(|plan| plan.run(&inputs, &[], &mut outputs));
    outcome(result.map(|()| outputs.into_vec()))
}

/// The graph of one op on inputs of these specs.
fn alone(sample: &Sample, specs: &[Spec], outputs: &[Spec]) -> Graph {
    let mut graph = Graph::default();
    let inputs = specs.iter().map(|spec| graph.add_input("x", *spec)).collect();
    let place = crate::error::Place::caller();
    let id = graph.add_node(Node {
        kind: NodeKind::Op(sample.op.clone()),
        inputs,
        outputs: outputs.into(),
        name: "node".into(),
        place,
    });
    graph.outputs = (0..outputs.len())
        .map(|at| Output { name: at.to_string().into(), value: Ref::Node(id, at as u16) })
        .collect();
    graph
}

fn specs(values: &[Value]) -> Vec<Spec> {
    values.iter().map(Value::spec).collect()
}

#[test]
fn an_op_is_made_again_from_its_attributes() {
    for sample in samples() {
        let attrs = sample.op.attrs();
        let parsed =
            Parsed(attrs.iter().map(|(name, value)| (name.to_string(), value.clone())).collect());
        let again =
            make(sample.op.name(), &parsed).unwrap_or_else(|error| panic!("{sample:?}: {error}"));
        assert!(again.is_same(&sample.op), "{sample:?} became {again:?}");
    }
}

#[test]
fn an_op_makes_what_it_infers() {
    for sample in repeatable() {
        let inferred = sample.op.infer(&specs(&sample.inputs)).unwrap();
        let Ok(made) = eagerly(&sample, &sample.inputs) else { continue };
        let made: Vec<Spec> = made.iter().map(|(spec, _)| *spec).collect();
        assert_eq!(made, inferred.to_vec(), "{sample:?}");
    }
}

#[test]
fn a_plan_makes_what_an_eager_run_makes() {
    for sample in repeatable() {
        let known = specs(&sample.inputs);
        let graph = alone(&sample, &known, &sample.op.infer(&known).unwrap());
        let found = planned(&passes::run(&graph).unwrap(), &sample.inputs);
        assert_eq!(found, eagerly(&sample, &sample.inputs), "{sample:?}");
    }
}

#[test]
fn inputs_in_another_order_make_the_same() {
    for sample in repeatable() {
        let turned: Vec<Value> = sample.inputs.iter().map(turned).collect();
        assert_eq!(eagerly(&sample, &turned), eagerly(&sample, &sample.inputs), "{sample:?}");
    }
}

/// The same elements, stored in the opposite order of axes.
fn turned(value: &Value) -> Value {
    let rank = value.spec().rank();
    let turn = |value: &Value| {
        let sizes: Vec<usize> = value.sizes().iter().rev().copied().collect();
        let axes = (0..rank).rev().map(|axis| Some((axis, 1))).collect();
        let view = View::Strided { starts: smallvec![0; rank], axes };
        value.viewed(&view, value.spec().with_shape(&sizes[..])).unwrap()
    };
    turn(&turn(value).to_row_major())
}

/// What an op accepts of unknown sizes is, at the sizes of a call, what it is there; or a complaint about too few elements.
#[test]
fn sizes_that_are_unknown_make_the_same() {
    let (mut same, mut too_few) = (0, 0);
    for sample in repeatable() {
        let known = specs(&sample.inputs);
        let mut symbols = BTreeMap::new();
        let unknown: Vec<Spec> =
            known.iter().map(|spec| without_sizes(*spec, &mut symbols)).collect();
        let Ok(outputs) = sample.op.infer(&unknown) else { continue };
        let sizes = symbols.into_iter().map(|(size, symbol)| (symbol, size)).collect();
        for (output, expected) in outputs.iter().zip(sample.op.infer(&known).unwrap()) {
            let found = output.shape().evaluate(&sizes);
            assert_eq!(found.as_ref(), Some(expected.shape()), "{sample:?}");
        }
        let graph = passes::run(&alone(&sample, &unknown, &outputs)).unwrap();
        let found = match specialise(&graph, &known) {
            Ok(graph) => planned(&graph, &sample.inputs),
            Err(error) => Err(error.message().to_string()),
        };
        let expected = eagerly(&sample, &sample.inputs);
        match &found {
            Err(message) if found != expected => {
                let is_known = ["has a negative size", "took for granted"]
                    .iter()
                    .any(|it| message.contains(it));
                assert!(is_known, "{sample:?}: {message}");
                too_few += 1;
            }
            _ => same += 1,
        }
        assert!(found.is_err() || found == expected, "{sample:?}");
    }
    assert!(too_few < same / 50, "{too_few} of {same}");
}

/// The spec with a symbol for each size but 1, the same for the same size.
fn without_sizes(spec: Spec, symbols: &mut BTreeMap<usize, Symbol>) -> Spec {
    let dims = spec.sizes().iter().map(|size| match size {
        1 => Dim::Known(1),
        size => {
            Dim::symbol(*symbols.entry(*size).or_insert_with(|| Symbol::new(&format!("s{size}"))))
        }
    });
    spec.with_shape(Shape::new(dims))
}
