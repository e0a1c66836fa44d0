//! Every complaint, and how it is told: raised at the user's line, caught where a call gives a `Result`.
//! Knows strings, numbers and places only.

mod boundary;
mod complaint;

pub use boundary::{Unwound, attempt, caught, or_raise, raise};
pub use complaint::{Error, ErrorKind, Place, Result};
