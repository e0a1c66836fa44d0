//! The part of a graph that a run needs, at the shapes that it is fed: a graph of its own, which passes and plans take.
//! Knows what waits for what, and no session.

use super::build::State;
use super::feed::fitted;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{
    Graph, Node, NodeId, NodeKind, Output, Ref, SlotId, Specs, Tensor, renumbered, used_slots,
};
use crate::types::{Spec, Symbol};
use crate::value::{Value, Variable};
use smallvec::{SmallVec, smallvec};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a run is asked for, in terms of the graph.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// A value.
    Value(Ref),
    /// What a variable holds at the end.
    Variable(Variable),
    /// That a node is done.
    Done(Ref),
}

/// A part of a graph.
pub(super) struct Cut {
    pub graph: Graph,
    /// The variable of each slot, and the line that reads it first.
    pub variables: Vec<(Variable, Option<Place>)>,
    /// Which of the feeds its inputs are.
    pub feeds: Vec<usize>,
}

/// A value that is fed, and to what.
pub(super) struct Fed {
    pub target: Ref,
    pub value: Value,
}

/// The values for a run, as the types of what they are fed to.
///
/// # Errors
/// If a target is of another graph, or a value does not fit it.
pub(super) fn fed(state: &mut State, given: &[(Tensor, Tensor)]) -> Result<SmallVec<[Fed; 4]>> {
    let one = |(target, value): &(Tensor, Tensor)| {
        let name = target.as_symbolic().map_or("a value in memory", |it| &it.origin.name);
        if !target.is_symbolic() {
            let message = "a value in memory is fed: it is no tensor of the graph";
            return Err(Error::new(ErrorKind::Feed, message)
                .with_help("feed a placeholder, or what ops made of one"));
        }
        let (value, spec) = (fitted(name, value, target.dtype())?, target.spec());
        let fits = !spec.shape().has_rank()
            || spec.shape().rank() == value.spec().rank()
                && spec
                    .shape()
                    .dims()
                    .iter()
                    .zip(value.spec().sizes())
                    .all(|(dim, size)| dim.known().is_none_or(|known| known == *size));
        if !fits {
            let message = format!(
                "`{name}` has the shape {}, and is fed {}",
                spec.shape(),
                value.spec().shape()
            );
            return Err(Error::new(ErrorKind::Feed, message)
                .with_help("feed that shape, or say `None` where the placeholder's size varies"));
        }
        Ok(Fed { target: state.builder.value_of(target)?, value })
    };
    given.iter().map(one).collect()
}

/// Cuts out what a run needs.
///
/// # Errors
/// If a placeholder that it needs is not fed, or what is fed does not fit an op.
pub(super) fn cut(state: &State, wanted: &[Wanted], feeds: &[(Ref, Spec)]) -> Result<Cut> {
    let needed = needed(state, wanted, feeds)?;
    let mut cutting = Cutting {
        state,
        cut: Cut {
            graph: Graph { name: state.builder.graph.name.clone(), ..Graph::default() },
            variables: Vec::new(),
            feeds: Vec::new(),
        },
        values: HashMap::new(),
        slots: HashMap::new(),
        sizes: BTreeMap::new(),
    };
    for (at, (target, spec)) in feeds.iter().enumerate() {
        cutting.feed(at, *target, *spec)?;
    }
    for id in needed {
        cutting.node(id)?;
    }
    for it in wanted {
        cutting.result(it);
    }
    Ok(cutting.cut)
}

