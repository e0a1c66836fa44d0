//! Takes the ops of a program that builds a graph. Knows shapes that are not known yet, and gradients, which are built at
//! once.

use super::build::Shared;
use super::control::awaited;
use super::infer::infer;
use crate::autodiff::{Program, Sweep, by_expansion, explain, reverse};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{
    Backward, Companion, Control, Creation, Declared, Graph, Node, NodeId, NodeKind, OpRef, Origin,
    Question, Recorder, Ref, Source, Specs, Tensor, Tensors, attempt, renumbered, unique_name,
    without_scopes,
};
use crate::ops::filled_like;
use crate::types::{DType, Spec};
use crate::value::Variable;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Builds a graph.
pub(super) struct Building(Arc<Shared>);

impl Building {
    pub fn new(graph: Arc<Shared>) -> Building {
        Building(graph)
    }

    fn add(
        &self,
        kind: NodeKind,
        inputs: SmallVec<[Ref; 3]>,
        outputs: Specs,
        label: &str,
        place: Place,
    ) -> (NodeId, Tensors) {
        let state = &mut *self.0.state();
        let (name, place) = state.named(label, place);
        let node = Node { kind, inputs, outputs, name: name.into(), place };
        let id = state.builder.graph.add_node(node);
        let controls = awaited(self.0.id());
        if !controls.is_empty() {
            state.builder.graph.controls.insert(id, controls);
        }
        (id, state.builder.outputs(id))
    }

    fn values(&self, tensors: &[&Tensor]) -> Result<SmallVec<[Ref; 3]>> {
        let builder = &mut self.0.state().builder;
        tensors.iter().map(|it| builder.value_of(it)).collect()
    }

    /// What a source is here; `None` for what is not of this graph.
    fn origin(&self, source: &Source) -> Result<Option<Origin>> {
        let state = &mut *self.0.state();
        Ok(match source {
            Source::Tensor(tensor) if !tensor.is_symbolic() => None,
            Source::Tensor(tensor) => Some(Origin::Value(state.builder.value_of(tensor)?)),
            Source::Variable(variable) => state.known_slot(variable).map(Origin::Slot),
        })
    }
}

impl Recorder for Building {
    fn record(&self, op: &OpRef, inputs: &[&Tensor], label: &str, place: Place) -> Result<Tensors> {
        let specs: SmallVec<[Spec; 4]> = inputs.iter().map(|it| it.spec()).collect();
        let inputs = self.values(inputs)?;
        let inferred = infer(op, &specs).map_err(|error| error.at_node(label))?;
        let (id, tensors) =
            self.add(NodeKind::Op(op.clone()), inputs, inferred.outputs, label, place);
        if inferred.is_open {
            self.0.state().open.insert(id);
        }
        Ok(tensors)
    }

    fn control(&self, control: Control, place: Place) -> Result<Tensors> {
        let Control { kind, inputs, outputs, variables, name } = control;
        let inputs = self.values(&inputs.iter().collect::<Vec<_>>())?;
        let mut places = Vec::new();
        let state = &mut *self.0.state();
        for variable in &variables {
            let spec = variable.spec().ok_or_else(|| variable.without_value())?;
            places.push(state.slot(variable, spec));
        }
        let kind = renumbered(&kind, &places, &state.builder.graph.slots);
        let node = Node { kind, inputs, outputs, name: name.into(), place };
        Ok(state.builder.add(node))
    }

    fn read(&self, variable: &Variable, place: Place) -> Result<Tensor> {
        let spec = variable.spec().ok_or_else(|| variable.without_value())?;
        let slot = self.0.state().slot(variable, spec);
        let kind = NodeKind::Read(slot);
        let (_, mut read) = self.add(kind, smallvec![], smallvec![spec], "ReadVariableOp", place);
        Ok(read.pop().expect("a read has one output"))
    }

