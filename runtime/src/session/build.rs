//! A graph under construction: its nodes, variables, and what is known of them. Knows who records into it, and no session.

use super::recorder::Building;
use crate::error::Place;
use crate::graph::{
    Builder, Home, Namespace, NodeId, Recorder, Ref, SharedNames, Slot, SlotId, Store, Tensor,
    TraceId, settle, unique_name,
};
use crate::types::Spec;
use crate::value::Variable;
use parking_lot::{Mutex, MutexGuard};
use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::{Arc, Weak};

/// A graph, as all its handles share it.
pub(super) struct Shared {
    id: TraceId,
    names: SharedNames,
    state: Mutex<State>,
}

/// What a graph consists of so far.
pub(super) struct State {
    pub builder: Builder,
    /// The nodes that a run infers again: a shape was not known when they were built.
    pub open: HashSet<NodeId>,
    /// The lines that made the placeholders, by the positions of the inputs.
    pub placeholders: Vec<Place>,
    /// The slot of each variable that is used, by its id.
    slots: HashMap<u64, SlotId>,
    /// The variable of each slot.
    pub variables: Vec<Variable>,
    /// The variables that were made here, each with the node that gives it its first value.
    pub declared: Vec<(Variable, NodeId)>,
    /// While gradients are built: the scope of new nodes, and their line.
    pub at: Option<(String, Place)>,
}

impl Shared {
    pub fn new(name: &str) -> Arc<Shared> {
        let builder = Builder::new(crate::graph::Graph { name: name.into(), ..Default::default() });
        let id = builder.id();
        let shared = Arc::new(Shared {
            id,
            names: Arc::new(std::sync::Mutex::new(Namespace::new(Arc::new(Store::default())))),
            state: Mutex::new(State {
                builder,
                open: HashSet::new(),
                placeholders: Vec::new(),
                slots: HashMap::new(),
                variables: Vec::new(),
                declared: Vec::new(),
                at: None,
            }),
        });
        let home: Weak<Shared> = Arc::downgrade(&shared);
        settle(id, home);
        shared
    }

    pub fn id(&self) -> TraceId {
        self.id
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl Home for Shared {
    fn recorder(self: Arc<Self>) -> Rc<dyn Recorder> {
        Rc::new(Building::new(self))
    }

    fn names(&self) -> &SharedNames {
        &self.names
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl State {
    /// The slot of a variable.
    pub fn slot(&mut self, variable: &Variable, spec: Spec) -> SlotId {
        if let Some(slot) = self.slots.get(&variable.id()) {
            return *slot;
        }
        let graph = &mut self.builder.graph;
        let taken = |name: &str| graph.slots.iter().any(|slot| &*slot.name == name);
        let numbered = (1..).map(|number| format!("{}_{number}", variable.name()));
        let mut names = std::iter::once(variable.name().to_string()).chain(numbered);
        let name = names.find(|name| !taken(name)).expect("there are more numbers than variables");
        let slot =
            graph.add_slot(Slot { name: name.into(), spec, trainable: variable.is_trainable() });
        self.slots.insert(variable.id(), slot);
        self.variables.push(variable.clone());
        slot
    }

    /// The slot of a variable that is used already.
    pub fn known_slot(&self, variable: &Variable) -> Option<SlotId> {
        self.slots.get(&variable.id()).copied()
    }

    /// The name of a new node, and its line.
    pub fn named(&self, label: &str, place: Place) -> (String, Place) {
        match &self.at {
            None => (unique_name(label), place),
            Some((scope, place)) => (unique_name(&format!("{scope}{label}")), *place),
        }
    }

    /// The symbolic tensor of a value.
    pub fn tensor(&self, value: Ref) -> Tensor {
        let graph = &self.builder.graph;
        let (name, place) = match value {
            Ref::Node(id, _) => (graph.node(id).name.clone(), graph.node(id).place),
            Ref::Input(id) => {
                (graph.inputs[id.index()].name.clone(), self.placeholders[id.index()])
            }
            Ref::Variable(_) | Ref::Constant(_) => ("Const".into(), Place::caller()),
        };
        match value {
            Ref::Node(id, output) => self.builder.outputs(id).swap_remove(output.into()),
            _ => self.builder.tensor_of(value, &name, place),
        }
    }
}
