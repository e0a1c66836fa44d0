//! Trace plain Rust functions over tensors into cached, optimised graphs.

extern crate self as graphfn;

mod autodiff;
mod error;
mod graph;
mod interop;
#[doc(hidden)]
pub mod kernels;
mod ops;
mod passes;
mod plan;
mod session;
mod trace;
mod train;
mod types;
mod value;

pub use autodiff::{
    GradientTape, Once, Persistent, Sources, Targets, UnconnectedGradients, Vjp, custom_gradient,
    explain_gradient, grad, gradient_override, gradients, gradients_seeded, register_gradient,
    value_and_grad, vjp,
};
pub use error::{Error, ErrorKind, Place, Result};
pub use graph::{
    Attr, Attrs, Backward, Effects, Expand, Gradient, Kind, Lowered, NameScope, Nan, Op, OpRef,
    Operation, Sample, Scope, Specs, Tensor, Tensors, Tolerance, Tree, apply, apply_all,
    assert_close, attempt, name_scope, variable_scope,
};
pub use graphfn_macros::{Tree, einsum, graph_fn};
pub use interop::tensorboard::SummaryWriter;
pub use kernels::{Kernel, Lowering};
pub use ops::{
    Along, Axes, Border, Dims, GetVariable, HostBody, HostFn, HostInputs, HostOutput, HostResult,
    KeepDims, OpInfo, Operand, Pairs, Slice, Slices, concat, cond, constant, fori_loop,
    get_variable, host_fn, op_table, stack, times, while_loop,
};
pub use session::{
    AsDefault, Feeds, Fetch, Graph, Session, control_dependencies, default_graph, group, no_op,
};
pub use trace::boundary::{Number, Output};
pub use trace::{
    BoundVariable, ConcreteFunction, GraphFn, Retraces, Traceable, TracedClosure,
    concrete_function_of, eager, graph_fn,
};
pub use train::optimizer::{Adagrad, Adam, AdamW, GradientDescent, Momentum, Optimizer, RmsProp};
pub use train::{Activation, BatchNorm, Dense, Dropout, Embedding, LayerNorm, Phase};
pub use types::{DType, Dim, Element, Shape, Spec, Symbol};
pub use value::{Value, Variable};

/// First values of variables: `get_variable("weight", [3], init::Normal { mean: 0.0, std: 0.1 })`.
pub mod init {
    pub use crate::ops::initializer::{
        Constant, GlorotNormal, GlorotUniform, HeNormal, HeUniform, Initializer, Normal, Ones,
        Stream, TruncatedNormal, Uniform, Zeros,
    };
}

/// What a traced function, or a part of a graph, consists of: to be looked at, printed and parsed.
///
/// [`ConcreteFunction::graph`] and [`Graph::to_ir`] give an [`ir::Graph`].
pub mod ir {
    pub use crate::graph::{
        ConstantId, Graph, Input, InputId, Node, NodeId, NodeKind, Output, Ref, Slot, SlotId,
    };
}

/// Variables and whole models in files: safetensors and NumPy's npz.
///
/// `checkpoint::save(&model, "model.safetensors")?` and `checkpoint::load(&model, "model.safetensors")?`.
pub mod checkpoint {
    pub use crate::interop::checkpoint::{load, load_variables, read, save, save_variables};
}

/// Graphs in TensorFlow's format: `concrete.graphdef()?.save("step.pb")?`, and the parts of what that gives.
pub mod graphdef {
    pub use crate::interop::graphdef::{
        AttrValue, DimProto, GraphDef, NodeDef, ShapeProto, TensorProto, VersionDef,
    };
}

/// How far predictions are from what is wanted.
///
/// All give one number for each example: the last axis is what an example consists of, and goes away. So the loss of a
/// batch is `loss::mse(&predictions, &targets).mean()`, and examples can be weighted before. The predictions stand first,
/// as in PyTorch and Optax; Keras has them second. Nothing broadcasts: two shapes that differ are an error, for a column
/// against a vector would silently compare everything with everything.
pub mod loss {
    pub use crate::ops::loss::{
        binary_cross_entropy, hinge, huber, kl_div, mae, mse, nll, sigmoid_cross_entropy,
        softmax_cross_entropy, sparse_softmax_cross_entropy,
    };
}

/// What optimisers are made of: learning rates and their schedules, clipping, and what a rule of one's own needs.
pub mod optimizer {
    pub use crate::train::optimizer::{
        Clip, CosineDecay, ExponentialDecay, Kind, Loss, Rate, Role, Settings, Update, Updated,
    };
}

/// Random numbers: of the default generator, of generators of one's own, and as functions of a seed.
pub mod random {
    pub use crate::kernels::random::Real;
    pub use crate::ops::random::{
        Generator, normal, set_seed, stateless_normal, stateless_truncated_normal,
        stateless_uniform, truncated_normal, uniform,
    };
}

/// What most programs need: `use graphfn::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Activation, Adagrad, Adam, AdamW, BatchNorm, Border, ConcreteFunction, DType, Dense,
        Dropout, Embedding, Error, ErrorKind, GradientDescent, GradientTape, Graph, KeepDims,
        LayerNorm, Momentum, Operand, Operation, Optimizer, Phase, RmsProp, Scope, Session, Shape,
        Slice, Tensor, Tree, Variable, attempt, concat, concrete_function_of, constant,
        default_graph, einsum, feed, get_variable, grad, gradients, graph_fn, host_fn, init,
        name_scope, random, stack, value_and_grad, variable_scope, vjp,
    };
}

/// What the macros' expansions call: not for users, and not stable.
#[doc(hidden)]
pub mod __private {
    pub use crate::error::Error;
    pub use crate::graph::{Key, Mapping, Names, Tensor, Tree, Written};
    pub use crate::ops::contract::{einsum, term};
    pub use crate::trace::boundary::{
        Number, Output, concrete, run, try_value, value, write_back, zero_sized,
    };
    pub use crate::trace::{
        ConcreteFunction, Declared, DeclaredDim, GraphFn, Mode, Outcome, Retraces,
    };
    pub use crate::types::Element;
}

/// Values for placeholders: `feed! { a => 2, b => array }`.
#[macro_export]
macro_rules! feed {
    ($($target:expr => $value:expr),* $(,)?) => {
        $crate::Feeds::new()$(.with(&$target, $value))*
    };
}

/// The README's code is a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
