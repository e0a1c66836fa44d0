//! A call of a traced function: look the key up and run the plan, or trace first. Knows no op.

use super::arguments::{Arguments, check_declared, scopes};
use super::concrete::ConcreteFunction;
use super::first::find_or_trace;
use super::function::{Entry, GraphFn};
use super::identity::type_id_of;
use super::template::Template;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{
    Key, Mapping, Names, Namespace, Naming, Tensor, Tree, attempt, call_scope, is_plain,
    is_recording, open_paths, raise,
};
use crate::value::Variable;
use smallvec::SmallVec;
use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::panic::Location;

/// How deep traced functions may call each other.
const DEPTH: usize = 128;

/// What a call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Its result.
    Call,
    /// The trace that it would use.
    Concrete,
}

/// What a call gave.
pub enum Outcome<R> {
    /// Its result.
    Value(R),
    /// The trace that it would use.
    Concrete(ConcreteFunction),
}

thread_local! {
    /// Whether calls of this thread run their bodies eagerly.
    static EAGER: Cell<bool> = const { Cell::new(false) };
    /// How deep the running function calls are nested.
    static NESTED: Cell<usize> = const { Cell::new(0) };
    /// Whether the next call shall give its trace and not its result.
    static IS_WANTED: Cell<bool> = const { Cell::new(false) };
    /// The trace that was wanted.
    static FOUND: RefCell<Option<ConcreteFunction>> = const { RefCell::new(None) };
}

/// Runs a block in which calls of traced functions run their bodies, op by op, as plain Rust: for debugging.
///
/// ```
/// use graphfn::prelude::*;
///
/// #[graph_fn]
/// fn double(x: &Tensor) -> Tensor {
///     println!("{x}");
///     x + x
/// }
/// assert_eq!(graphfn::eager(|| double(&Tensor::from(2.0f32))).item::<f32>(), 4.0); // prints 2
/// assert_eq!(double::trace_count(), 0);
/// ```
pub fn eager<R>(block: impl FnOnce() -> R) -> R {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            EAGER.set(self.0);
        }
    }
    let _back = Back(EAGER.replace(true));
    block()
}

/// The trace that the first traced function called in a block would use; the block runs no further.
///
/// It serves where a function has no handle: methods of traits, also through `dyn`, and closures.
///
/// # Errors
/// If tracing fails, or the block calls no traced function; also in a program built with `panic = "abort"`, where the
/// block cannot be stopped.
#[track_caller]
pub fn concrete_function_of<R>(block: impl FnOnce() -> R) -> Result<ConcreteFunction> {
    if cfg!(panic = "abort") {
        let message =
            "`concrete_function_of` stops its block by unwinding, found `panic = \"abort\"`";
        return Err(Error::new(ErrorKind::Trace, message)
            .with_help("ask the function itself: `f::concrete_function(..)`, or `m_concrete_function(..)` for a method")
            .at(Place::caller()));
    }
    // The block may panic, too.
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            IS_WANTED.set(self.0);
        }
    }
    let _back = Back(IS_WANTED.replace(true));
    let before = FOUND.take();
    let result = attempt(block);
    match (FOUND.replace(before), result) {
        (Some(concrete), _) => Ok(concrete),
        (None, Err(error)) => Err(error),
        (None, Ok(_)) => Err(Error::new(ErrorKind::Trace, "the block called no traced function")
            .with_help("call a function or method that has `#[graph_fn]` in it")
            .at(Place::caller())),
    }
}

