//! A graph under construction and the symbolic tensors of its values. Knows nodes; who asks for them stands above.

use super::node::{ConstantId, Node, NodeId, Ref};
use super::recorder::Tensors;
use super::region::Graph;
use super::tensor::{Origin, Symbolic, Tensor, TensorId, TraceId};
use crate::error::{Place, Result};
use crate::types::Spec;
use crate::value::Value;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A graph under construction.
#[derive(Debug)]
pub struct Builder {
    id: TraceId,
    /// The graph so far.
    pub graph: Graph,
    /// Constants by where they are, and scalars by what they are.
    constants: HashMap<ConstantKey, Ref>,
    /// Tensors in memory that a tape watches: constants of their own, whatever others hold the same.
    watched: HashMap<TensorId, Ref>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum ConstantKey {
    Bits(Spec, u64),
    Address(Spec, usize, SmallVec<[isize; 6]>),
}

impl ConstantKey {
    fn of(value: &Value) -> ConstantKey {
        match scalar_bits(value) {
            Some(bits) => ConstantKey::Bits(value.spec(), bits),
            None => ConstantKey::Address(value.spec(), value.as_ptr().addr(), value.strides()),
        }
    }
}

impl Builder {
    /// Builds on a graph; symbolic tensors of other builders are foreign to it.
    pub fn new(graph: Graph) -> Builder {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let constants = graph.constants.iter().enumerate();
        let constants = constants
            .map(|(at, value)| (ConstantKey::of(value), Ref::Constant(ConstantId::new(at))))
            .collect();
        Builder {
            id: TraceId(NEXT.fetch_add(1, Ordering::Relaxed)),
            graph,
            constants,
            watched: HashMap::new(),
        }
    }

    /// The number that its symbolic tensors have.
    pub fn id(&self) -> TraceId {
        self.id
    }

    /// Adds a node and gives its outputs.
    pub fn add(&mut self, node: Node) -> Tensors {
        let at = self.graph.add_node(node);
        self.outputs(at)
    }

    /// The outputs of a node.
    pub fn outputs(&self, at: NodeId) -> Tensors {
        let node = self.graph.node(at);
        let outputs = node.outputs.iter().enumerate();
        outputs
            .map(|(i, spec)| self.tensor(Ref::Node(at, i as u16), *spec, &node.name, i, node.place))
            .collect()
    }

    /// The symbolic tensor of a value that is not a node's: an input, a variable's.
    pub fn tensor_of(&self, value: Ref, name: &str, place: Place) -> Tensor {
        self.tensor(value, self.graph.spec(value), name, 0, place)
    }

    /// The value of a tensor in this graph; one in memory becomes a constant.
    ///
    /// # Errors
    /// If the tensor is of another graph.
    pub fn value_of(&mut self, tensor: &Tensor) -> Result<Ref> {
        match (tensor.as_symbolic(), tensor.as_value()) {
            (Some(symbolic), _) if symbolic.trace == self.id => Ok(symbolic.value),
            (Some(symbolic), _) => Err(symbolic.escaped()),
            (None, Some(value)) => Ok(self.watched(tensor).unwrap_or_else(|| self.constant(value))),
            (None, None) => unreachable!("a tensor is in memory or symbolic"),
        }
    }

    /// From here on, a tensor in memory is a constant of its own.
    pub fn watch(&mut self, tensor: &Tensor) {
        if let (Some(id), Some(value)) = (tensor.id(), tensor.as_value()) {
            let graph = &mut self.graph;
            self.watched.entry(id).or_insert_with(|| graph.add_constant(value));
        }
    }

    /// The constant that is a tensor in memory and nothing else, if it is watched.
    pub fn watched(&self, tensor: &Tensor) -> Option<Ref> {
        self.watched.get(&tensor.id()?).copied()
    }

    /// The constant that is this value.
    pub fn constant(&mut self, value: &Value) -> Ref {
        let graph = &mut self.graph;
        let known = self.constants.entry(ConstantKey::of(value));
        *known.or_insert_with(|| graph.add_constant(value))
    }

    fn tensor(&self, value: Ref, spec: Spec, node: &str, output: usize, place: Place) -> Tensor {
        let name: Arc<str> = format!("{node}:{output}").into();
        let origin = Origin { function: self.graph.name.clone(), name, place };
        Tensor::symbolic(Symbolic { trace: self.id, value, spec, origin })
    }
}

/// The bits of a scalar.
pub fn scalar_bits(value: &Value) -> Option<u64> {
    use crate::types::DType;
    if value.spec().rank() > 0 {
        return None;
    }
    Some(match value.dtype() {
        DType::F32 => value.as_slice::<f32>()?[0].to_bits().into(),
        DType::F64 => value.as_slice::<f64>()?[0].to_bits(),
        DType::I32 => value.as_slice::<i32>()?[0].cast_unsigned().into(),
        DType::I64 => value.as_slice::<i64>()?[0].cast_unsigned(),
        DType::U8 => value.as_slice::<u8>()?[0].into(),
        DType::Bool => value.as_slice::<bool>()?[0].into(),
    })
}
