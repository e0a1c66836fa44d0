//! A trace: takes the ops of a running function into a graph. Knows no passes and no plans.
//!
//! A body may be run more than once for one trace; a cursor then follows what is recorded already and checks it.
//! A run that differs is *doomed*: nothing more is recorded, it runs to its end and is dropped, and the trace fails
//! with the first difference.

use super::kept::name_of_captured;
use super::runs::{difference, differs, doomed};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{
    Builder, Companion, Control, Creation, Declared, Graph, Node, NodeId, NodeKind, OpRef,
    Question, Recorder, Ref, Slot, SlotId, Source, Specs, Store, Style, Tensor, Tensors,
    open_store, renumbered, unique_name,
};
use crate::types::{DType, Spec};
use crate::value::Variable;
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A trace of one function while it is recorded.
#[derive(Debug)]
pub struct Trace(RefCell<State>);

#[derive(Debug)]
struct State {
    builder: Builder,
    /// How many nodes this run has come past; those from here on are new.
    cursor: usize,
    /// Why this run is of no use, once it is.
    doomed: Option<Error>,
    /// The slot of each variable that was used.
    slots: HashMap<u64, SlotId>,
    /// The variable of each slot.
    variables: Vec<Variable>,
    /// Those of them that a variable keeps for another.
    kept: HashMap<u64, Companion>,
    /// Paths of the variables that stand in the arguments.
    paths: HashMap<u64, Arc<str>>,
    /// Variables that the function made, and where they are kept.
    created: Vec<(Variable, Option<Arc<Store>>)>,
    /// Those of them made by `Variable::new`, and the lines that did.
    plain: Vec<(Variable, Place)>,
    /// How many of `plain` this run has come past.
    plain_cursor: usize,
    /// How many questions for gradients this run has asked.
    questions: usize,
    /// Sources that have no gradient though there is a path to them: which question, and which of its sources.
    unconnected: HashSet<(usize, usize)>,
}

/// A recorded trace.
#[derive(Debug)]
pub struct Recorded {
    /// The graph, without outputs yet.
    pub graph: Graph,
    /// The variable that each slot was bound to while tracing.
    pub variables: Vec<Variable>,
    /// Those of them that a variable keeps for another, by their ids.
    pub kept: HashMap<u64, Companion>,
}

impl Trace {
    /// A trace of a function; `paths` names the variables that stand in its arguments, and `unconnected` tells which
    /// gradients an earlier trace has found not to be there.
    pub fn new(
        function: Arc<str>,
        paths: HashMap<u64, Arc<str>>,
        unconnected: HashSet<(usize, usize)>,
    ) -> Trace {
        let builder = Builder::new(Graph { name: function, ..Graph::default() });
        Trace(RefCell::new(State {
            builder,
            cursor: 0,
            doomed: None,
            slots: HashMap::new(),
            variables: Vec::new(),
            kept: HashMap::new(),
            paths,
            created: Vec::new(),
            plain: Vec::new(),
            plain_cursor: 0,
            questions: 0,
            unconnected,
        }))
    }

    /// Adds an input, and gives the symbolic tensor of it.
    pub fn input(&self, name: &str, spec: Spec, place: Place) -> Tensor {
        let builder = &mut self.0.borrow_mut().builder;
        let value = builder.graph.add_input(name, spec);
        builder.tensor_of(value, name, place)
    }

    /// Begins a run of the body: the cursor is at the start.
    pub fn begin_run(&self) {
        let mut state = self.0.borrow_mut();
        state.cursor = 0;
        state.plain_cursor = 0;
        state.questions = 0;
        state.doomed = None;
    }

    /// Ends a run of the body.
    ///
    /// # Errors
    /// If the run was doomed, or did less than the one before.
    pub fn end_run(&self) -> Result<()> {
        let mut state = self.0.borrow_mut();
        if let Some(error) = state.doomed.take() {
            return Err(error);
        }
        match state.builder.graph.nodes.get(state.cursor) {
            None => Ok(()),
            Some(node) => Err(differs(
                &format!("it ended where an earlier run made `{}`", node.name),
                node.place,
            )),
        }
    }

    /// The value of a tensor in this trace; one in memory becomes a constant.
    ///
    /// # Errors
    /// If the tensor is of another trace.
    pub fn value_of(&self, tensor: &Tensor) -> Result<Ref> {
        self.0.borrow_mut().builder.value_of(tensor)
    }

    /// What was recorded, when all runs are over.
    pub fn finish(&self) -> Recorded {
        let state = &mut *self.0.borrow_mut();
        Recorded {
            graph: std::mem::take(&mut state.builder.graph),
            variables: std::mem::take(&mut state.variables),
            kept: std::mem::take(&mut state.kept),
        }
    }