    fn assign(
        &self,
        variable: &Variable,
        value: &Tensor,
        label: &str,
        place: Place,
    ) -> Result<Tensor> {
        let spec = variable.spec().ok_or_else(|| variable.without_value())?;
        if value.spec().known().is_some() || value.dtype() != spec.dtype() {
            variable.accepts(value.spec())?;
        }
        let inputs = self.values(&[value])?;
        let slot = self.0.state().slot(variable, spec);
        let kind = NodeKind::Assign(slot);
        let (_, mut assigned) = self.add(kind, inputs, smallvec![spec], label, place);
        Ok(assigned.pop().expect("an assignment of a graph has an output"))
    }

    fn decide(&self, condition: &Tensor, _: Place) -> Result<bool> {
        let message = format!(
            "using a symbolic `Tensor` as a `bool` is not allowed: {condition} has a value only when a session runs the graph"
        );
        Err(Error::new(ErrorKind::Trace, message)
            .with_help("choose by element, `condition.select(&a, &b)`; or decide in a `#[graph_fn]`, or on what a session gave"))
    }

    fn rename(&self, tensor: &Tensor, name: &str) -> Result<Tensor> {
        let value = self.0.state().builder.value_of(tensor)?;
        let state = &mut *self.0.state();
        let name: Arc<str> = unique_name(name).into();
        match value {
            Ref::Node(id, _) => state.builder.graph.nodes[id.index()].name = name,
            Ref::Input(id) => state.builder.graph.inputs[id.index()].name = name,
            Ref::Constant(_) | Ref::Variable(_) => {
                return Ok(state.builder.tensor_of(value, &name, Place::caller()));
            }
        }
        Ok(state.tensor(value))
    }

    fn declares(&self) -> bool {
        true
    }

    fn declare(&self, declared: &Declared<'_>, place: Place) -> Result<Option<Variable>> {
        let Declared { name, by, trainable, first } = *declared;
        if first.spec().known().is_none() {
            let message = format!("variable `{name}` needs known sizes, found {}", first.spec());
            return Err(Error::new(ErrorKind::Variable, message)
                .with_help("give it a first value whose shape is known"));
        }
        let _absolute = without_scopes();
        // TensorFlow gives the variable's own node the name; there is none here, but others must not have it.
        let own = unique_name(name);
        let name = if by == Creation::Kept { name } else { &own };
        let variable = Variable::of_graph(name, first.spec(), self.0.id().0);
        let variable = if trainable { variable } else { variable.untrainable() };
        let assigned = self.assign(&variable, first, &format!("{name}/Assign"), place)?;
        let state = &mut *self.0.state();
        if let Ref::Node(id, _) = state.builder.value_of(&assigned)? {
            // A first value waits for nothing.
            state.builder.graph.controls.remove(&id);
            state.declared.push((variable.clone(), id));
        }
        Ok(Some(variable))
    }

    fn created(&self, variable: Variable, _: Creation, _: Place) -> Result<Variable> {
        Ok(variable)
    }

    fn kept(&self, _: &Companion) -> Result<()> {
        Ok(())
    }

    fn name_of(&self, variable: &Variable) -> Result<Arc<str>> {
        let spec = variable.spec().ok_or_else(|| variable.without_value())?;
        let state = &mut *self.0.state();
        let slot = state.slot(variable, spec);
        Ok(state.builder.graph.slots[slot.index()].name.clone())
    }

    fn trained(&self, _: Option<&Tensor>) -> Result<Vec<Variable>> {
        let state = self.0.state();
        let trained = state.variables.iter().filter(|it| {
            it.is_trainable() && it.spec().is_some_and(|spec| spec.dtype().is_float())
        });
        Ok(trained.cloned().collect())
    }

    fn mark(&self, _: Option<&Tensor>, _: Place) -> Result<Tensor> {
        let message = "a tape is opened in a graph that sessions run";
        Err(Error::new(ErrorKind::Trace, message)
            .with_help("ask for gradients by what the graph says: `gradients(&y, [&x])`"))
    }

