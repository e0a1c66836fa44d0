//! Who takes the ops that the user's code asks for: a recorder, or, when there is none, eager execution.
//! Knows no particular recorder.

use super::home::at_home;
use super::within::Control;
use super::{Companion, OpRef, Question, Source, Tensor, eager, or_raise};
use crate::error::{Place, Result};
use crate::value::Variable;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// The outputs of a node; most have one.
pub type Tensors = SmallVec<[Tensor; 1]>;

/// Takes ops instead of running them: a trace, a graph under construction.
pub trait Recorder {
    /// Adds a node. `label` is its name before scopes and numbers.
    ///
    /// # Errors
    /// If the op does not take these inputs, or an input is of another trace.
    fn record(&self, op: &OpRef, inputs: &[&Tensor], label: &str, place: Place) -> Result<Tensors>;

    /// Adds a node with regions.
    ///
    /// # Errors
    /// If an input is of another trace.
    fn control(&self, control: Control, place: Place) -> Result<Tensors>;

    /// Reads a variable at this point of the program.
    ///
    /// # Errors
    /// If it has no value yet.
    fn read(&self, variable: &Variable, place: Place) -> Result<Tensor>;

    /// Gives a variable a value at this point of the program, by a node that is called `label`; gives the value that it
    /// has then.
    ///
    /// # Errors
    /// If the value is not of the variable's type and shape.
    fn assign(
        &self,
        variable: &Variable,
        value: &Tensor,
        label: &str,
        place: Place,
    ) -> Result<Tensor>;

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

    /// Whether variables that are made here have no values of their own: sessions have.
    fn declares(&self) -> bool;

    /// Makes a variable without a value, if they are made so here.
    ///
    /// # Errors
    /// If its shape is not known.
    fn declare(&self, declared: &Declared<'_>, place: Place) -> Result<Option<Variable>>;

    /// Learns that the code it follows makes a variable, and gives the variable to go on with: in a run that repeats
    /// an earlier one, that of the earlier run.
    ///
    /// # Errors
    /// If variables must not be made here.
    fn created(&self, variable: Variable, by: Creation, place: Place) -> Result<Variable>;

    /// Learns that a variable is one that another keeps for a third: a call with others in the places of those two has
    /// theirs in its place.
    ///
    /// # Errors
    /// If variables must not be used here.
    fn kept(&self, companion: &Companion) -> Result<()>;

    /// The full name that a variable has here.
    ///
    /// # Errors
    /// If variables must not be used here.
    fn name_of(&self, variable: &Variable) -> Result<Arc<str>>;

    /// The trainable variables of floats that were read so far, in the order of their first reads; with a mark, those
    /// read since.
    ///
    /// # Errors
    /// If variables must not be used here.
    fn trained(&self, since: Option<&Tensor>) -> Result<Vec<Variable>>;

    /// Marks this point of the program, where a tape begins, or begins to watch a tensor.
    ///
    /// # Errors
    /// If gradients are not taken here.
    fn mark(&self, watched: Option<&Tensor>, place: Place) -> Result<Tensor>;

    /// Answers a question for gradients: `None` for a source to which no path leads.
    ///
    /// # Errors
    /// If gradients are not taken here, or a tensor is of another trace.
    fn gradient(&self, question: &Question, place: Place) -> Result<Vec<Option<Tensor>>>;

    /// How many nodes there are.
    fn position(&self) -> usize;

    /// The assignments since a position as one node of this full name, which gives a value when they are done; `None`
    /// where all that is recorded is run.
    fn group(
        &self,
        name: &str,
        since: usize,
        value: Option<&Tensor>,
        place: Place,
    ) -> Result<Option<Tensor>>;

    /// Says in words how far a gradient of the target comes on its way to the source.
    ///
    /// # Errors
    /// If gradients are not taken here, or the target is of another trace.
    fn explain(&self, target: &Tensor, source: &Source) -> Result<String>;
}

/// A variable to be declared.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'d> {
    /// Its full name, or what that begins with.
    pub name: &'d str,
    /// How it is made.
    pub by: Creation,
    /// Whether optimisers may change it.
    pub trainable: bool,
    /// Its first value.
    pub first: &'d Tensor,
}

