//! Variables in files and back, by name. Knows values, trees and bytes, and no graph.

pub(super) mod format;
mod load;
mod named;
mod npy;
mod npz;
mod order;
pub(super) mod safetensors;
mod save;
pub(super) mod whole;

pub use load::{load, load_variables, read};
pub use save::{save, save_variables};
