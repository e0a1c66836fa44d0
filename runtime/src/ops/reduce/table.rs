//! The ops of this family by name. Knows its rows and files.

use super::kinds::{REDUCTIONS, SUPREMUM};
use super::rows::{Reduce, Reduction, parsed};
use super::{arg, norm};
use crate::error::Result;
use crate::graph::{Entry, OpRef, Parsed};

/// One list for each file; the rows are found by [`make`].
pub(in crate::ops) const OPS: &[&[Entry]] = &[arg::OPS, norm::OPS];

/// The reduction of this name with these attributes, if there is one.
///
/// # Errors
/// If an attribute is missing or wrong.
pub(in crate::ops) fn make(name: &str, attrs: &Parsed) -> Option<Result<OpRef>> {
    let row = rows().find(|row| row.name == name)?;
    Some(parsed(attrs).map(|reduced| Reduce { row, reduced }.into()))
}

/// The rows, in order.
pub(in crate::ops) fn rows() -> impl Iterator<Item = &'static Reduction> {
    REDUCTIONS.iter().chain([&SUPREMUM])
}