    /// Takes back what the function has made so far, when it failed: its variables are as if it had never run.
    pub fn uncreate(&self) {
        let created = std::mem::take(&mut self.0.borrow_mut().created);
        for (variable, store) in created {
            if let Some(store) = store {
                store.remove(variable.id());
            }
            variable.unbuild();
        }
    }

    /// Records a node, or checks that this run makes the one that an earlier run made here.
    fn add(
        &self,
        kind: NodeKind,
        inputs: SmallVec<[Ref; 3]>,
        outputs: Specs,
        label: &str,
        place: Place,
    ) -> Tensors {
        self.add_named(Node { kind, inputs, outputs, name: unique_name(label).into(), place })
    }

    fn add_named(&self, node: Node) -> Tensors {
        let state = &mut *self.0.borrow_mut();
        let at = NodeId::new(state.cursor);
        match state.builder.graph.nodes.get(at.index()) {
            _ if state.doomed.is_some() => return doomed(&state.builder, node),
            None => drop(state.builder.add(node)),
            Some(earlier) => {
                state.doomed = difference(earlier, &node);
                if state.doomed.is_some() {
                    return doomed(&state.builder, node);
                }
            }
        }
        state.cursor += 1;
        state.builder.outputs(at)
    }

    /// Looks at the graph so far.
    pub(super) fn look<R>(&self, f: impl FnOnce(&Graph) -> R) -> R {
        f(&self.0.borrow().builder.graph)
    }

    /// The constant that a watched tensor in memory is here.
    pub(super) fn watched(&self, tensor: &Tensor) -> Option<Ref> {
        self.0.borrow().builder.watched(tensor)
    }

    /// The variables of the first reads of this run from a position on, if they are of floats and trainable.
    pub(super) fn first_reads(&self, from: usize) -> Vec<Variable> {
        let state = self.0.borrow();
        let graph = &state.builder.graph;
        let mut seen = HashSet::new();
        let read = graph.nodes[from..state.cursor].iter().filter_map(|node| match node.kind {
            NodeKind::Read(slot) => Some(slot.index()),
            _ => None,
        });
        let trained = read.filter(|slot| {
            let Slot { trainable, spec, .. } = &graph.slots[*slot];
            *trainable && spec.dtype().is_float() && seen.insert(*slot)
        });
        trained.map(|slot| state.variables[slot].clone()).collect()
    }

    /// The slot of a variable that this trace uses.
    pub(super) fn slot_of(&self, variable: &Variable) -> Option<SlotId> {
        self.0.borrow().slots.get(&variable.id()).copied()
    }

    /// The number of the next question for gradients.
    pub(super) fn next_question(&self) -> usize {
        let mut state = self.0.borrow_mut();
        state.questions += 1;
        state.questions - 1
    }

    /// Whether an earlier trace has found that a source of a question has no gradient.
    pub(super) fn is_unconnected(&self, question: usize, source: usize) -> bool {
        self.0.borrow().unconnected.contains(&(question, source))
    }

    fn slot(&self, variable: &Variable, spec: Spec) -> SlotId {
        let state = &mut *self.0.borrow_mut();
        *state.slots.entry(variable.id()).or_insert_with(|| {
            let graph = &state.builder.graph;
            let name = match state.paths.get(&variable.id()) {
                Some(path) => path.clone(),
                None => name_of_captured(state.kept.get(&variable.id()), variable, |name| {
                    graph.slots.iter().any(|slot| &*slot.name == name)
                        || state.paths.values().any(|path| &**path == name)
                }),
            };
            state.variables.push(variable.clone());
            state.builder.graph.add_slot(Slot { name, spec, trainable: variable.is_trainable() })
        })
    }
}

impl Recorder for Trace {
    fn record(&self, op: &OpRef, inputs: &[&Tensor], label: &str, place: Place) -> Result<Tensors> {
        let specs: SmallVec<[Spec; 4]> = inputs.iter().map(|it| it.spec()).collect();
        let outputs = op.infer(&specs).map_err(|error| error.at_node(&unique_name(label)))?;
        if self.0.borrow().doomed.is_some() {
            return Ok(self.add(NodeKind::Op(op.clone()), smallvec![], outputs, label, place));
        }
        let inputs = inputs.iter().map(|it| self.value_of(it)).collect::<Result<_>>()?;
        Ok(self.add(NodeKind::Op(op.clone()), inputs, outputs, label, place))
    }

    fn control(&self, control: Control, place: Place) -> Result<Tensors> {
        let Control { kind, inputs, outputs, variables, name } = control;
        let inputs = inputs.iter().map(|it| self.value_of(it)).collect::<Result<_>>()?;
        let mut places = Vec::new();
        for variable in &variables {
            let spec = variable.spec().ok_or_else(|| variable.without_value())?;
            places.push(self.slot(variable, spec));
        }
        let kind = self.look(|graph| renumbered(&kind, &places, &graph.slots));
        Ok(self.add_named(Node { kind, inputs, outputs, name: name.into(), place }))
    }