/// The nodes that a run needs, in order.
fn needed(state: &State, wanted: &[Wanted], feeds: &[(Ref, Spec)]) -> Result<BTreeSet<NodeId>> {
    let graph = &state.builder.graph;
    let mut needed = BTreeSet::new();
    let mut waiting: Vec<Ref> = Vec::new();
    for it in wanted {
        match it {
            Wanted::Value(value) | Wanted::Done(value) => waiting.push(*value),
            Wanted::Variable(_) => {}
        }
    }
    while let Some(value) = waiting.pop() {
        if feeds.iter().any(|(target, _)| *target == value) {
            continue;
        }
        match value {
            Ref::Node(id, _) => {
                if needed.insert(id) {
                    waiting.extend(&graph.node(id).inputs);
                    let awaited = graph.controls.get(&id).into_iter().flatten();
                    waiting.extend(awaited.map(|it| Ref::node(*it)));
                }
            }
            Ref::Input(id) => {
                let place = state.placeholders[id.index()];
                let input = &graph.inputs[id.index()];
                let shape = match input.spec.shape().has_rank() {
                    true => format!(" and shape {}", input.spec.shape()),
                    false => String::new(),
                };
                let message = format!(
                    "You must feed a value for placeholder tensor '{}' with dtype {}{shape}; it was made at {place}",
                    input.name,
                    input.spec.dtype()
                );
                return Err(Error::new(ErrorKind::Feed, message).with_help(
                    "pass it with the run: `session.run_with(&fetch, feed! { placeholder => value })`",
                ));
            }
            Ref::Constant(_) | Ref::Variable(_) => {}
        }
    }
    Ok(needed)
}

struct Cutting<'s> {
    state: &'s State,
    cut: Cut,
    /// What each value of the whole graph is in the part.
    values: HashMap<Ref, Ref>,
    slots: HashMap<u64, SlotId>,
    /// The sizes that were unknown, so far.
    sizes: BTreeMap<Symbol, usize>,
}

