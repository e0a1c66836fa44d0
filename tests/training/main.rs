//! What a program that trains needs: layers, optimisers, classifiers, host functions, and variables in files.

mod checkpoint;
mod checkpoint_files;
mod classifiers;
mod host;
mod layers;
#[path = "../support/mlp.rs"]
mod mlp;
mod optimizer;
mod optimizer_messages;
mod optimizer_plan;
mod optimizer_reference;
#[path = "../support/mod.rs"]
mod support;
