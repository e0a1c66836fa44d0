//! The frames of TensorFlow's record files: length, its check, bytes, their check. Knows no messages.

use super::checksum::crc32c;
use std::io::{Result, Write};

/// Writes one record.
///
/// # Errors
/// What the writer says.
pub fn write_record(out: &mut impl Write, data: &[u8]) -> Result<()> {
    let length = (data.len() as u64).to_le_bytes();
    out.write_all(&length)?;
    out.write_all(&masked(&length).to_le_bytes())?;
    out.write_all(data)?;
    out.write_all(&masked(data).to_le_bytes())
}

/// A check turned and moved, so that a record of records is checked as well as any.
fn masked(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}
