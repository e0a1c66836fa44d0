//! A graph: inputs, variables, constants, nodes in order, outputs. Knows no op.

use super::node::{ConstantId, InputId, Node, NodeId, Ref, SlotId};
use crate::types::{DType, Spec};
use crate::value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An input of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its path in the arguments, such as `x` or `batch.images`.
    pub name: Arc<str>,
    /// What it is.
    pub spec: Spec,
}

/// A variable as a graph knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its scoped name, such as `dense1/weight`.
    pub name: Arc<str>,
    /// What it holds.
    pub spec: Spec,
    /// Whether training changes it.
    pub trainable: bool,
}

/// An output of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its path in the returned value, such as `0` or `loss`; empty for a single tensor.
    pub name: Arc<str>,
    /// The value.
    pub value: Ref,
}

/// A program over tensors: nodes in order, each given only values that stand before it.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The traced function's name.
    pub name: Arc<str>,
    /// What a call gives it.
    pub inputs: Vec<Input>,
    /// The variables it reads or writes.
    pub slots: Vec<Slot>,
    /// The constants in it.
    pub constants: Vec<Value>,
    /// What it does, in program order.
    pub nodes: Vec<Node>,
    /// What a call gets back.
    pub outputs: Vec<Output>,
    /// What variables hold after the run, for those that change; empty until the pass `thread` has run.
    pub finals: Vec<(SlotId, Ref)>,
    /// What a node waits for beside its inputs. A graph that a session runs parts of has such; a traced one does all that
    /// it says, in order.
    pub controls: BTreeMap<NodeId, Vec<NodeId>>,
}

impl Graph {
    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The nodes, each with its index.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> + ExactSizeIterator {
        self.nodes.iter().enumerate().map(|(at, node)| (NodeId::new(at), node))
    }

    /// The node of this scoped name.
    ///
    /// ```
    /// # use graphfn::prelude::*;
    /// #[graph_fn]
    /// fn double(x: &Tensor) -> Tensor {
    ///     x + x
    /// }
    /// let concrete = double::concrete_function(&Tensor::from(1.0f32))?;
    /// assert_eq!(concrete.graph().find("add").unwrap().kind.name(), "AddV2");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn find(&self, name: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| &*node.name == name)
    }

    /// What a value is.
    pub fn spec(&self, value: Ref) -> Spec {
        match value {
            Ref::Input(id) => self.inputs[id.index()].spec,
            Ref::Variable(id) => self.slots[id.index()].spec,
            Ref::Constant(id) => self.constants[id.index()].spec(),
            Ref::Node(id, output) => self.node(id).outputs[output as usize],
        }
    }

    /// The element type of a value.
    pub fn dtype(&self, value: Ref) -> DType {
        self.spec(value).dtype()
    }

    /// Adds an input.
    pub fn add_input(&mut self, name: impl Into<Arc<str>>, spec: Spec) -> Ref {
        self.inputs.push(Input { name: name.into(), spec });
        Ref::Input(InputId::new(self.inputs.len() - 1))
    }

    /// Adds a variable.
    pub fn add_slot(&mut self, slot: Slot) -> SlotId {
        self.slots.push(slot);
        SlotId::new(self.slots.len() - 1)
    }

    /// Adds a constant.
    pub fn add_constant(&mut self, value: &Value) -> Ref {
        self.constants.push(value.clone());
        Ref::Constant(ConstantId::new(self.constants.len() - 1))
    }

    /// Adds a node.
    pub fn add_node(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId::new(self.nodes.len() - 1)
    }

    /// The value of a constant.
    pub fn constant(&self, id: ConstantId) -> &Value {
        &self.constants[id.index()]
    }

    /// The same name, inputs, variables and constants, and nothing that is done with them.
    #[must_use]
    pub fn without_nodes(&self) -> Graph {
        Graph {
            name: self.name.clone(),
            inputs: self.inputs.clone(),
            slots: self.slots.clone(),
            constants: self.constants.clone(),
            ..Graph::default()
        }
    }

    /// Every value that the outside sees: outputs, then what variables hold after the run.
    pub fn results(&self) -> impl Iterator<Item = Ref> + '_ {
        self.outputs.iter().map(|it| it.value).chain(self.finals.iter().map(|(_, value)| *value))
    }
}