/// Hears what runs eagerly: a tape.
pub trait Listener {
    /// An op has run.
    fn ran(&self, op: &OpRef, inputs: &[&Tensor], outputs: &[Tensor], label: &str, place: Place);

    /// A variable was read.
    fn read(&self, variable: &Variable, value: &Tensor, place: Place);
}

/// Puts other ops in the place of some that are asked for.
pub trait Substitute {
    /// What stands for an op; `None` where it stays.
    fn substitute(&self, op: &OpRef) -> Option<OpRef>;
}

/// How code makes a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Creation {
    /// By `Variable::new`: whoever runs the same line again makes another.
    Plain,
    /// Once, by an owner that finds it again: `get_variable` by its name, a layer in its field.
    Kept,
}

/// What becomes of an op that this thread asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// It runs.
    Eager,
    /// It runs, and somebody listens or puts another in its place.
    Heard,
    /// It is recorded.
    Recorded,
}

#[derive(Default)]
struct Stack {
    /// The recorders of this thread, innermost last; `None` where a block runs eagerly in spite of those below.
    recorders: Vec<Option<Rc<dyn Recorder>>>,
    /// Who listens, and on how many recorders.
    listeners: Vec<(usize, Rc<dyn Listener>)>,
    /// Who puts ops in the place of others, and on how many recorders; after `None`, those before do not.
    substitutes: Vec<(usize, Option<Rc<dyn Substitute>>)>,
}

impl Stack {
    fn mode(&self) -> Mode {
        match self.recorders.last() {
            Some(Some(_)) => Mode::Recorded,
            _ if self.listening().next().is_some() || self.substituting().next().is_some() => {
                Mode::Heard
            }
            _ => Mode::Eager,
        }
    }

    fn listening(&self) -> impl Iterator<Item = &Rc<dyn Listener>> {
        let depth = self.recorders.len();
        self.listeners.iter().filter(move |(on, _)| *on == depth).map(|(_, listener)| listener)
    }

    /// Who puts ops in the place of others here, innermost first.
    fn substituting(&self) -> impl Iterator<Item = &Rc<dyn Substitute>> {
        let depth = self.recorders.len();
        let here = self.substitutes.iter().rev().filter(move |(on, _)| *on == depth);
        here.map_while(|(_, substitute)| substitute.as_ref())
    }
}

thread_local! {
    static STACK: RefCell<Stack> = RefCell::default();
    /// What the stack says: one read decides what becomes of an op.
    static MODE: Cell<Mode> = const { Cell::new(Mode::Eager) };
}

fn change<R>(f: impl FnOnce(&mut Stack) -> R) -> R {
    STACK.with_borrow_mut(|stack| {
        let result = f(stack);
        MODE.set(stack.mode());
        result
    })
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
        change(|stack| stack.recorders.push(recorder));
        Recording(())
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // What is popped is dropped after the borrow: it may own tensors of any kind.
        drop(change(|stack| stack.recorders.pop()));
    }
}

/// While it lives, a listener hears what runs eagerly on this thread.
pub struct Listening(Rc<dyn Listener>);

impl Listening {
    /// It hears from now on.
    pub fn of(listener: Rc<dyn Listener>) -> Listening {
        change(|stack| stack.listeners.push((stack.recorders.len(), listener.clone())));
        Listening(listener)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let is_me = |it: &(usize, Rc<dyn Listener>)| Rc::ptr_eq(&it.1, &self.0);
        drop(change(|stack| {
            stack.listeners.iter().position(is_me).map(|at| stack.listeners.remove(at))
        }));
    }
}

/// While it lives, other ops stand for some that this thread asks for in the present recorder, or eagerly.
pub struct Substituting(());

