//! Every op has a gradient, or is in a list that says why it has none.

use graphfn::{Backward, Gradient, Sample, apply_all, attempt, op_table, prelude::*};
use std::collections::BTreeMap;

/// Ops from floats to floats that have no gradient, and why.
const WITHOUT: &[(&str, &str)] = &[
    ("Ceil", STEPS),
    ("Floor", STEPS),
    ("FloorDiv", STEPS),
    ("OnesLike", SHAPE_ALONE),
    ("Round", STEPS),
    ("Size", SHAPE_ALONE),
    ("StopGradient", "it is there to have none"),
    ("Trunc", STEPS),
    ("TruncateDiv", STEPS),
    ("ZerosLike", SHAPE_ALONE),
];
const STEPS: &str = "it goes up in steps: its slope is 0 but where it has none";
const SHAPE_ALONE: &str = "it looks at the shape of its input, and not at the elements";

#[derive(Debug, PartialEq)]
enum Answer {
    /// It takes or gives no floats.
    NotOfFloats,
    None,
    Some,
}

fn answer(sample: &Sample) -> Answer {
    let inputs: Vec<Tensor> = sample.inputs.iter().cloned().map(Tensor::from).collect();
    let given: Vec<&Tensor> = inputs.iter().collect();
    let outputs = apply_all(sample.op.clone(), &given, sample.op.name());
    let is_float = |it: &Tensor| it.dtype().is_float();
    if !inputs.iter().any(is_float) || !outputs.iter().any(is_float) {
        return Answer::NotOfFloats;
    }
    let one = |it: &Tensor| is_float(it).then(|| it * 0.0 + 1.0);
    let grads: Vec<Option<Tensor>> = outputs.iter().map(one).collect();
    let call = Backward { inputs: &inputs, outputs: &outputs, grads: &grads };
    let found = attempt(|| sample.op.grad(&call));
    match found.unwrap_or_else(|error| panic!("{sample:?}: {error}")) {
        Gradient::Expand => Answer::Some,
        Gradient::Inputs(found) if found.iter().any(Option::is_some) => Answer::Some,
        Gradient::Inputs(_) | Gradient::None => Answer::None,
    }
}

#[test]
fn d1_every_op_has_a_gradient_or_a_reason() {
    let mut without: BTreeMap<&str, usize> = BTreeMap::new();
    let mut with = 0;
    for op in op_table() {
        let answers: Vec<Answer> = op.samples.iter().map(answer).collect();
        match answers.contains(&Answer::None) {
            true => drop(without.insert(op.name, answers.len())),
            false => with += usize::from(answers.contains(&Answer::Some)),
        }
    }
    let found: Vec<&str> = without.keys().copied().collect();
    let listed: Vec<&str> = WITHOUT.iter().map(|(name, _)| *name).collect();
    assert!(WITHOUT.iter().all(|(_, reason)| reason.len() > 10), "each has a reason");
    assert_eq!(found, listed);
    assert!(with > 100, "only {with} ops have gradients");
}

/// What is said of a gradient that stops at an op names it, and the line.
#[test]
fn d1_where_a_gradient_stops_the_op_and_its_line_are_told() {
    for (op, f) in STOPPING {
        let line = f.1;
        let told = graph_fn(|x: &Tensor| graphfn::explain_gradient(&f.0(x).sum(), x));
        let text = told.call(&Tensor::from([1.5f64, 2.5]));
        let place = format!("stops at `{op}` ({}:{line}:", file!());
        assert!(text.contains(&place), "{text}");
        let tape = GradientTape::new().persistent();
        let x = Tensor::from([1.5f64, 2.5]);
        tape.watch(&x);
        let y = f.0(&x).sum();
        assert!(tape.gradient(&y, &x).is_none(), "{op}");
        let text = tape.explain(&y, &x);
        assert!(text.contains(&place), "{text}");
    }
}

type Stopping = (&'static str, (fn(&Tensor) -> Tensor, u32));

const STOPPING: &[Stopping] = &[
    ("Ceil", (|x| x.ceil(), line!())),
    ("Floor", (|x| x.floor(), line!())),
    ("FloorDiv", (|x| x.floor_div(2.0), line!())),
    ("Round", (|x| x.round(), line!())),
    ("StopGradient", (|x| x.stop_gradient(), line!())),
    ("Trunc", (|x| x.trunc(), line!())),
];
