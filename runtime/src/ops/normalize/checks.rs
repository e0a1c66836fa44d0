//! What normalisations ask of their inputs: one float type, parameters that broadcast, a small number that is not
//! negative. Knows no formula.

use crate::error::{Error, ErrorKind, Result};
use crate::ops::broadcast::broadcasts_to;
use crate::ops::rows::{check_type, different_types};
use crate::types::{FLOATS, Spec};

/// Checks that the first input is of floats, and that all others have its type and broadcast to its shape.
///
/// # Errors
/// If they do not.
pub(super) fn check_parameters(op: &str, inputs: &[Spec]) -> Result<()> {
    let x = inputs[0];
    check_type(op, x.dtype(), FLOATS)?;
    inputs[1..].iter().try_for_each(|parameter| {
        if parameter.dtype() != x.dtype() {
            return Err(different_types(op, x, *parameter));
        }
        broadcasts_to(op, parameter.shape(), x.shape())
    })
}

/// Checks what is added before a root is divided by.
///
/// # Errors
/// If it is negative or not finite.
pub(super) fn check_epsilon(op: &str, epsilon: f64) -> Result<()> {
    if epsilon >= 0.0 && epsilon.is_finite() {
        return Ok(());
    }
    let message = format!("`{op}` needs a finite epsilon of at least 0, found {epsilon:?}");
    Err(Error::new(ErrorKind::Value, message)
        .with_help("it keeps a division away from 0: 1e-5 is a usual one"))
}
