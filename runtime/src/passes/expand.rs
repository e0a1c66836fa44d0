//! Replaces composite ops by the smaller ops that they are functions of. Knows the kind of an op, not which it is.

use super::walk;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{
    Builder, Creation, Graph, Kind, Lowered, Node, NodeKind, OpRef, Recorder, Recording, Tensor,
    Tensors, attempt,
};
use crate::types::Spec;
use crate::value::Variable;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Expands composite ops until none is left.
pub fn expand(graph: &Graph) -> Result<Graph> {
    let mut graph = graph.clone();
    while graph.nodes.iter().any(is_composite) {
        let mut failed = None;
        graph = walk::copy(&graph, |copy, node| {
            if !is_composite(node) || failed.is_some() {
                return None;
            }
            expanded(copy, node).map_err(|error| failed = Some(error)).ok()
        });
        if let Some(error) = failed {
            return Err(error);
        }
    }
    Ok(graph)
}

fn is_composite(node: &Node) -> bool {
    node.kind.op().is_some_and(|op| op.kind() == Kind::Composite)
}

fn expanded(graph: &mut Graph, node: &Node) -> Result<walk::Values> {
    let op = node.kind.op().expect("a composite is an op");
    let specs: SmallVec<[Spec; 4]> = node.inputs.iter().map(|value| graph.spec(*value)).collect();
    let Lowered::Expand(expand) = op.lower(&specs, &node.outputs) else {
        panic!("bug in graphfn: `{}` says that it is composite and does not expand", op.name());
    };
    let recorder = Rc::new(Expansion {
        builder: RefCell::new(Builder::new(std::mem::take(graph))),
        node: node.clone(),
    });
    let inputs: Vec<Tensor> = {
        let builder = recorder.builder.borrow();
        node.inputs.iter().map(|value| builder.tensor_of(*value, &node.name, node.place)).collect()
    };
    let outputs = {
        let _recording = Recording::to(recorder.clone());
        attempt(|| expand(&inputs))
    };
    let mut builder = recorder.builder.borrow_mut();
    let values =
        outputs.and_then(|outputs| outputs.iter().map(|it| builder.value_of(it)).collect());
    *graph = std::mem::take(&mut builder.graph);
    values
}

/// Takes the ops of an expansion: they get the composite's name as their scope, and its line.
struct Expansion {
    builder: RefCell<Builder>,
    node: Node,
}

impl Recorder for Expansion {
    fn record(&self, op: &OpRef, inputs: &[&Tensor], label: &str, _: Place) -> Result<Tensors> {
        let specs: SmallVec<[Spec; 4]> = inputs.iter().map(|it| it.spec()).collect();
        let outputs = op.infer(&specs)?;
        let mut builder = self.builder.borrow_mut();
        let inputs = inputs.iter().map(|it| builder.value_of(it)).collect::<Result<_>>()?;
        let count = builder.graph.nodes.len();
        let name: Arc<str> = format!("{}/{label}.{count}", self.node.name).into();
        Ok(builder.add(Node {
            kind: NodeKind::Op(op.clone()),
            inputs,
            outputs,
            name,
            place: self.node.place,
        }))
    }

    fn read(&self, variable: &Variable, _: Place) -> Result<Tensor> {
        Err(pure(variable))
    }

    fn assign(&self, variable: &Variable, _: &Tensor, _: Place) -> Result<()> {
        Err(pure(variable))
    }

    fn decide(&self, _: &Tensor, _: Place) -> Result<bool> {
        Err(Error::new(ErrorKind::Trace, "the expansion of an op decides on a tensor").with_help(
            "choose by element with `select`: an expansion is a function of tensors alone",
        ))
    }

    fn rename(&self, tensor: &Tensor, _: &str) -> Result<Tensor> {
        Ok(tensor.clone())
    }

    fn created(&self, variable: Variable, _: Creation, _: Place) -> Result<Variable> {
        Err(pure(&variable))
    }
}

fn pure(variable: &Variable) -> Error {
    let message = format!("the expansion of an op uses the variable `{}`", variable.name());
    Error::new(ErrorKind::Trace, message).with_help("give the op the variable's value as an input")
}
