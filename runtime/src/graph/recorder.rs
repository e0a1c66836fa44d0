//! Who takes the ops that the user's code asks for: a recorder, or, when there is none, eager execution.
//! Knows no particular recorder.

use super::{OpRef, Tensor, eager, or_raise};
use crate::error::{Place, Result};
use crate::value::Variable;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The outputs of a node; most have one.
pub type Tensors = SmallVec<[Tensor; 1]>;

/// Takes ops instead of running them: a trace, a graph under construction.
pub trait Recorder {
    /// Adds a node. `label` is its name before scopes and numbers.
    ///
    /// # Errors
    /// If the op does not take these inputs, or an input is of another trace.
    fn record(&self, op: &OpRef, inputs: &[&Tensor], label: &str, place: Place) -> Result<Tensors>;

    /// Reads a variable at this point of the program.
    ///
    /// # Errors
    /// If it has no value yet.
    fn read(&self, variable: &Variable, place: Place) -> Result<Tensor>;

    /// Gives a variable a value at this point of the program.
    ///
    /// # Errors
    /// If the value is not of the variable's type and shape.
    fn assign(&self, variable: &Variable, value: &Tensor, place: Place) -> Result<()>;

    /// Answers a condition on a tensor.
    ///
    /// # Errors
    /// If the recorder cannot follow both answers.
    fn decide(&self, condition: &Tensor, place: Place) -> Result<bool>;

    /// Gives the node of a tensor another name.
    ///
    /// # Errors
    /// If the tensor is not one of this recorder's.
    fn rename(&self, tensor: &Tensor, name: &str) -> Result<Tensor>;

    /// Learns that the code it follows makes a variable, and gives the variable to go on with: in a run that repeats
    /// an earlier one, that of the earlier run.
    ///
    /// # Errors
    /// If variables must not be made here.
    fn created(&self, variable: Variable, by: Creation, place: Place) -> Result<Variable>;
}

/// How code makes a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Creation {
    /// By `Variable::new`: whoever runs the same line again makes another.
    Plain,
    /// Once, by an owner that finds it again: `get_variable` by its name, a layer in its field.
    Kept,
}

thread_local! {
    /// The recorders of this thread, innermost last; `None` where a block runs eagerly in spite of those below.
    static STACK: RefCell<Vec<Option<Rc<dyn Recorder>>>> = const { RefCell::new(Vec::new()) };
    /// Whether the innermost is a recorder: one read decides between eager and recording.
    static ACTIVE: Cell<bool> = const { Cell::new(false) };
}

/// While it lives, ops of this thread go to a recorder, or run eagerly.
pub struct Recording(());

impl Recording {
    /// Ops go to this recorder.
    pub fn to(recorder: Rc<dyn Recorder>) -> Recording {
        Recording::push(Some(recorder))
    }

    /// Ops run at once.
    pub fn eagerly() -> Recording {
        Recording::push(None)
    }

    fn push(recorder: Option<Rc<dyn Recorder>>) -> Recording {
        ACTIVE.set(recorder.is_some());
        STACK.with_borrow_mut(|stack| stack.push(recorder));
        Recording(())
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let (popped, active) =
            STACK.with_borrow_mut(|stack| (stack.pop(), matches!(stack.last(), Some(Some(_)))));
        ACTIVE.set(active);
        drop(popped);
    }
}

/// Whether ops of this thread are recorded.
#[inline]
pub fn is_recording() -> bool {
    ACTIVE.get()
}

/// The recorder that takes the ops of this thread, unless they run eagerly.
#[inline]
pub fn recorder() -> Option<Rc<dyn Recorder>> {
    if !ACTIVE.get() {
        return None;
    }
    STACK.with_borrow(|stack| stack.last().cloned().flatten())
}

/// Applies an op of one output at the caller's line.
///
/// # Panics
/// Raises what the op refuses.
#[track_caller]
pub fn apply(op: impl Into<OpRef>, inputs: &[&Tensor], label: &str) -> Tensor {
    let mut outputs = apply_all(op, inputs, label);
    debug_assert_eq!(outputs.len(), 1, "`{label}` has one output");
    outputs.pop().expect("an op has an output")
}

/// Applies an op at the caller's line and gives all its outputs.
///
/// # Panics
/// Raises what the op refuses.
#[track_caller]
pub fn apply_all(op: impl Into<OpRef>, inputs: &[&Tensor], label: &str) -> Tensors {
    let op = op.into();
    let result = match recorder() {
        None => eager::run(&op, inputs),
        Some(recorder) => recorder.record(&op, inputs, label, Place::caller()),
    };
    or_raise(result)
}
