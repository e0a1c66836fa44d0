//! The IR: regions of nodes, the user's handle on their values, and who records them. Knows no particular op.

mod attr;
mod builder;
mod close;
mod companion;
mod containers;
mod derivative;
mod eager;
mod home;
mod insertion;
mod layer;
mod lower;
mod node;
mod op;
mod operation;
mod recorder;
mod region;
mod scope;
mod stage;
mod store;
mod taken;
mod tensor;
mod text;
mod tree;
mod verify;
mod within;

pub use crate::error::{Unwound, attempt, caught, or_raise, raise};
pub use attr::{Attr, Attrs, Parsed};
pub use builder::{Builder, scalar_bits};
pub use close::{Nan, Tolerance, assert_close};
pub use companion::{Companion, Role};
pub use derivative::{
    Deferred, DeferredSource, Origin, Question, Source, Style, Watched, stand_in, standing_for,
};
pub use eager::run as run_eagerly;
pub use home::{AtHome, Home, at_home, at_home_of, home, settle};
pub use insertion::Insertion;
pub use layer::Scope;
pub use node::{ConstantId, InputId, Loop, Node, NodeId, NodeKind, Ref, SlotId};
pub use op::{Backward, Effects, Entry, Expand, Gradient, Kind, Lowered, Op, OpRef, Sample, Specs};
pub use operation::Operation;
pub use recorder::{
    Creation, Declared, Listener, Listening, Recorder, Recording, Substitute, Substituting,
    Tensors, apply, apply_all, apply_at, is_plain, is_recording, recorder, tell,
};
pub use region::{Graph, Input, Output, Slot};
pub use scope::Names as SharedNames;
pub use scope::{
    NameScope, Namespace, Naming, call_scope, name_scope, unique_name, variable_scope,
};
pub(crate) use scope::{
    ask_variable, current_scope, open_paths, open_store, owned_name, without_scopes,
};
pub use stage::{Stage, log_stage, warn};
pub use store::{Reuse, Store};
pub use tensor::{Tensor, TensorId, TraceId};
pub use tree::{Key, Leaf, Mapping, Named, Names, Tree, Written};
pub use verify::verify;
pub use within::{
    Captured, Control, assigned_slots, completed, is_condition, region, renumbered, used_slots,
};
