//! What a tape hears of a program that runs eagerly: a graph beside the tensors that were computed. Knows no tape's user.

use super::explain::explain;
use super::reverse::{Program, Sweep, once, reverse};
use crate::error::{Place, Result};
use crate::graph::{
    Backward, Graph, Listener, Listening, Node, NodeKind, OpRef, Origin, Ref, Slot, SlotId, Source,
    Tensor, TensorId, attempt,
};
use crate::ops::filled_like;
use crate::types::Spec;
use crate::value::Variable;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The part of a running program that depends on what is watched.
pub(super) struct Heard {
    state: RefCell<State>,
    /// Whether every trainable variable is watched.
    variables: bool,
}

#[derive(Default)]
struct State {
    graph: Graph,
    /// The tensors of inputs, constants and nodes.
    inputs: Vec<Tensor>,
    constants: Vec<Tensor>,
    outputs: Vec<SmallVec<[Tensor; 1]>>,
    /// Where each tensor stands that depends on what is watched.
    refs: HashMap<TensorId, Ref>,
    slots: HashMap<u64, SlotId>,
    /// The variable of each slot.
    variables: Vec<Variable>,
}

impl Heard {
    /// Nothing yet.
    pub fn new(variables: bool) -> Rc<Heard> {
        Rc::new(Heard { state: RefCell::default(), variables })
    }

    /// Watches a source from now on.
    pub fn watch(&self, source: &Source) {
        let state = &mut *self.state.borrow_mut();
        match source {
            Source::Tensor(tensor) => {
                // What depends on something watched is known already.
                if let (Some(id), None) = (tensor.id(), state.value(tensor)) {
                    let value = state.graph.add_input("watched", tensor.spec());
                    state.inputs.push(tensor.clone());
                    state.refs.insert(id, value);
                }
            }
            Source::Variable(variable) => {
                if let Some(spec) = variable.spec() {
                    state.slot(variable, spec);
                }
            }
        }
    }

    /// The trainable variables of floats that it has heard of, in the order of their first reads.
    pub fn trained(&self) -> Vec<Variable> {
        let state = self.state.borrow();
        let slots = state.graph.slots.iter().zip(&state.variables);
        let trained = slots.filter(|(slot, _)| slot.trainable && slot.spec.dtype().is_float());
        trained.map(|(_, variable)| variable.clone()).collect()
    }

    /// The gradient of each source; `None` where it was not watched, or no path of rules leads to it.
    ///
    /// # Errors
    /// What a rule raises.
    pub fn gradient(
        &self,
        targets: &[Tensor],
        seeds: &[Option<Tensor>],
        sources: &[Source],
    ) -> Result<Vec<Option<Tensor>>> {
        // What runs below is heard too: the state is not held meanwhile.
        let (values, origins) = {
            let state = self.state.borrow();
            let values: Vec<Option<Ref>> = targets.iter().map(|it| state.value(it)).collect();
            let origins: Vec<Option<Origin>> = sources.iter().map(|it| state.origin(it)).collect();
            (values, origins)
        };
        let mut found = Vec::new();
        for ((target, seed), value) in targets.iter().zip(seeds).zip(values) {
            let Some(value) = value else { continue };
            let seed = match seed {
                Some(seed) => seed.clone(),
                None => attempt(|| filled_like(target, 1.0, "ones"))?,
            };
            found.push((value, seed));
        }
        let known = origins.iter().flatten().map(|origin| (*origin, 0)).collect();
        let swept = reverse(self, &Sweep { targets: found, sources: known, from: 0 })?;
        let mut swept = swept.into_iter();
        Ok(origins.iter().map(|origin| origin.and_then(|_| swept.next().flatten())).collect())
    }
}

impl Heard {
    /// How far a gradient comes, in words.
    pub fn explain(&self, target: &Tensor, source: &Source) -> String {
        let state = self.state.borrow();
        let name = match source {
            Source::Tensor(_) => "the tensor",
            Source::Variable(variable) => variable.name(),
        };
        let unknown = |why: &str| format!("no gradient with respect to `{name}`: {why}");
        match (state.value(target), state.origin(source)) {
            (_, None) => unknown("the tape does not watch it"),
            (None, _) => unknown("the target does not depend on anything that the tape watches"),
            (Some(target), Some(origin)) => explain(&state.graph, target, (origin, 0), name),
        }
    }
}

impl State {
    fn value(&self, tensor: &Tensor) -> Option<Ref> {
        self.refs.get(&tensor.id()?).copied()
    }

