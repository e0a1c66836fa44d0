//! A variable that one variable keeps for another, as a recorder hears of it. Knows no optimiser.

use crate::value::Variable;
use std::sync::Arc;

/// What a variable keeps another one for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Role {
    /// What the kept one is called beside the variable that it is for: `m`.
    pub name: &'static str,
    /// What each of its elements is at first.
    pub first: f64,
}

/// A variable that one variable, its keeper, keeps for another, of the other's type and shape.
#[derive(Clone, Debug)]
pub struct Companion {
    /// The variable.
    pub variable: Variable,
    /// The full name that it has here.
    pub name: Arc<str>,
    /// Who keeps it.
    pub keeper: Variable,
    /// Which variable it is for.
    pub of: Variable,
    /// What it is kept for.
    pub role: Role,
}
