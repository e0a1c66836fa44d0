//! The ops of this family by name. Knows its files.

use super::{huber, kinds, labels};
use crate::graph::Entry;

/// One list for each file.
pub(in crate::ops) const OPS: &[&[Entry]] = &[kinds::OPS, huber::OPS, labels::OPS];
