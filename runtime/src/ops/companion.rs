//! Variables that one variable keeps for others: made and built when they are asked for first. Knows no optimiser.

use super::created;
use super::initializer::{Constant, first_value};
use crate::error::{Place, Result};
use crate::graph::{Companion, Creation, Role, Tensor, recorder};
use crate::value::Variable;
use std::sync::Arc;

/// The variable that one keeps for another in a role, with a value; and whether it got that just now.
///
/// # Errors
/// If the other variable has no value yet.
#[track_caller]
pub(crate) fn kept(
    keeper: &Variable,
    of: &Variable,
    role: Role,
    name: &str,
) -> Result<(Variable, bool)> {
    let variable = keeper.companion(of, role.name, || name.to_string());
    if variable.spec().is_some() {
        return Ok((variable, false));
    }
    let spec = of.spec().ok_or_else(|| of.without_value())?;
    let value = first_value(&Constant(role.first), spec, name)?;
    match variable.build(value) {
        Ok(()) => Ok((variable, true)),
        // Another thread has built it meanwhile.
        Err(_) if variable.spec() == Some(spec) => Ok((variable, false)),
        Err(error) => Err(error),
    }
}

/// A variable that one keeps for another, for use at this point of the program; `name` is its full name here.
///
/// # Errors
/// If the other variable has no value yet, or variables must not be used here.
#[track_caller]
pub(crate) fn companion(
    keeper: &Variable,
    of: &Variable,
    role: Role,
    name: Arc<str>,
) -> Result<Companion> {
    let (variable, is_new) = kept(keeper, of, role, &name)?;
    if is_new {
        created(variable.clone(), Creation::Kept, Place::caller());
    }
    let companion = Companion { variable, name, keeper: keeper.clone(), of: of.clone(), role };
    if let Some(recorder) = recorder() {
        recorder.kept(&companion)?;
    }
    Ok(companion)
}

impl Companion {
    /// Its value at this point of the program.
    ///
    /// # Errors
    /// If it has none.
    #[track_caller]
    pub(crate) fn read(&self) -> Result<Tensor> {
        match recorder() {
            Some(recorder) => recorder.read(&self.variable, Place::caller()),
            None => self.variable.load().map(Tensor::from),
        }
    }

    /// Gives it a value.
    ///
    /// # Errors
    /// If the value is of another type or shape.
    #[track_caller]
    pub(crate) fn assign(&self, value: &Tensor) -> Result<()> {
        match recorder() {
            Some(recorder) => {
                let (variable, place) = (&self.variable, Place::caller());
                recorder.assign(variable, value, "AssignVariableOp", place).map(drop)
            }
            None => match (value.as_value(), value.as_symbolic()) {
                (Some(value), _) => self.variable.store(value.clone()),
                (None, Some(symbolic)) => Err(symbolic.escaped()),
                (None, None) => unreachable!("a tensor is in memory or symbolic"),
            },
        }
    }
}
