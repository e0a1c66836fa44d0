//! Regions as closures say them: their ops go into a graph of its own, and what they take from around becomes its inputs.
//! Knows no op, and not what the regions are for.

use super::scope::{current_scope, unique_name};
use super::{
    Builder, Companion, Creation, Declared, Graph, Node, NodeKind, OpRef, Output, Question,
    Recorder, Recording, Ref, Slot, SlotId, Source, Specs, Tensor, Tensors, attempt,
};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::types::{DType, Spec};
use crate::value::Variable;
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// A node with regions, on its way to the recorder around it.
#[derive(Debug)]
pub struct Control {
    /// The node's kind; variables have in its regions the numbers that they have in `variables`.
    pub kind: NodeKind,
    /// Its inputs, in terms of what is around.
    pub inputs: Vec<Tensor>,
    /// What its outputs are.
    pub outputs: Specs,
    /// The variables that its regions use.
    pub variables: Vec<Variable>,
    /// Its full name.
    pub name: String,
}

/// What the regions of a node take from around, so far.
#[derive(Debug, Default)]
pub struct Captured {
    /// Tensors: inputs of the regions, after those that are given.
    pub tensors: Vec<Tensor>,
    /// Variables: slots of the regions.
    pub variables: Vec<Variable>,
}

/// Runs a closure into a region. `given` are the inputs that it is called with; what it takes from around beside them is
/// added to `captured`.
///
/// # Errors
/// What the closure raises.
pub fn region(
    parent: &Rc<dyn Recorder>,
    given: &[Tensor],
    captured: &mut Captured,
    body: impl FnOnce(&[Tensor]) -> Result<Vec<Tensor>>,
    place: Place,
) -> Result<Graph> {
    let builder = Builder::new(Graph { name: current_scope().into(), ..Graph::default() });
    let region = Rc::new(Within {
        parent: parent.clone(),
        state: RefCell::new(State { builder, given: given.len(), captured: Captured::default() }),
    });
    let inputs: Vec<Tensor> = given
        .iter()
        .enumerate()
        .map(|(at, it)| region.input(&format!("{at}"), it, place))
        .collect();
    for tensor in &captured.tensors {
        region.capture(tensor);
    }
    region.state.borrow_mut().captured.variables.clone_from(&captured.variables);
    let outputs = {
        let _recording = Recording::to(region.clone());
        attempt(|| body(&inputs))??
    };
    let outputs =
        outputs.iter().map(|it| Ok(Output { name: "".into(), value: region.value_of(it)? }));
    let outputs = outputs.collect::<Result<Vec<_>>>()?;
    let state = &mut *region.state.borrow_mut();
    *captured = std::mem::take(&mut state.captured);
    let slots = captured.variables.iter().map(slot_of).collect();
    Ok(Graph { outputs, slots, ..std::mem::take(&mut state.builder.graph) })
}

/// A region with the inputs for all that its node captures, and all its slots: another region may have added some.
#[must_use]
pub fn completed(mut region: Graph, given: usize, captured: &Captured) -> Graph {
    for tensor in captured.tensors.iter().skip(region.inputs.len() - given) {
        region.add_input(captured_name(tensor), tensor.spec());
    }
    region.slots = captured.variables.iter().map(slot_of).collect();
    region
}

/// A kind whose regions number variables as a table of slots does, in which the variable of each old number has a place.
///
/// # Panics
/// Never: the change cannot fail.
#[must_use]
pub fn renumbered(kind: &NodeKind, places: &[SlotId], slots: &[Slot]) -> NodeKind {
    let change = |region: &Graph| -> Result<Graph, std::convert::Infallible> {
        let mut region = region.clone();
        for node in &mut region.nodes {
            node.kind = match &node.kind {
                NodeKind::Read(slot) => NodeKind::Read(places[slot.index()]),
                NodeKind::Assign(slot) => NodeKind::Assign(places[slot.index()]),
                other => renumbered(other, places, slots),
            };
        }
        region.slots = slots.to_vec();
        Ok(region)
    };
    match kind.with_regions(change) {
        Ok(kind) => kind,
        Err(never) => match never {},
    }
}

