//! A recorder that puts ops into a graph under construction: those of an expansion, or of a gradient rule.
//! Knows no op; what it inserts is a function of tensors alone.

use super::taken::Taken;
use super::within::Control;
use super::{
    Builder, Companion, Creation, Declared, Graph, Node, NodeKind, OpRef, Question, Recorder, Ref,
    Source, Tensor, Tensors,
};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::types::Spec;
use crate::value::Variable;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::Arc;

/// A graph under construction that takes the ops of this thread.
pub struct Insertion {
    /// What is done here, as a message says it: `the expansion of an op`.
    what: &'static str,
    state: RefCell<State>,
}

struct State {
    builder: Builder,
    taken: Taken,
    /// What the names of new nodes begin with, and their line.
    at: (String, Place),
}

impl Insertion {
    /// Inserts into a graph; names that `taken` has stay those of others.
    pub fn new<'n>(
        graph: Graph,
        taken: impl IntoIterator<Item = &'n str>,
        what: &'static str,
    ) -> Insertion {
        let insertion = Insertion::over(Builder::new(graph), what);
        insertion.state.borrow_mut().taken = Taken::by(taken);
        insertion
    }

    /// Goes on with a builder and its symbolic tensors.
    pub fn over(builder: Builder, what: &'static str) -> Insertion {
        let at = (String::new(), Place::caller());
        Insertion { what, state: RefCell::new(State { builder, taken: Taken::default(), at }) }
    }

    /// New nodes get names in this scope, and this line.
    pub fn at(&self, scope: String, place: Place) {
        self.state.borrow_mut().at = (scope, place);
    }

    /// Looks at the graph, or changes it.
    pub fn with<R>(&self, f: impl FnOnce(&mut Builder) -> R) -> R {
        f(&mut self.state.borrow_mut().builder)
    }

    /// The symbolic tensor of a value.
    pub fn tensor(&self, value: Ref) -> Tensor {
        let state = self.state.borrow();
        let (name, place) = match value {
            Ref::Node(id, _) => {
                let node = state.builder.graph.node(id);
                (node.name.clone(), node.place)
            }
            _ => (value.to_string().into(), state.at.1),
        };
        state.builder.tensor_of(value, &name, place)
    }

    /// The graph, at the end.
    pub fn finish(&self) -> Graph {
        self.with(|builder| std::mem::take(&mut builder.graph))
    }

    fn refused(&self, what: &str, help: &str) -> Error {
        Error::new(ErrorKind::Trace, format!("{} {what}", self.what)).with_help(help)
    }

    fn uses(&self, variable: &Variable) -> Error {
        let what = format!("uses the variable `{}`", variable.name());
        self.refused(&what, "give the op the variable's value as an input")
    }
}

impl Recorder for Insertion {
    fn record(&self, op: &OpRef, inputs: &[&Tensor], label: &str, _: Place) -> Result<Tensors> {
        let specs: SmallVec<[Spec; 4]> = inputs.iter().map(|it| it.spec()).collect();
        let outputs = op.infer(&specs)?;
        let State { builder, taken, at } = &mut *self.state.borrow_mut();
        let inputs = inputs.iter().map(|it| builder.value_of(it)).collect::<Result<_>>()?;
        let name: Arc<str> = taken.unique(format!("{}{label}", at.0)).into();
        let kind = NodeKind::Op(op.clone());
        Ok(builder.add(Node { kind, inputs, outputs, name, place: at.1 }))
    }

    fn control(&self, control: Control, _: Place) -> Result<Tensors> {
        if let Some(variable) = control.variables.first() {
            return Err(self.uses(variable));
        }
        let State { builder, taken, at } = &mut *self.state.borrow_mut();
        let inputs = control.inputs.iter().map(|it| builder.value_of(it)).collect::<Result<_>>()?;
        let name: Arc<str> = taken.unique(format!("{}{}", at.0, control.name)).into();
        let Control { kind, outputs, .. } = control;
        Ok(builder.add(Node { kind, inputs, outputs, name, place: at.1 }))
    }

    fn read(&self, variable: &Variable, _: Place) -> Result<Tensor> {
        Err(self.uses(variable))
    }

    fn assign(&self, variable: &Variable, _: &Tensor, _: &str, _: Place) -> Result<Tensor> {
        Err(self.uses(variable))
    }

    fn decide(&self, _: &Tensor, _: Place) -> Result<bool> {
        let help = "choose by element with `select`: it is a function of tensors alone";
        Err(self.refused("decides on a tensor", help))
    }

    fn rename(&self, tensor: &Tensor, _: &str) -> Result<Tensor> {
        Ok(tensor.clone())
    }

    fn declares(&self) -> bool {
        false
    }

    fn declare(&self, _: &Declared<'_>, _: Place) -> Result<Option<Variable>> {
        Ok(None)
    }

    fn created(&self, variable: Variable, _: Creation, _: Place) -> Result<Variable> {
        Err(self.uses(&variable))
    }

    fn kept(&self, companion: &Companion) -> Result<()> {
        Err(self.uses(&companion.variable))
    }

    fn name_of(&self, variable: &Variable) -> Result<Arc<str>> {
        Err(self.uses(variable))
    }

    fn trained(&self, _: Option<&Tensor>) -> Result<Vec<Variable>> {
        Err(self.refused("trains variables", "call the optimiser outside of it"))
    }

    fn mark(&self, _: Option<&Tensor>, _: Place) -> Result<Tensor> {
        Err(self.refused("opens a tape", "write its gradient as a rule"))
    }

    fn position(&self) -> usize {
        self.with(|builder| builder.graph.nodes.len())
    }

    fn group(&self, _: &str, _: usize, _: Option<&Tensor>, _: Place) -> Result<Option<Tensor>> {
        Ok(None)
    }

    fn explain(&self, _: &Tensor, _: &Source) -> Result<String> {
        Err(self.refused("asks for a gradient", "write its gradient as a rule"))
    }

    fn gradient(&self, _: &Question, _: Place) -> Result<Vec<Option<Tensor>>> {
        Err(self.refused("asks for a gradient", "write its gradient as a rule"))
    }
}