/// The one entry of every traced function.
///
/// `key` walks the arguments, `name` names them, `body` runs the user's code on mapped arguments. `instance` is a value
/// whose type carries every generic of the function; non-generic functions have none.
///
/// # Errors
/// What the body raises while it is traced, and what running it on these data raises.
#[inline]
#[track_caller]
pub fn enter<'a, R: Tree + Any + Send + Sync, G>(
    function: &GraphFn,
    mode: Mode,
    instance: Option<&G>,
    key: impl Fn(&mut Key<'a>),
    name: impl Fn(&mut Names<'_>),
    body: impl FnMut(&mut Mapping<'_>) -> R,
) -> Result<Outcome<R>> {
    let instance = instance.map(|_| type_id_of::<G>());
    let caller = Location::caller();
    // An error that has no place of its own is about the call itself.
    let placed = |error: Error| error.in_function(function.name()).at(caller.into());
    if mode == Mode::Call && !is_special() {
        let mut words = Key::new();
        key(&mut words);
        check_declared(function.signature(), &words).map_err(placed)?;
        if let Some(found) = function.find(instance, &words) {
            return call(&found, &words).map(Outcome::Value).map_err(placed);
        }
    }
    slow(function, mode, instance, &key, &name, body, caller.into()).map_err(placed)
}

#[inline]
fn is_special() -> bool {
    !is_plain() || EAGER.get() || IS_WANTED.get()
}

/// Runs a trace on the arguments of a call.
#[inline]
fn call<R: Tree + Any + Send + Sync>(entry: &Entry, key: &Key<'_>) -> Result<R> {
    let mut outputs = SmallVec::new();
    entry.concrete.run(key, &mut outputs)?;
    let template = entry
        .template
        .downcast_ref::<Template<R>>()
        .expect("the identity of a trace carries the types of its function");
    Ok(template.filled(outputs.drain(..), key))
}

#[cold]
fn slow<'a, R: Tree + Any + Send + Sync>(
    function: &GraphFn,
    mode: Mode,
    instance: Option<TypeId>,
    key: &impl Fn(&mut Key<'a>),
    name: &impl Fn(&mut Names<'_>),
    mut body: impl FnMut(&mut Mapping<'_>) -> R,
    place: Place,
) -> Result<Outcome<R>> {
    let _nested = Nested::enter(function.name())?;
    let is_wanted = IS_WANTED.replace(false);
    // A tape hears what runs eagerly: under one, the body runs op by op.
    if !is_wanted && mode == Mode::Call && (!is_plain() || EAGER.get()) {
        return Ok(Outcome::Value(inline(function, name, body)));
    }
    let entry = find_or_trace(function, instance, key, name, &mut body, place);
    if entry.is_err() {
        // The block may catch the error, and call another function.
        IS_WANTED.set(is_wanted);
    }
    let mut words = Key::new();
    key(&mut words);
    if mode == Mode::Call && !is_wanted {
        return call(&*entry?, &words).map(Outcome::Value);
    }
    let arguments = Arguments::new(&words, function.signature(), name);
    let paths: Vec<_> =
        arguments.variables.into_iter().map(|(leaf, _, path)| (leaf, path)).collect();
    let concrete =
        ConcreteFunction::new(entry?.concrete.clone(), function.signature(), &words, &paths)?;
    if is_wanted && mode == Mode::Call {
        FOUND.set(Some(concrete));
        raise(Error::new(ErrorKind::Trace, "the trace was wanted, not its result"));
    }
    IS_WANTED.set(is_wanted);
    Ok(Outcome::Concrete(concrete))
}

/// Runs the body where it is called: in the trace of its caller, or eagerly.
fn inline<R>(
    function: &GraphFn,
    name: &impl Fn(&mut Names<'_>),
    mut body: impl FnMut(&mut Mapping<'_>) -> R,
) -> R {
    let mut run =
        || body(&mut Mapping { tensor: &mut Tensor::clone, variable: &mut Variable::clone });
    let store = &function.inner().store;
    if is_recording() {
        return call_scope(function.name(), store, run);
    }
    // Layers have the paths that a trace would give them: those in the outermost function's arguments.
    let namespace = Namespace::new(store.clone()).with_paths(scopes(name)).with_paths(open_paths());
    let _naming = Naming::open(namespace);
    run()
}

/// One more traced function in the chain of calls of this thread.
struct Nested;

impl Nested {
    fn enter(name: &str) -> Result<Nested> {
        if NESTED.get() >= DEPTH {
            let message = format!("`{name}` calls itself more than {DEPTH} deep while tracing");
            return Err(Error::new(ErrorKind::Trace, message)
                .with_help("let the recursion end by a plain argument, such as `n: u32` that falls to 0; a tensor cannot end it"));
        }
        NESTED.set(NESTED.get() + 1);
        Ok(Nested)
    }
}

impl Drop for Nested {
    fn drop(&mut self) {
        NESTED.set(NESTED.get() - 1);
    }
}
