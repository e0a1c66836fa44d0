//! What a traced function takes and gives, wherever it stands, and what it says when it is misused.

mod arguments;
mod derive;
mod errors;
mod forms;
mod messages;
mod methods;
mod saved;
mod signature;
#[path = "../support/mod.rs"]
mod support;
mod tracing;
