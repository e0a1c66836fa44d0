//! Every op, in one place each: a row, or a struct with its method and its `impl Op`. Knows kernels as requests only.

mod activations;
mod arithmetic;
mod axes;
mod broadcast;
mod cast;
mod companion;
mod compare;
mod constant;
pub(crate) mod contract;
mod control;
mod decide;
mod elementwise;
mod first;
mod forward;
mod functions;
mod get_variable;
#[cfg(test)]
mod gradient_check;
mod host;
mod index;
mod indicator;
pub(crate) mod initializer;
pub(crate) mod loss;
mod matmul;
mod movement;
mod normalize;
mod operand;
mod operators;
mod pure;
pub(crate) mod random;
mod reduce;
mod refused;
mod rows;
#[cfg(test)]
mod sample_check;
mod samples;
mod scan;
mod select;
mod sequence;
mod source;
mod state;
mod table;
mod text;
mod times;

pub(crate) use arithmetic::accumulate;
pub use axes::Axes;
pub(crate) use companion::{companion, kept};
pub use contract::Pairs;
pub use control::{cond, fori_loop, while_loop};
pub(crate) use elementwise::alias;
pub use get_variable::{GetVariable, get_variable};
pub(crate) use host::{ClosureType, closure_number};
pub use host::{HostBody, HostFn, HostInputs, HostOutput, HostResult, host_fn};
pub use movement::{Border, Dims, Slice, Slices, concat, stack};
pub(crate) use normalize::check_rate;
pub use operand::Operand;
pub use reduce::{Along, KeepDims};
pub use source::constant;
pub(crate) use source::{filled, filled_like};
pub(crate) use state::{assign, created, read};
#[cfg(test)]
pub use table::samples;
pub use table::{OpInfo, make, op_table};
pub(crate) use table::{is_readable, op_names};
pub use times::times;