impl Cutting<'_> {
    fn feed(&mut self, at: usize, target: Ref, spec: Spec) -> Result<()> {
        let whole = &self.state.builder.graph;
        let name = match target {
            Ref::Input(id) => whole.inputs[id.index()].name.clone(),
            Ref::Node(id, _) => whole.node(id).name.clone(),
            other => other.to_string().into(),
        };
        self.bind(whole.spec(target), spec).map_err(|what| {
            Error::new(ErrorKind::Feed, format!("`{name}` is fed {spec}, {what}"))
                .with_help("sizes of one name are one size")
        })?;
        let input = self.cut.graph.add_input(name, spec);
        self.values.insert(target, input);
        self.cut.feeds.push(at);
        Ok(())
    }

    /// Learns the sizes that were not known; says what does not agree with what is known.
    fn bind(&mut self, said: Spec, found: Spec) -> Result<(), String> {
        if !said.shape().has_rank() {
            return Ok(());
        }
        let differs = || format!("and the graph was built for {said}");
        if said.rank() != found.rank() {
            return Err(differs());
        }
        for (dim, size) in said.shape().dims().iter().zip(found.sizes()) {
            match (dim.evaluate(&self.sizes), dim.as_symbol()) {
                (Some(known), _) if known == *size => {}
                (None, Some(symbol)) => drop(self.sizes.insert(symbol, *size)),
                _ => return Err(differs()),
            }
        }
        Ok(())
    }

    fn value(&mut self, value: Ref) -> Ref {
        if let Some(known) = self.values.get(&value) {
            return *known;
        }
        let Ref::Constant(id) = value else {
            unreachable!("what a node needs is there before it, or is a constant")
        };
        let constant = self.cut.graph.add_constant(self.state.builder.graph.constant(id));
        self.values.insert(value, constant);
        constant
    }

    fn slot(&mut self, variable: &Variable, spec: Spec) -> SlotId {
        if let Some(slot) = self.slots.get(&variable.id()) {
            return *slot;
        }
        let whole = &self.state.builder.graph;
        let name = match self.state.known_slot(variable) {
            Some(slot) => whole.slots[slot.index()].name.clone(),
            None => variable.name().into(),
        };
        let trainable = variable.is_trainable();
        let slot = self.cut.graph.add_slot(crate::graph::Slot { name, spec, trainable });
        self.cut.variables.push((variable.clone(), None));
        self.slots.insert(variable.id(), slot);
        slot
    }

    fn node(&mut self, id: NodeId) -> Result<()> {
        let node = self.state.builder.graph.node(id);
        let inputs: SmallVec<[Ref; 3]> = node.inputs.iter().map(|it| self.value(*it)).collect();
        let kind = match &node.kind {
            NodeKind::Op(op) => NodeKind::Op(op.clone()),
            NodeKind::If(_) | NodeKind::While(_) => self.with_slots(&node.kind),
            NodeKind::Read(slot) => {
                let slot = self.slot_of(*slot);
                self.cut.variables[slot.index()].1.get_or_insert(node.place);
                NodeKind::Read(slot)
            }
            NodeKind::Assign(slot) => {
                let slot = self.slot_of(*slot);
                let found = self.cut.graph.spec(inputs[0]);
                let variable = &self.cut.variables[slot.index()].0;
                let placed = |error: Error| error.at(node.place).at_node(&node.name);
                variable.accepts(found).map_err(placed)?;
                self.values.insert(Ref::node(id), inputs[0]);
                self.add(node, NodeKind::Assign(slot), inputs, smallvec![]);
                return Ok(());
            }
            NodeKind::Group => {
                let value = inputs.first().copied();
                let value =
                    value.unwrap_or_else(|| self.cut.graph.add_constant(&Value::scalar(true)));
                self.values.insert(Ref::node(id), value);
                return Ok(());
            }
            NodeKind::Mark | NodeKind::Gradient(_) => {
                unreachable!("gradients are built at once, and there are no tapes")
            }
        };
        let outputs = self.outputs(id, node, &inputs)?;
        let new = self.add(node, kind, inputs, outputs);
        for at in 0..node.outputs.len() as u16 {
            self.values.entry(Ref::Node(id, at)).or_insert(Ref::Node(new, at));
        }
        Ok(())
    }

    /// A kind whose regions use the slots of the part.
    fn with_slots(&mut self, kind: &NodeKind) -> NodeKind {
        let count = self.state.variables.len();
        let mut places = vec![SlotId::new(0); count];
        for slot in kind.regions().iter().flat_map(|(_, region)| used_slots(region)) {
            places[slot.index()] = self.slot_of(slot);
        }
        renumbered(kind, &places, &self.cut.graph.slots)
    }

    fn slot_of(&mut self, slot: SlotId) -> SlotId {
        let variable = self.state.variables[slot.index()].clone();
        self.slot(&variable, self.state.builder.graph.slots[slot.index()].spec)
    }

    fn add(
        &mut self,
        node: &Node,
        kind: NodeKind,
        inputs: SmallVec<[Ref; 3]>,
        outputs: Specs,
    ) -> NodeId {
        self.cut.graph.add_node(Node { kind, inputs, outputs, ..node.clone() })
    }

    /// What the outputs of a node are at the shapes of this run.
    fn outputs(&mut self, id: NodeId, node: &Node, inputs: &[Ref]) -> Result<Specs> {
        let placed = |error: Error| error.at(node.place).at_node(&node.name);
        let is_open = self.state.open.contains(&id);
        let inferred = match &node.kind {
            NodeKind::Op(op) if is_open => {
                let specs: Vec<Spec> = inputs.iter().map(|it| self.cut.graph.spec(*it)).collect();
                op.infer(&specs).map_err(placed)?
            }
            _ => node.outputs.clone(),
        };
        let mut outputs = Specs::new();
        for (spec, said) in inferred.iter().zip(&node.outputs) {
            let shape = spec.shape().evaluate(&self.sizes).ok_or_else(|| {
                let message = format!("{spec} has a size that is negative or unknown in this run");
                placed(Error::new(ErrorKind::Shape, message).with_help(
                    "what is fed is too small for this op; or give the placeholder its shape",
                ))
            })?;
            let found = spec.with_shape(shape);
            self.bind(*said, found).map_err(|what| {
                let message = format!("`{}` gives {found}, {what}", node.name);
                placed(
                    Error::new(ErrorKind::Shape, message)
                        .with_help("give the placeholders that it depends on their shapes"),
                )
            })?;
            outputs.push(found);
        }
        Ok(outputs)
    }

    fn result(&mut self, wanted: &Wanted) {
        let value = match wanted {
            Wanted::Done(_) => return,
            Wanted::Value(value) => self.value(*value),
            Wanted::Variable(variable) => {
                let spec = variable.spec().expect("a variable of a graph has a spec");
                let slot = self.slot(variable, spec);
                let name = format!("{}/fetched{}", variable.name(), self.cut.graph.outputs.len());
                let node = Node {
                    kind: NodeKind::Read(slot),
                    inputs: smallvec![],
                    outputs: smallvec![spec],
                    name: name.into(),
                    place: variable.created(),
                };
                Ref::node(self.cut.graph.add_node(node))
            }
        };
        let name = self.cut.graph.outputs.len().to_string().into();
        self.cut.graph.outputs.push(Output { name, value });
    }
}
