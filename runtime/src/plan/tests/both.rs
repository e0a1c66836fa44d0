//! Runs a program both ways and says where they part. Knows how a plan is asked for, not how it is made.

use super::compare::{Alike, difference};
use super::program::Program;
use crate::error::Result;
use crate::graph::{Graph, NodeKind, Ref, Tensor, run_eagerly};
use crate::plan::Plan;
use crate::value::{Value, Variable};
use smallvec::SmallVec;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a run gives: its results or its complaint, and what variables hold after it.
struct Outcome {
    results: Result<Vec<Value>, String>,
    variables: Vec<Value>,
}

/// Where a compiled program does otherwise than the same op by op, in words. A panic is a difference, too.
pub fn disagreement(program: &Program, compile: impl Fn(&Graph) -> Result<Plan>) -> Option<String> {
    let compared = catch_unwind(AssertUnwindSafe(|| compared(program, compile)));
    compared.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Some(format!("a panic: {}", text.unwrap_or("without a text")))
    })
}

fn compared(program: &Program, compile: impl Fn(&Graph) -> Result<Plan>) -> Option<String> {
    let variables: Vec<Variable> =
        program.variables.iter().map(|it| Variable::from_value("v", it.clone())).collect();
    let mut state = program.variables.clone();
    let straight: Vec<Value> = program.inputs.iter().map(Value::to_row_major).collect();
    let plan = match compile(&program.graph) {
        Ok(plan) => plan,
        Err(error) => {
            let wanted = eagerly(program, &straight, &mut state).results.err();
            let is_same = wanted.as_deref() == Some(error.message());
            return (!is_same).then(|| format!("it does not compile: {error}"));
        }
    };
    let mut earlier = None;
    for (run, inputs) in [&straight, &program.inputs, &straight].into_iter().enumerate() {
        let wanted = eagerly(program, inputs, &mut state);
        let found = planned(&plan, inputs, &variables);
        if let Some(text) = between(program, &found, &wanted) {
            return Some(format!("run {run}, {text}"));
        }
        // What the first run gave is held during the second, and its memory is free for the third.
        if let Some((found, wanted)) = earlier.take() {
            if let Some(text) = between(program, &found, &wanted) {
                return Some(format!("run 0 after run {run}, {text}"));
            }
        } else {
            earlier = Some((found, wanted));
        }
    }
    None
}

/// Op by op. A run that fails leaves variables as they were.
fn eagerly(program: &Program, inputs: &[Value], state: &mut Vec<Value>) -> Outcome {
    let mut variables = state.clone();
    let results = op_by_op(program, inputs, &mut variables).map_err(|it| it.message().to_string());
    if results.is_ok() {
        *state = variables;
    }
    Outcome { results, variables: state.clone() }
}

fn op_by_op(program: &Program, inputs: &[Value], variables: &mut [Value]) -> Result<Vec<Value>> {
    let before = variables.to_vec();
    let mut made: Vec<Vec<Value>> = Vec::new();
    let value = |of: Ref, made: &[Vec<Value>]| match of {
        Ref::Input(id) => inputs[id.index()].clone(),
        Ref::Variable(id) => before[id.index()].clone(),
        Ref::Constant(id) => program.graph.constant(id).clone(),
        Ref::Node(id, output) => made[id.index()][usize::from(output)].clone(),
    };
    for node in &program.graph.nodes {
        let given: Vec<Value> = node.inputs.iter().map(|it| value(*it, &made)).collect();
        made.push(match &node.kind {
            NodeKind::Read(slot) => vec![variables[slot.index()].clone()],
            NodeKind::Assign(slot) => {
                variables[slot.index()].clone_from(&given[0]);
                vec![]
            }
            NodeKind::If(_)
            | NodeKind::While(_)
            | NodeKind::Group
            | NodeKind::Mark
            | NodeKind::Gradient(_) => {
                unreachable!("programs have no regions, ask for no gradients and are no sessions")
            }
            NodeKind::Op(op) => {
                let given: Vec<Tensor> = given.into_iter().map(Tensor::from).collect();
                let outputs = run_eagerly(op, &given.iter().collect::<Vec<_>>())?;
                outputs.iter().map(Tensor::value).collect()
            }
        });
    }
    Ok(program.graph.outputs.iter().map(|it| value(it.value, &made)).collect())
}

fn planned(plan: &Plan, inputs: &[Value], variables: &[Variable]) -> Outcome {
    let inputs: Vec<&Value> = inputs.iter().collect();
    let handles: Vec<&Variable> = variables.iter().collect();
    let mut outputs = SmallVec::new();
    let done = plan.run(&inputs, &handles, &mut outputs);
    Outcome {
        results: done.map(|()| outputs.into_vec()).map_err(|it| it.message().to_string()),
        variables: variables.iter().map(|it| it.load().expect("it has a value")).collect(),
    }
}

fn between(program: &Program, found: &Outcome, wanted: &Outcome) -> Option<String> {
    let variables = found.variables.iter().zip(&wanted.variables).enumerate();
    for (at, (found, wanted)) in variables {
        if let Some(text) = difference(found, wanted, Alike::ToTheBit) {
            return Some(format!("variable {at}: {text}"));
        }
    }
    let (found, wanted) = match (&found.results, &wanted.results) {
        (Ok(found), Ok(wanted)) => (found, wanted),
        (Err(found), Err(wanted)) if found == wanted => return None,
        (found, wanted) => {
            let [found, wanted] = [found, wanted].map(|it| it.as_ref().map(Vec::len));
            return Some(format!("found {found:?} results, wanted {wanted:?}"));
        }
    };
    let outputs = program.graph.outputs.iter().zip(found.iter().zip(wanted)).enumerate();
    outputs.into_iter().find_map(|(at, (output, (found, wanted)))| {
        let is_loose = program.is_contraction(output.value);
        let alike = if is_loose { Alike::Nearly } else { Alike::ToTheBit };
        Some(format!("result {at}: {}", difference(found, wanted, alike)?))
    })
}