    fn gradient(&self, question: &Question, place: Place) -> Result<Vec<Option<Tensor>>> {
        let targets: Vec<&Tensor> = question.targets.iter().collect();
        let targets = self.values(&targets)?;
        let mut sources = Vec::new();
        for (at, source) in question.sources.iter().enumerate() {
            if let Some(origin) = self.origin(source)? {
                sources.push((at, origin));
            }
        }
        let program = Differentiated { graph: self, scope: unique_name("gradients"), place };
        let found = program.gradients(&targets, question, &sources);
        self.0.state().at = None;
        let mut answers = vec![None; question.sources.len()];
        for ((at, _), gradient) in sources.iter().zip(found?) {
            answers[*at] = gradient;
        }
        Ok(answers)
    }

    fn position(&self) -> usize {
        self.0.state().builder.graph.nodes.len()
    }

    fn group(
        &self,
        name: &str,
        since: usize,
        value: Option<&Tensor>,
        place: Place,
    ) -> Result<Option<Tensor>> {
        let inputs = self.values(&value.into_iter().collect::<Vec<_>>())?;
        let state = &mut *self.0.state();
        let graph = &mut state.builder.graph;
        let updates = graph.iter().skip(since);
        let updates = updates.filter(|(_, node)| matches!(node.kind, NodeKind::Assign(_)));
        let updates: Vec<NodeId> = updates.map(|(id, _)| id).collect();
        let outputs = smallvec![value.map_or(Spec::scalar(DType::Bool), Tensor::spec)];
        let node = Node { kind: NodeKind::Group, inputs, outputs, name: name.into(), place };
        let id = graph.add_node(node);
        graph.controls.insert(id, updates);
        Ok(state.builder.outputs(id).pop())
    }

    fn explain(&self, target: &Tensor, source: &Source) -> Result<String> {
        let name = match source {
            Source::Tensor(tensor) => tensor
                .as_symbolic()
                .map_or("a constant", |it| it.origin.name.trim_end_matches(":0"))
                .to_string(),
            Source::Variable(variable) => variable.name().to_string(),
        };
        let value = self.values(&[target])?[0];
        Ok(match self.origin(source)? {
            Some(origin) => explain(&self.0.state().builder.graph, value, (origin, 0), &name),
            None => format!("no gradient with respect to `{name}`: the graph has not used it"),
        })
    }
}

/// A graph as a sweep sees it that builds gradients into it.
struct Differentiated<'b> {
    graph: &'b Building,
    /// The scope of the gradients.
    scope: String,
    place: Place,
}

impl Differentiated<'_> {
    fn gradients(
        &self,
        targets: &[Ref],
        question: &Question,
        sources: &[(usize, Origin)],
    ) -> Result<Vec<Option<Tensor>>> {
        let _absolute = without_scopes();
        self.at(format!("{}/", self.scope));
        let mut seeded = Vec::new();
        for (at, (value, target)) in targets.iter().zip(&question.targets).enumerate() {
            let seed = match &question.seeds[at] {
                Some(seed) => seed.clone(),
                None => attempt(|| filled_like(target, 1.0, &format!("grad_ys_{at}")))?,
            };
            seeded.push((*value, seed));
        }
        let sources = sources.iter().map(|(_, origin)| (*origin, 0)).collect();
        reverse(self, &Sweep { targets: seeded, sources, from: 0 })
    }

    fn at(&self, scope: String) {
        self.graph.0.state().at = Some((scope, self.place));
    }
}

impl Program for Differentiated<'_> {
    fn look<R>(&self, f: impl FnOnce(&Graph) -> R) -> R {
        f(&self.graph.0.state().builder.graph)
    }

    fn tensor(&self, value: Ref) -> Tensor {
        self.graph.0.state().tensor(value)
    }

    fn follow(&self, node: &Node) {
        self.at(format!("{}/{}_grad/", self.scope, node.name));
    }

    fn through(&self, node: &Node, call: &Backward<'_>) -> Result<Vec<Option<Tensor>>> {
        by_expansion(self, node, call, |it| self.graph.0.state().builder.value_of(it))
    }
}