/// The slots that a region reads and assigns, and the regions in it.
pub fn used_slots(region: &Graph) -> BTreeSet<SlotId> {
    let assigned = assigned_slots(region);
    let read = slots_in(region, |kind| match kind {
        NodeKind::Read(slot) => Some(*slot),
        _ => None,
    });
    assigned.union(&read).copied().collect()
}

/// The slots that a region assigns, and the regions in it.
pub fn assigned_slots(region: &Graph) -> BTreeSet<SlotId> {
    slots_in(region, |kind| match kind {
        NodeKind::Assign(slot) => Some(*slot),
        _ => None,
    })
}

fn slots_in(region: &Graph, of: fn(&NodeKind) -> Option<SlotId>) -> BTreeSet<SlotId> {
    let mut slots = BTreeSet::new();
    for node in &region.nodes {
        slots.extend(of(&node.kind));
        slots.extend(node.kind.regions().iter().flat_map(|(_, region)| slots_in(region, of)));
    }
    slots
}

fn slot_of(variable: &Variable) -> Slot {
    let spec = variable.spec().expect("a region reads and writes built variables only");
    Slot { name: variable.name().into(), spec, trainable: variable.is_trainable() }
}

fn captured_name(tensor: &Tensor) -> String {
    let symbolic = tensor.as_symbolic().expect("what is in memory is a constant");
    symbolic.origin.name.to_string()
}

/// Takes the ops of a region.
struct Within {
    parent: Rc<dyn Recorder>,
    state: RefCell<State>,
}

struct State {
    builder: Builder,
    /// How many inputs it is called with.
    given: usize,
    captured: Captured,
}

impl Within {
    fn input(&self, name: &str, like: &Tensor, place: Place) -> Tensor {
        let builder = &mut self.state.borrow_mut().builder;
        let value = builder.graph.add_input(name, like.spec());
        builder.tensor_of(value, name, place)
    }

    /// The input that is a tensor from around.
    fn capture(&self, tensor: &Tensor) -> Ref {
        let state = &mut *self.state.borrow_mut();
        let symbolic = tensor.as_symbolic().expect("what is in memory is a constant");
        let known = state.captured.tensors.iter().position(|it| {
            let it = it.as_symbolic().expect("what is captured is symbolic");
            (it.trace, it.value) == (symbolic.trace, symbolic.value)
        });
        if let Some(at) = known {
            return Ref::Input(super::InputId::new(state.given + at));
        }
        state.captured.tensors.push(tensor.clone());
        state.builder.graph.add_input(captured_name(tensor), tensor.spec())
    }

    fn value_of(&self, tensor: &Tensor) -> Result<Ref> {
        let is_own = {
            let builder = &self.state.borrow().builder;
            tensor.as_symbolic().is_none_or(|it| it.trace == builder.id())
        };
        if is_own {
            return self.state.borrow_mut().builder.value_of(tensor);
        }
        Ok(self.capture(tensor))
    }

    fn slot(&self, variable: &Variable) -> SlotId {
        let variables = &mut self.state.borrow_mut().captured.variables;
        let known = variables.iter().position(|it| it.is_same(variable));
        SlotId::new(known.unwrap_or_else(|| {
            variables.push(variable.clone());
            variables.len() - 1
        }))
    }

    fn add(
        &self,
        kind: NodeKind,
        inputs: SmallVec<[Ref; 3]>,
        outputs: Specs,
        name: String,
        place: Place,
    ) -> Tensors {
        let node = Node { kind, inputs, outputs, name: name.into(), place };
        self.state.borrow_mut().builder.add(node)
    }

    fn values(&self, tensors: &[&Tensor]) -> Result<SmallVec<[Ref; 3]>> {
        tensors.iter().map(|it| self.value_of(it)).collect()
    }
}

/// The complaint about a gradient that is asked for in a region.
fn asked_within() -> Error {
    Error::new(ErrorKind::Trace, "a gradient is asked for within a branch or a loop")
        .with_help("ask for it outside, of what the branch or the loop gives")
}