    fn read(&self, variable: &Variable, place: Place) -> Result<Tensor> {
        let spec = variable.spec().ok_or_else(|| variable.without_value())?;
        let slot = self.slot(variable, spec);
        let mut read =
            self.add(NodeKind::Read(slot), smallvec![], smallvec![spec], "ReadVariableOp", place);
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
        variable.accepts(value.spec())?;
        let slot = self.slot(variable, spec);
        let assigned = self.value_of(value)?;
        self.add(NodeKind::Assign(slot), smallvec![assigned], smallvec![], label, place);
        Ok(value.clone())
    }

    fn decide(&self, condition: &Tensor, _: Place) -> Result<bool> {
        let name = condition
            .as_symbolic()
            .map_or_else(|| "a constant".into(), |it| it.origin.name.clone());
        Err(Error::new(ErrorKind::Trace, format!("a condition on the tensor `{name}` is not known while tracing"))
            .with_help("choose by element instead: `condition.select(&a, &b)` with `less`, `greater`, `equal`; or run the function without tracing: `graphfn::eager(|| ..)`"))
    }

    fn rename(&self, tensor: &Tensor, name: &str) -> Result<Tensor> {
        let Ref::Node(id, output) = self.value_of(tensor)? else {
            return Err(Error::new(
                ErrorKind::Trace,
                format!("`{tensor}` is no op's output and cannot be named {name:?}"),
            )
            .with_help("name an input by its parameter, a variable where it is made"));
        };
        let state = &mut *self.0.borrow_mut();
        state.builder.graph.nodes[id.index()].name = unique_name(name).into();
        Ok(state.builder.outputs(id).swap_remove(output.into()))
    }

    fn declares(&self) -> bool {
        false
    }

    fn declare(&self, _: &Declared<'_>, _: Place) -> Result<Option<Variable>> {
        Ok(None)
    }

    fn created(&self, variable: Variable, by: Creation, place: Place) -> Result<Variable> {
        let mut state = self.0.borrow_mut();
        let store = open_store();
        if by == Creation::Plain {
            let cursor = state.plain_cursor;
            state.plain_cursor += 1;
            match state.plain.get(cursor) {
                Some((earlier, at)) if *at == place => return Ok(earlier.clone()),
                Some((earlier, _)) => {
                    let what = format!(
                        "it made variable `{}` where an earlier run made `{}`",
                        variable.name(),
                        earlier.name()
                    );
                    return Err(differs(&what, place));
                }
                None => {}
            }
            store.iter().try_for_each(|store| store.note(&variable, place))?;
            state.plain.push((variable.clone(), place));
        }
        state.created.push((variable.clone(), store));
        Ok(variable)
    }

    fn kept(&self, companion: &Companion) -> Result<()> {
        self.0.borrow_mut().kept.insert(companion.variable.id(), companion.clone());
        Ok(())
    }

    fn name_of(&self, variable: &Variable) -> Result<Arc<str>> {
        let spec = variable.spec().ok_or_else(|| variable.without_value())?;
        let slot = self.slot(variable, spec);
        Ok(self.look(|graph| graph.slots[slot.index()].name.clone()))
    }

    fn trained(&self, since: Option<&Tensor>) -> Result<Vec<Variable>> {
        since.map_or(Ok(0), |mark| self.place_of(mark)).map(|from| self.first_reads(from))
    }

    fn mark(&self, watched: Option<&Tensor>, place: Place) -> Result<Tensor> {
        watched.iter().for_each(|tensor| self.0.borrow_mut().builder.watch(tensor));
        let outputs = smallvec![Spec::scalar(DType::Bool)];
        let mut mark = self.add(NodeKind::Mark, smallvec![], outputs, "Mark", place);
        Ok(mark.pop().expect("a mark has one output"))
    }

    fn gradient(&self, question: &Question, place: Place) -> Result<Vec<Option<Tensor>>> {
        let asked = self.asked(question)?;
        let mut answers = vec![None; question.sources.len()];
        if asked.deferred.sources.is_empty() {
            return Ok(answers);
        }
        let sources = asked.deferred.sources.clone();
        let label = match asked.deferred.style {
            Style::Gradients => "gradients",
            Style::Tape => "gradient_tape/gradient",
        };
        let kind = NodeKind::Gradient(Arc::new(asked.deferred));
        let made = self.add(kind, asked.inputs, asked.outputs, label, place);
        for (source, gradient) in sources.iter().zip(made) {
            answers[source.index] = Some(gradient);
        }
        Ok(answers)
    }

    fn position(&self) -> usize {
        self.0.borrow().cursor
    }

    fn group(&self, _: &str, _: usize, _: Option<&Tensor>, _: Place) -> Result<Option<Tensor>> {
        Ok(None)
    }

    fn explain(&self, target: &Tensor, source: &Source) -> Result<String> {
        self.explained(target, source)
    }
}