    fn origin(&self, source: &Source) -> Option<Origin> {
        match source {
            Source::Tensor(tensor) => self.value(tensor).map(Origin::Value),
            Source::Variable(variable) => {
                self.slots.get(&variable.id()).map(|slot| Origin::Slot(*slot))
            }
        }
    }

    fn slot(&mut self, variable: &Variable, spec: Spec) -> SlotId {
        let (graph, variables) = (&mut self.graph, &mut self.variables);
        *self.slots.entry(variable.id()).or_insert_with(|| {
            let trainable = variable.is_trainable();
            variables.push(variable.clone());
            graph.add_slot(Slot { name: variable.name().into(), spec, trainable })
        })
    }

    /// The value of an input of an op: one that depends on what is watched, or a constant.
    fn input(&mut self, tensor: &Tensor) -> Ref {
        self.value(tensor).unwrap_or_else(|| {
            let value = tensor.as_value().expect("what runs eagerly is in memory");
            self.constants.push(tensor.clone());
            self.graph.add_constant(value)
        })
    }

    fn add(&mut self, node: Node, outputs: &[Tensor]) {
        let id = self.graph.add_node(node);
        for (at, output) in outputs.iter().enumerate() {
            let known = output.id().map(|it| self.refs.insert(it, Ref::Node(id, at as u16)));
            debug_assert!(known.is_some(), "what runs eagerly is in memory");
        }
        self.outputs.push(outputs.into());
    }
}

impl Listener for Heard {
    fn ran(&self, op: &OpRef, inputs: &[&Tensor], outputs: &[Tensor], label: &str, place: Place) {
        let state = &mut *self.state.borrow_mut();
        if inputs.iter().all(|it| state.value(it).is_none()) {
            return;
        }
        let inputs = inputs.iter().map(|it| state.input(it)).collect();
        let specs = outputs.iter().map(Tensor::spec).collect();
        let kind = NodeKind::Op(op.clone());
        state.add(Node { kind, inputs, outputs: specs, name: label.into(), place }, outputs);
    }

    fn read(&self, variable: &Variable, value: &Tensor, place: Place) {
        let state = &mut *self.state.borrow_mut();
        let is_watched = state.slots.contains_key(&variable.id())
            || self.variables && variable.is_trainable() && value.dtype().is_float();
        if !is_watched {
            return;
        }
        let kind = NodeKind::Read(state.slot(variable, value.spec()));
        let outputs = SmallVec::from_iter([value.spec()]);
        let name = "ReadVariableOp".into();
        let node = Node { kind, inputs: SmallVec::new(), outputs, name, place };
        state.add(node, std::slice::from_ref(value));
    }
}

impl Program for Heard {
    fn look<R>(&self, f: impl FnOnce(&Graph) -> R) -> R {
        f(&self.state.borrow().graph)
    }

    fn tensor(&self, value: Ref) -> Tensor {
        let state = self.state.borrow();
        match value {
            Ref::Input(id) => state.inputs[id.index()].clone(),
            Ref::Constant(id) => state.constants[id.index()].clone(),
            Ref::Node(id, output) => state.outputs[id.index()][output as usize].clone(),
            Ref::Variable(_) => unreachable!("a tape hears reads, and no variables themselves"),
        }
    }

    fn follow(&self, _: &Node) {}

    fn through(&self, node: &Node, call: &Backward<'_>) -> Result<Vec<Option<Tensor>>> {
        let op = node.kind.op().expect("a composite is an op");
        let specs: SmallVec<[Spec; 4]> = call.inputs.iter().map(Tensor::spec).collect();
        let expansion = op.expansion(&specs, &node.outputs)?;
        let inner = Heard::new(false);
        let inputs: Vec<Source> = call.inputs.iter().cloned().map(Source::Tensor).collect();
        inputs.iter().for_each(|input| inner.watch(input));
        let outputs = {
            let _listening = Listening::of(inner.clone());
            expansion.call(call.inputs)?
        };
        let found = inner.seeded(&outputs, call.grads, &inputs)?;
        Ok(once(found, |at| call.inputs[at].id()))
    }
}

impl Heard {
    /// The gradients of sources, from those that come to targets: nothing comes where none is given.
    fn seeded(
        &self,
        targets: &[Tensor],
        seeds: &[Option<Tensor>],
        sources: &[Source],
    ) -> Result<Vec<Option<Tensor>>> {
        let reached = targets.iter().zip(seeds).filter(|(_, seed)| seed.is_some());
        let (targets, seeds): (Vec<_>, Vec<_>) =
            reached.map(|(target, seed)| (target.clone(), seed.clone())).unzip();
        self.gradient(&targets, &seeds, sources)
    }
}
