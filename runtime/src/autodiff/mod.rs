//! Gradients: graph to graph, by one sweep from the targets back to the sources. Knows rules as ops give them, and no op.
//!
//! One sweep serves both: a trace's questions are answered when it is complete, and an eager tape's at once.

mod answer;
mod cone;
mod custom;
mod eager;
mod explain;
mod functions;
mod nearest;
#[cfg(test)]
mod order_check;
mod overrides;
mod reverse;
mod sources;
mod tape;

pub use answer::{Answered, answer};
pub use cone::connected;
pub use custom::custom_gradient;
pub use explain::explain;
pub use functions::{
    Vjp, explain_gradient, grad, gradients, gradients_seeded, value_and_grad, vjp,
};
pub use overrides::{gradient_override, register_gradient};
pub use reverse::{Program, Sweep, by_expansion, reverse};
pub use sources::{Sources, Targets};
pub use tape::{GradientTape, Once, Persistent, UnconnectedGradients};