impl Substituting {
    /// This decides; where it does not, those decide that decided before.
    pub fn by(substitute: Rc<dyn Substitute>) -> Substituting {
        Substituting::push(Some(substitute))
    }

    /// No op stands for another: what is asked for is the work of an expansion, or of a gradient rule.
    pub fn nothing() -> Substituting {
        Substituting::push(None)
    }

    fn push(substitute: Option<Rc<dyn Substitute>>) -> Substituting {
        change(|stack| stack.substitutes.push((stack.recorders.len(), substitute)));
        Substituting(())
    }
}

impl Drop for Substituting {
    fn drop(&mut self) {
        drop(change(|stack| stack.substitutes.pop()));
    }
}

/// What stands for an op.
fn substituted(op: OpRef) -> OpRef {
    if is_plain() {
        return op;
    }
    let substitutes: SmallVec<[Rc<dyn Substitute>; 2]> =
        STACK.with_borrow(|stack| stack.substituting().cloned().collect());
    substitutes.iter().find_map(|it| it.substitute(&op)).unwrap_or(op)
}

/// Whether ops of this thread are recorded.
#[inline]
pub fn is_recording() -> bool {
    MODE.get() == Mode::Recorded
}

/// Whether ops of this thread run eagerly as they are, and nobody listens.
#[inline]
pub fn is_plain() -> bool {
    MODE.get() == Mode::Eager
}

/// The recorder that takes the ops of this thread, unless they run eagerly.
#[inline]
pub fn recorder() -> Option<Rc<dyn Recorder>> {
    if !is_recording() {
        return None;
    }
    STACK.with_borrow(|stack| stack.recorders.last().cloned().flatten())
}

/// Tells all who listen.
pub fn tell(event: impl Fn(&dyn Listener)) {
    if MODE.get() == Mode::Heard {
        let listeners: Vec<_> = STACK.with_borrow(|stack| stack.listening().cloned().collect());
        listeners.iter().for_each(|it| event(&**it));
    }
}

/// Applies an op of one output at the caller's line: at once, or as a node called `label` of the function that is traced.
///
/// Ops of one's own are called by this: see [`Op`](crate::Op).
///
/// # Panics
/// Raises what the op refuses.
#[track_caller]
pub fn apply(op: impl Into<OpRef>, inputs: &[&Tensor], label: &str) -> Tensor {
    let mut outputs = apply_all(op, inputs, label);
    debug_assert_eq!(outputs.len(), 1, "`{label}` has one output");
    outputs.pop().expect("an op has an output")
}

/// Applies an op at the caller's line and gives all its outputs, as [`apply`] does.
///
/// # Panics
/// Raises what the op refuses.
#[track_caller]
pub fn apply_all(op: impl Into<OpRef>, inputs: &[&Tensor], label: &str) -> Tensors {
    or_raise(apply_at(op, inputs, label, Place::caller()))
}

/// Applies an op at a line.
///
/// # Errors
/// What the op refuses.
pub fn apply_at(
    op: impl Into<OpRef>,
    inputs: &[&Tensor],
    label: &str,
    place: Place,
) -> Result<Tensors> {
    let op = substituted(op.into());
    match recorder() {
        None => heard(&op, inputs, label, place),
        Some(recorder) => recorder.record(&op, inputs, label, place),
    }
}

/// Runs an op at once, and tells those who listen.
fn heard(op: &OpRef, inputs: &[&Tensor], label: &str, place: Place) -> Result<Tensors> {
    let outputs = match eager::run(op, inputs) {
        Ok(outputs) => outputs,
        Err(error) => {
            // A graph takes ops on its own tensors, for as long as `_home` lives.
            let _home = at_home(inputs.iter().copied());
            return match recorder() {
                Some(recorder) => recorder.record(op, inputs, label, place),
                None => Err(error),
            };
        }
    };
    tell(|listener| listener.ran(op, inputs, &outputs, label, place));
    Ok(outputs)
}
