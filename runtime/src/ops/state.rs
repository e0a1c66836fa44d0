//! Variables as users make, read and assign them: at once, or as nodes of a trace. Knows recorders, and no initialiser.

use super::operand::Operand;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{
    Creation, Declared, Tensor, at_home_of, is_recording, or_raise, recorder, stand_in, tell,
};
use crate::value::Variable;

impl Variable {
    /// A variable of this name that holds a value, trainable unless said otherwise.
    ///
    /// A traced function that makes one keeps it: the variable is made while the function is traced, and later calls of
    /// the trace find it as they left it.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let a = Variable::new("a", 0.0f32);
    /// a.assign(&a + 1.0);
    /// assert_eq!(a.read().item::<f32>(), 1.0);
    /// ```
    ///
    /// # Panics
    /// Raises an error if the value is one of a trace, or if a line of a traced function makes a second one, in the same trace
    /// or another: make it outside, or use [`get_variable`](crate::get_variable).
    #[track_caller]
    pub fn new(name: &str, value: impl Into<Tensor>) -> Variable {
        let (first, by) = (value.into(), Creation::Plain);
        let declared = Declared { name, by, trainable: true, first: &first };
        match declare(&declared, Place::caller()) {
            Some(variable) => variable,
            None => created(Variable::from_value(name, first.value()), by, Place::caller()),
        }
    }

    /// Its value at this point of the program; later assignments do not change a tensor that was read.
    ///
    /// # Panics
    /// Raises an error if it has no value yet.
    #[track_caller]
    pub fn read(&self) -> Tensor {
        or_raise(read(self))
    }

    /// Gives it another value of its type and shape, and gives that value back.
    ///
    /// # Panics
    /// Raises an error if the value has another type or shape; the variable then keeps its value.
    #[track_caller]
    pub fn assign(&self, value: impl Operand) -> Tensor {
        or_raise(assign(self, value, "AssignVariableOp"))
    }

    /// Adds to its value, and gives the new value back.
    ///
    /// # Panics
    /// As [`assign`](Variable::assign).
    #[track_caller]
    pub fn assign_add(&self, value: impl Operand) -> Tensor {
        self.assign(self.read().add(value))
    }

    /// Subtracts from its value, and gives the new value back.
    ///
    /// # Panics
    /// As [`assign`](Variable::assign).
    #[track_caller]
    pub fn assign_sub(&self, value: impl Operand) -> Tensor {
        self.assign(self.read().sub(value))
    }
}

/// Whether a recorder makes the variables, and keeps no values.
pub(crate) fn declares() -> bool {
    recorder().is_some_and(|recorder| recorder.declares())
}

/// The variable, where a recorder makes it that keeps no values.
#[track_caller]
pub(crate) fn declare(declared: &Declared<'_>, place: Place) -> Option<Variable> {
    recorder().and_then(|recorder| or_raise(recorder.declare(declared, place)))
}

/// Tells the recorder, if there is one, of a variable that the code it follows makes; gives the one to go on with.
#[track_caller]
pub(crate) fn created(variable: Variable, by: Creation, place: Place) -> Variable {
    match recorder() {
        Some(recorder) => or_raise(recorder.created(variable, by, place)),
        None => variable,
    }
}

/// The value of a variable at this point of the program.
#[track_caller]
pub(crate) fn read(variable: &Variable) -> Result<Tensor> {
    if let Some(tensor) = stand_in(variable) {
        return Ok(tensor.clone());
    }
    directly(variable)?;
    let _home = at_home_of(variable)?;
    match recorder() {
        Some(recorder) => recorder.read(variable, Place::caller()),
        None => {
            let value = variable.load().map(Tensor::from)?;
            let place = Place::caller();
            tell(|listener| listener.read(variable, &value, place));
            Ok(value)
        }
    }
}

/// Gives a variable a value, in a trace by a node of this name.
#[track_caller]
pub(crate) fn assign(variable: &Variable, value: impl Operand, label: &str) -> Result<Tensor> {
    if variable.stands_for().is_some() {
        let message = format!("`{}` holds a gradient and is not assigned", variable.name());
        return Err(Error::new(ErrorKind::Variable, message)
            .with_help("assign the variable that it is the gradient of"));
    }
    directly(variable)?;
    let dtype = variable.spec().ok_or_else(|| variable.without_value())?.dtype();
    let value = value.operand(dtype)?.into_owned();
    let _home = at_home_of(variable)?;
    if let Some(recorder) = recorder() {
        return recorder.assign(variable, &value, label, Place::caller());
    }
    match (value.as_value(), value.as_symbolic()) {
        (Some(value), _) => variable.store(value.clone())?,
        (None, Some(symbolic)) => return Err(symbolic.escaped()),
        (None, None) => unreachable!("a tensor is in memory or symbolic"),
    }
    Ok(value)
}

/// Refuses the direct use, in a trace, of a variable that another one keeps: a call with another keeper would find that
/// of the first.
fn directly(variable: &Variable) -> Result<()> {
    if !variable.is_kept() || !is_recording() {
        return Ok(());
    }
    let message = format!(
        "`{}` is what an optimiser remembers, and is read or assigned in a traced function",
        variable.name()
    );
    Err(Error::new(ErrorKind::Variable, message).with_help(
        "do so outside of the function; in it, the optimiser alone uses what it remembers",
    ))
}
