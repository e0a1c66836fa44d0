//! The ops of this family by name. Knows its files.

use super::{axis, flatten, join, pad, repeat, reshape, size, slice, split};
use crate::graph::Entry;

/// One list for each file.
pub(in crate::ops) const OPS: &[&[Entry]] = &[
    reshape::OPS,
    axis::OPS,
    flatten::OPS,
    slice::OPS,
    join::OPS,
    split::OPS,
    pad::OPS,
    repeat::OPS,
    size::OPS,
];
