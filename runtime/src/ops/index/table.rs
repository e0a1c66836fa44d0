//! The ops of this family by name. Knows its files.

use super::{pick, scatter, window};
use crate::graph::Entry;

/// One list for each file.
pub(in crate::ops) const OPS: &[&[Entry]] = &[pick::OPS, scatter::OPS, window::OPS];
