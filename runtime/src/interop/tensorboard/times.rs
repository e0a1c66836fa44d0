//! How long each node of a graph takes: run one by one, unfused, on given inputs. Changes no variable, and knows no op.

use super::messages::{
    AllocationDescription, DeviceStepStats, NodeExecStats, NodeOutput, RunMetadata, StepStats,
    TensorDescription,
};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    ConstantId, Graph, InputId, Node, NodeKind, Recording, Ref, Tensor, run_eagerly,
};
use crate::interop::graphdef::{expanded, node_names, type_number};
use crate::trace::ConcreteFunction;
use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The times of a run.
///
/// # Errors
/// If the inputs are not those of the function, and what a node says of its data.
pub fn times(concrete: &ConcreteFunction, inputs: &[&Tensor]) -> Result<RunMetadata> {
    let graph = expanded(concrete.graph())?;
    check(concrete, inputs)?;
    let mut held = Vec::new();
    for variable in concrete.variables() {
        held.push(Tensor::from(variable.variable().load()?));
    }
    let node_stats = run(&graph, inputs, held)?;
    let device = "/device:CPU:0".to_string();
    let dev_stats = vec![DeviceStepStats { device, node_stats }];
    Ok(RunMetadata { step_stats: Some(StepStats { dev_stats }) })
}

fn check(concrete: &ConcreteFunction, inputs: &[&Tensor]) -> Result<()> {
    let wanted = concrete.inputs();
    let fits = wanted.len() == inputs.len()
        && wanted.iter().zip(inputs).all(|(wanted, found)| {
            let known = wanted.spec.known().is_none() || wanted.spec == found.spec();
            known && wanted.spec.dtype() == found.dtype() && wanted.spec.rank() == found.rank()
        });
    if fits {
        return Ok(());
    }
    let found: Vec<String> = inputs.iter().map(|it| it.spec().to_string()).collect();
    let message =
        format!("`{}` was traced as {}, found {found:?}", concrete.name(), concrete.signature());
    Err(Error::new(ErrorKind::Signature, message)
        .with_help("give the tensors of a call, in the order of `concrete.inputs()`"))
}

fn run(graph: &Graph, inputs: &[&Tensor], mut held: Vec<Tensor>) -> Result<Vec<NodeExecStats>> {
    let _eagerly = Recording::eagerly();
    let inputs: Vec<Tensor> = inputs.iter().copied().cloned().collect();
    let mut stats = Vec::new();
    play(graph, &inputs, &mut held, &mut |name, made, since, took| {
        stats.push(told(name, made, since, took));
    })?;
    Ok(stats)
}

/// What is told of each node that ran: what it made, when it began, and how long it took.
type Heard<'h> = &'h mut dyn FnMut(&str, &[Tensor], Duration, Duration);

/// Does what a graph says, node by node.
fn play(
    graph: &Graph,
    inputs: &[Tensor],
    held: &mut Vec<Tensor>,
    heard: Heard<'_>,
) -> Result<Vec<Tensor>> {
    let mut values: HashMap<Ref, Tensor> = HashMap::new();
    for (at, input) in inputs.iter().enumerate() {
        values.insert(Ref::Input(InputId::new(at)), input.clone());
    }
    for (at, constant) in graph.constants.iter().enumerate() {
        values.insert(Ref::Constant(ConstantId::new(at)), constant.clone().into());
    }
    let names = node_names(graph);
    for (id, node) in graph.iter() {
        let given: Vec<Tensor> = node.inputs.iter().map(|value| values[value].clone()).collect();
        let (since, start) = (SystemTime::now().duration_since(UNIX_EPOCH), Instant::now());
        let made = make(node, given, held)?;
        heard(&names[id.index()], &made, since.unwrap_or_default(), start.elapsed());
        for (output, value) in made.into_iter().enumerate() {
            values.insert(Ref::Node(id, output as u16), value);
        }
    }
    Ok(graph.outputs.iter().map(|output| values[&output.value].clone()).collect())
}

/// What a node makes of its inputs; the times in its regions are its own.
fn make(node: &Node, mut given: Vec<Tensor>, held: &mut Vec<Tensor>) -> Result<Vec<Tensor>> {
    let silent: Heard<'_> = &mut |_, _, _, _| {};
    Ok(match &node.kind {
        NodeKind::Op(op) => run_eagerly(op, &given.iter().collect::<Vec<_>>())
            .map_err(|error| error.at(node.place).at_node(&node.name))?
            .into_vec(),
        NodeKind::Read(slot) => vec![held[slot.index()].clone()],
        NodeKind::Assign(slot) => {
            held[slot.index()] = given.remove(0);
            Vec::new()
        }
        NodeKind::If(arms) => {
            let arm = usize::from(!given.remove(0).value().item::<bool>()?);
            play(&arms[arm], &given, held, silent)?
        }
        NodeKind::While(it) => {
            while play(&it.condition, &given, held, silent)?[0].value().item::<bool>()? {
                let next = play(&it.body, &given, held, silent)?;
                given.splice(..next.len(), next);
            }
            given.truncate(node.outputs.len());
            given
        }
        NodeKind::Group => given,
        NodeKind::Mark | NodeKind::Gradient(_) => Vec::new(),
    })
}

fn told(name: &str, made: &[Tensor], since: Duration, took: Duration) -> NodeExecStats {
    let output = |(slot, tensor): (usize, &Tensor)| NodeOutput {
        slot: slot as i32,
        tensor_description: Some(TensorDescription {
            dtype: type_number(tensor.dtype()),
            shape: Some(tensor.spec().into()),
            allocation_description: Some(AllocationDescription {
                requested_bytes: tensor.spec().bytes().unwrap_or(0).cast_signed() as i64,
            }),
        }),
    };
    // TensorBoard shows whole microseconds, and nothing that took none.
    let micros = took.as_nanos().div_ceil(1000) as i64;
    NodeExecStats {
        node_name: name.to_string(),
        all_start_micros: since.as_micros() as i64,
        op_start_rel_micros: 0,
        op_end_rel_micros: micros,
        all_end_rel_micros: micros,
        output: made.iter().enumerate().map(output).collect(),
        all_start_nanos: since.as_nanos() as i64,
        op_end_rel_nanos: took.as_nanos() as i64,
        all_end_rel_nanos: took.as_nanos() as i64,
    }
}
