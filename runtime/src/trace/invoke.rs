//! Concrete functions that are made of graphs, and called by themselves: saved ones, and runs of sessions. Knows no cache.

use super::concrete::{Binding, Bound, BoundVariable, Concrete, ConcreteFunction};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{
    Control, Graph, Node, NodeKind, Ref, Tensor, Tensors, apply_at, at_home, is_plain, name_scope,
    recorder, unique_name,
};
use crate::ops::{assign, read};
use crate::passes;
use crate::types::{Spec, Symbol};
use crate::value::Variable;
use smallvec::{SmallVec, smallvec};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

impl ConcreteFunction {
    /// The function that a graph is, with a variable for each of its slots.
    ///
    /// # Errors
    /// If the graph cannot be planned.
    pub(crate) fn of_graph(graph: Graph, variables: Vec<Variable>) -> Result<ConcreteFunction> {
        let optimised = passes::run(&graph)?;
        let specs = graph.inputs.iter().map(|it| it.spec).collect();
        let slots = graph.slots.iter().zip(&variables);
        let bound = slots.map(|(slot, it)| BoundVariable::new(&slot.name, it)).collect();
        let bindings = (0..variables.len()).map(Binding::Captured).collect();
        let all = Bound { bindings, captured: variables, kept: Vec::new() };
        let concrete = Arc::new(Concrete::new(graph, optimised, all)?);
        Ok(ConcreteFunction::new_bound(concrete, bound, specs))
    }

    /// Calls the function on tensors, one for each of its inputs, and gives its outputs in their order.
    ///
    /// It runs on the variables that it is bound to. In a traced function and in a graph, its nodes become a part of
    /// that, in a scope of the function's name.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// #[graph_fn]
    /// fn double(x: &Tensor) -> Tensor {
    ///     x + x
    /// }
    /// let x = Tensor::from([1.0f32, 2.0]);
    /// let concrete = double::concrete_function(&x)?;
    /// assert_eq!(concrete.call([&x])?[0].to_vec::<f32>(), [2.0, 4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// If the inputs are not those of its signature, or the data make an op fail.
    #[track_caller]
    pub fn call<'t>(&self, inputs: impl IntoIterator<Item = &'t Tensor>) -> Result<Vec<Tensor>> {
        let place = Place::caller();
        let inputs: SmallVec<[&Tensor; 8]> = inputs.into_iter().collect();
        let placed = |error: Error| error.in_function(self.name()).at(place);
        self.check(&inputs).map_err(placed)?;
        let _home = at_home(inputs.iter().copied());
        if !is_plain() || inputs.iter().any(|it| it.is_symbolic()) {
            return self.replayed(&inputs).map_err(placed);
        }
        let values: SmallVec<[_; 8]> = inputs.iter().filter_map(|it| it.as_value()).collect();
        let variables: SmallVec<[&Variable; 24]> =
            self.variables().iter().map(BoundVariable::variable).collect();
        let mut outputs = SmallVec::new();
        self.run_bound(&values, &variables, &mut outputs).map_err(placed)?;
        Ok(outputs.into_iter().map(Tensor::from).collect())
    }

    /// Whether the inputs are those of the signature.
    fn check(&self, inputs: &[&Tensor]) -> Result<()> {
        let wanted = self.inputs();
        if wanted.len() != inputs.len() {
            let message = format!("{} inputs are wanted, and {} given", wanted.len(), inputs.len());
            return Err(Error::new(ErrorKind::Signature, message)
                .with_help(format!("its signature is {}", self.signature())));
        }
        let mut sizes: BTreeMap<Symbol, usize> = BTreeMap::new();
        for (wanted, found) in wanted.iter().zip(inputs) {
            if !fits(wanted.spec, found.spec(), &mut sizes) {
                let message = format!(
                    "input `{}` is {}, and {} is given",
                    wanted.name,
                    wanted.spec,
                    found.spec()
                );
                return Err(Error::new(ErrorKind::Signature, message)
                    .with_help(format!("its signature is {}", self.signature())));
            }
        }
        Ok(())
    }

    /// Does what the graph says, op by op: into a graph or a trace, or heard by a tape.
    fn replayed(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        let _scope = name_scope(self.name()).open();
        let variables: Vec<Variable> =
            self.variables().iter().map(|it| it.variable().clone()).collect();
        let inputs: Vec<Tensor> = inputs.iter().copied().cloned().collect();
        play(self.graph(), &inputs, &variables)
    }
}

