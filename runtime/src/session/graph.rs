//! The user's handle on a graph under construction. Knows how its parts are made, and no session.

use super::build::{Shared, State};
use super::control::grouped;
use super::default::AsDefault;
use crate::error::Place;
use crate::graph::{self, AtHome, Home, NodeId, Operation, Ref, Tensor, home, unique_name};
use crate::ops::GetVariable;
use crate::ops::initializer::Initializer;
use crate::types::{Element, Shape, Spec};
use crate::value::Variable;
use std::fmt;
use std::sync::Arc;

/// A graph that is built first, op by op, and run later by a [`Session`](crate::Session): the face of TensorFlow 1.
///
/// While [`as_default`](Graph::as_default) is in force, all ops of the thread go to it. Without that, ops on its tensors
/// and variables do. A clone is another handle of the same graph.
///
/// ```
/// use graphfn::prelude::*;
///
/// let graph = Graph::new();
/// let (a, b) = (graph.constant(1), graph.constant(1));
/// let c = &a + &b;
/// assert_eq!(c.to_string(), "Tensor(\"add:0\", shape=(), dtype=int32)");
/// assert_eq!(Session::new(&graph).run(&c)?.item::<i32>(), 2);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Graph(pub(super) Arc<Shared>);

impl Default for Graph {
    fn default() -> Graph {
        Graph::new()
    }
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Graph {
        Graph(Shared::new("graph"))
    }

    /// Makes it the graph that ops of this thread go to, until what it gives is dropped.
    pub fn as_default(&self) -> AsDefault {
        AsDefault::new(self)
    }

    pub(super) fn enter(&self) -> AtHome {
        AtHome::of(self.0.clone())
    }

    /// A tensor that each run is given a value for; a size that varies is `None` in [`Shape::partial`], and nothing at
    /// all need be known: [`Shape::unknown`].
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let images = Graph::new().placeholder::<f32>(Shape::partial([None, Some(784)]));
    /// assert_eq!(images.to_string(), "Tensor(\"Placeholder:0\", shape=(None, 784), dtype=float32)");
    /// ```
    #[track_caller]
    pub fn placeholder<T: Element>(&self, shape: impl Into<Shape>) -> Tensor {
        let _home = self.enter();
        let name = unique_name("Placeholder");
        let state = &mut *self.0.state();
        state.placeholders.push(Place::caller());
        let value = state.builder.graph.add_input(name, Spec::new(T::DTYPE, shape));
        state.tensor(value)
    }

    /// A tensor of the graph that always has this value.
    #[track_caller]
    pub fn constant(&self, value: impl Into<Tensor>) -> Tensor {
        let value = value.into();
        let _home = self.enter();
        let name = unique_name("Const");
        let state = &mut *self.0.state();
        let constant = graph::or_raise(state.builder.value_of(&value));
        state.builder.tensor_of(constant, &name, Place::caller())
    }

    /// The `f32` variable of this name, as [`get_variable`](crate::get_variable) in this graph.
    ///
    /// # Panics
    /// As [`GetVariable::build`].
    #[track_caller]
    pub fn get_variable(
        &self,
        name: &str,
        shape: impl Into<Shape>,
        initializer: impl Initializer + 'static,
    ) -> Variable {
        let _home = self.enter();
        GetVariable::new(name, shape).initializer(initializer).build()
    }

    /// The operation that gives all variables of the graph their first values; it is called `init`.
    #[track_caller]
    pub fn global_variables_initializer(&self) -> Operation {
        let _home = self.enter();
        let assigned = {
            let state = self.0.state();
            let assigned = state.declared.iter().map(|(_, id)| state.tensor(Ref::node(*id)));
            assigned.map(Operation::of).collect::<Vec<_>>()
        };
        grouped(&assigned, "init", Place::caller())
    }

    /// The variables that were made in the graph, in the order in which they were.
    pub fn global_variables(&self) -> Vec<Variable> {
        self.0.state().declared.iter().map(|(variable, _)| variable.clone()).collect()
    }

    /// Those of them that optimisers change.
    pub fn trainable_variables(&self) -> Vec<Variable> {
        self.global_variables().into_iter().filter(Variable::is_trainable).collect()
    }

    /// The graph as it is now, to be looked at, printed, drawn or exported.
    pub fn to_ir(&self) -> graph::Graph {
        self.0.state().builder.graph.clone()
    }
}

/// Changes what a tensor's graph knows of the node that made it.
pub(super) fn building(tensor: &Tensor, change: impl FnOnce(&mut State, NodeId)) {
    let Some(symbolic) = tensor.as_symbolic() else { return };
    let Ref::Node(id, _) = symbolic.value else { return };
    if let Some(shared) = shared(symbolic.trace) {
        change(&mut shared.state(), id);
    }
}

/// The graph of this number.
fn shared(id: graph::TraceId) -> Option<Arc<Shared>> {
    let home: Arc<dyn Home> = home(id)?;
    home.as_any().downcast().ok()
}

/// Its nodes, as [`Graph::to_ir`] prints.
impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.state().builder.graph.fmt(f)
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.state();
        let (nodes, variables) = (state.builder.graph.nodes.len(), state.declared.len());
        write!(f, "Graph({nodes} nodes, {variables} variables)")
    }
}