impl Recorder for Within {
    fn record(&self, op: &OpRef, inputs: &[&Tensor], label: &str, place: Place) -> Result<Tensors> {
        let specs: SmallVec<[Spec; 4]> = inputs.iter().map(|it| it.spec()).collect();
        let outputs = op.infer(&specs).map_err(|error| error.at_node(&unique_name(label)))?;
        let inputs = self.values(inputs)?;
        Ok(self.add(NodeKind::Op(op.clone()), inputs, outputs, unique_name(label), place))
    }

    fn control(&self, control: Control, place: Place) -> Result<Tensors> {
        let Control { kind, inputs, outputs, variables, name } = control;
        let inputs: Vec<&Tensor> = inputs.iter().collect();
        let inputs = self.values(&inputs)?;
        let places: Vec<SlotId> = variables.iter().map(|it| self.slot(it)).collect();
        let slots: Vec<Slot> = self.state.borrow().captured.variables.iter().map(slot_of).collect();
        Ok(self.add(renumbered(&kind, &places, &slots), inputs, outputs, name, place))
    }

    fn read(&self, variable: &Variable, place: Place) -> Result<Tensor> {
        let spec = variable.spec().ok_or_else(|| variable.without_value())?;
        let kind = NodeKind::Read(self.slot(variable));
        let name = unique_name("ReadVariableOp");
        let mut read = self.add(kind, smallvec![], smallvec![spec], name, place);
        Ok(read.pop().expect("a read has one output"))
    }

    fn assign(
        &self,
        variable: &Variable,
        value: &Tensor,
        label: &str,
        place: Place,
    ) -> Result<Tensor> {
        variable.accepts(value.spec())?;
        let inputs = self.values(&[value])?;
        let kind = NodeKind::Assign(self.slot(variable));
        self.add(kind, inputs, smallvec![], unique_name(label), place);
        Ok(value.clone())
    }

    fn decide(&self, condition: &Tensor, place: Place) -> Result<bool> {
        self.parent.decide(condition, place)
    }

    fn rename(&self, tensor: &Tensor, name: &str) -> Result<Tensor> {
        let Ref::Node(id, output) = self.value_of(tensor)? else { return Ok(tensor.clone()) };
        let builder = &mut self.state.borrow_mut().builder;
        builder.graph.nodes[id.index()].name = unique_name(name).into();
        Ok(builder.outputs(id).swap_remove(output.into()))
    }

    fn declares(&self) -> bool {
        self.parent.declares()
    }

    fn declare(&self, declared: &Declared<'_>, place: Place) -> Result<Option<Variable>> {
        self.parent.declare(declared, place)
    }

    fn created(&self, variable: Variable, by: Creation, place: Place) -> Result<Variable> {
        self.parent.created(variable, by, place)
    }

    fn kept(&self, companion: &Companion) -> Result<()> {
        self.parent.kept(companion)
    }

    fn name_of(&self, variable: &Variable) -> Result<Arc<str>> {
        self.parent.name_of(variable)
    }

    fn trained(&self, _: Option<&Tensor>) -> Result<Vec<Variable>> {
        Err(asked_within())
    }

    fn mark(&self, _: Option<&Tensor>, _: Place) -> Result<Tensor> {
        Err(asked_within())
    }

    fn gradient(&self, _: &Question, _: Place) -> Result<Vec<Option<Tensor>>> {
        Err(asked_within())
    }

    fn position(&self) -> usize {
        self.state.borrow().builder.graph.nodes.len()
    }

    fn group(&self, _: &str, _: usize, _: Option<&Tensor>, _: Place) -> Result<Option<Tensor>> {
        Ok(None)
    }

    fn explain(&self, _: &Tensor, _: &Source) -> Result<String> {
        Err(asked_within())
    }
}

/// The condition of a branch or a loop is one truth value.
///
/// # Errors
/// If it is something else.
pub fn is_condition(op: &str, condition: &Tensor) -> Result<()> {
    if condition.spec() == Spec::scalar(DType::Bool) {
        return Ok(());
    }
    let message = format!("`{op}` decides on one truth value, found {}", condition.spec());
    Err(Error::new(ErrorKind::Shape, message)
        .with_help("compare two scalars, `x.less(&y)`, or combine many, `.all()` and `.any()`"))
}
