//! Closures of the user's as nodes of a graph: they get ndarray views and give arrays. Knows no closure.

mod body;
mod call;
mod function;
mod identity;
mod result;

pub use body::{HostBody, HostInputs};
pub use function::{HostFn, host_fn};
pub(crate) use identity::{Type as ClosureType, number as closure_number};
pub use result::{HostOutput, HostResult};
