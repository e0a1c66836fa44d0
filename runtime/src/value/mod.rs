//! Bytes in memory: buffers, values, variables, and ndarray in and out. Knows no ops.

mod array;
mod buffer;
mod bytes;
mod companions;
mod display;
mod layout;
mod lock;
mod outline;
mod role;
mod together;
#[allow(clippy::module_inception)]
// A file is named for its concept, and a value is the concept of this floor.
mod value;
mod variable;

pub use buffer::Buffer;
pub use display::Described;
pub use layout::Layout;
pub(crate) use lock::{Access, Claim, Held, Locks, Order, lend};
pub(crate) use together::{load_all, store_all};
pub use value::Value;
pub use variable::Variable;
