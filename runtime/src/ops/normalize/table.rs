//! The ops of this family by name. Knows its files.

use super::{batch, dropout, layer, length, softmax};
use crate::graph::Entry;

/// One list for each file.
pub(in crate::ops) const OPS: &[&[Entry]] =
    &[softmax::OPS, layer::OPS, length::OPS, batch::OPS, dropout::OPS];