/// Does what a graph says, op by op.
fn play(graph: &Graph, inputs: &[Tensor], variables: &[Variable]) -> Result<Vec<Tensor>> {
    let mut values: HashMap<Ref, Tensor> = HashMap::new();
    let value = |value: Ref, made: &HashMap<Ref, Tensor>| match value {
        Ref::Input(id) => inputs[id.index()].clone(),
        Ref::Constant(id) => graph.constant(id).clone().into(),
        other => made.get(&other).expect("a node stands before its uses").clone(),
    };
    for (id, node) in graph.iter() {
        let given: Vec<Tensor> = node.inputs.iter().map(|it| value(*it, &values)).collect();
        let made = match &node.kind {
            NodeKind::Op(op) => {
                let given: SmallVec<[&Tensor; 3]> = given.iter().collect();
                apply_at(op.clone(), &given, &node.name, node.place)?
            }
            NodeKind::Read(slot) => smallvec![read(&variables[slot.index()])?],
            NodeKind::Assign(slot) => {
                assign(&variables[slot.index()], &given[0], &node.name)?;
                continue;
            }
            NodeKind::If(_) | NodeKind::While(_) => control(node, given, variables)?,
            NodeKind::Group | NodeKind::Mark | NodeKind::Gradient(_) => {
                unreachable!("a finished trace has neither groups nor questions")
            }
        };
        for (at, tensor) in made.into_iter().enumerate() {
            values.insert(Ref::Node(id, at as u16), tensor);
        }
    }
    Ok(graph.outputs.iter().map(|it| value(it.value, &values)).collect())
}

/// Does what a node with regions says: as a node, where it is recorded.
fn control(node: &Node, mut given: Vec<Tensor>, variables: &[Variable]) -> Result<Tensors> {
    if let Some(recorder) = recorder() {
        let control = Control {
            kind: node.kind.clone(),
            inputs: given,
            outputs: node.outputs.clone(),
            variables: variables.to_vec(),
            name: unique_name(&node.name),
        };
        return recorder.control(control, node.place);
    }
    match &node.kind {
        NodeKind::If(arms) => {
            let arm = usize::from(!given.remove(0).value().item::<bool>()?);
            play(&arms[arm], &given, variables).map(Tensors::from)
        }
        NodeKind::While(it) => {
            while play(&it.condition, &given, variables)?[0].value().item::<bool>()? {
                let next = play(&it.body, &given, variables)?;
                given.splice(..next.len(), next);
            }
            given.truncate(node.outputs.len());
            Ok(given.into())
        }
        _ => unreachable!("asked for nodes with regions"),
    }
}

/// Whether a value of this spec may be given where another is said, some of whose sizes may be symbols.
fn fits(wanted: Spec, found: Spec, sizes: &mut BTreeMap<Symbol, usize>) -> bool {
    if wanted == found {
        return true;
    }
    if wanted.dtype() != found.dtype() || !found.shape().has_rank() || wanted.rank() != found.rank()
    {
        return false;
    }
    wanted.shape().dims().iter().zip(found.shape().dims()).all(|(wanted, found)| {
        match (wanted.as_symbol(), found.known()) {
            (Some(symbol), Some(size)) => *sizes.entry(symbol).or_insert(size) == size,
            _ => wanted == found,
        }
    })
}
