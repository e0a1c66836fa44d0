//! The ops of this family by name. Knows its files.

use super::{diagonal, einsum};
use crate::graph::Entry;

/// One list for each file.
pub(in crate::ops) const OPS: &[&[Entry]] = &[diagonal::OPS, einsum::OPS];
