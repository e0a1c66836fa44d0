//! What the expansion of `#[graph_fn]` calls: how arguments and results cross, and how errors come out.
//! Knows `enter`, and nothing of caches.

use super::call::{Mode, Outcome, enter};
use super::concrete::ConcreteFunction;
use super::function::GraphFn;
use crate::error::{Error, Result};
use crate::graph::{Key, Mapping, Names, Tensor, Tree, raise};
use crate::types::Element;

/// What a `#[graph_fn]` may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned by a `#[graph_fn]`",
    label = "not a tensor, a plain value, or a container of these",
    note = "help: add `#[derive(Tree)]` to your type"
)]
pub trait Output: Sized {
    /// Calls a function that returns this.
    ///
    /// # Errors
    /// What the body raises while it is traced, and what running it on these data raises.
    #[track_caller]
    fn enter<'a, G>(
        function: &'static GraphFn,
        mode: Mode,
        instance: Option<&G>,
        key: impl Fn(&mut Key<'a>),
        name: impl Fn(&mut Names<'_>),
        body: impl FnMut(&mut Mapping<'_>) -> Self,
    ) -> Result<Outcome<Self>>;

    /// Calls a function that returns this and changes some of its arguments.
    ///
    /// # Errors
    /// What the body raises while it is traced, and what running it on these data raises.
    #[track_caller]
    fn enter_mut<'a, M: Tree + Send + Sync + 'static, G>(
        function: &'static GraphFn,
        mode: Mode,
        instance: Option<&G>,
        key: impl Fn(&mut Key<'a>),
        name: impl Fn(&mut Names<'_>),
        body: impl FnMut(&mut Mapping<'_>) -> (Self, M),
    ) -> Result<Outcome<(Self, M)>>;
}

#[diagnostic::do_not_recommend]
impl<T: Tree + Send + Sync + 'static> Output for T {
    #[inline]
    #[track_caller]
    fn enter<'a, G>(
        function: &'static GraphFn,
        mode: Mode,
        instance: Option<&G>,
        key: impl Fn(&mut Key<'a>),
        name: impl Fn(&mut Names<'_>),
        body: impl FnMut(&mut Mapping<'_>) -> T,
    ) -> Result<Outcome<T>> {
        enter(function, mode, instance, key, name, body)
    }

    #[inline]
    #[track_caller]
    fn enter_mut<'a, M: Tree + Send + Sync + 'static, G>(
        function: &'static GraphFn,
        mode: Mode,
        instance: Option<&G>,
        key: impl Fn(&mut Key<'a>),
        name: impl Fn(&mut Names<'_>),
        body: impl FnMut(&mut Mapping<'_>) -> (T, M),
    ) -> Result<Outcome<(T, M)>> {
        enter(function, mode, instance, key, name, body)
    }
}

/// What a `#[tensor]` parameter may be: a number that the body sees as a scalar tensor.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a scalar tensor",
    label = "not a number",
    note = "help: remove `#[tensor]`, or pass one of f32, f64, i32, i64, u8, bool"
)]
pub trait Number {
    /// The scalar tensor.
    fn scalar(self) -> Scalar;
}

#[diagnostic::do_not_recommend]
impl<T: Element> Number for T {
    #[inline]
    fn scalar(self) -> Scalar {
        Scalar(self.into())
    }
}

/// A number on its way into a body as a tensor.
#[derive(Debug)]
pub struct Scalar(Tensor);

impl Scalar {
    /// As [`Tree::key`].
    #[inline]
    pub fn key<'a>(&'a self, key: &mut Key<'a>) {
        key.tensor(&self.0);
    }

    /// As [`Tree::leaves`].
    pub fn leaves(&self, names: &mut Names<'_>) {
        names.tensor();
    }

    /// As [`Tree::map`].
    pub fn map(&self, to: &mut Mapping<'_>) -> Tensor {
        (to.tensor)(&self.0)
    }
}

/// The result of a call, or its error raised at the caller's line.
#[inline]
#[track_caller]
pub fn value<R>(outcome: Result<Outcome<R>>) -> R {
    match try_value(outcome) {
        Ok(value) => value,
        Err(error) => raise(error),
    }
}

/// The result of a call.
///
/// # Errors
/// That of the call.
#[inline]
pub fn try_value<R>(outcome: Result<Outcome<R>>) -> Result<R> {
    match outcome? {
        Outcome::Value(value) => Ok(value),
        Outcome::Concrete(_) => unreachable!("a call gives a value"),
    }
}

/// The trace that a call would use.
///
/// # Errors
/// That of tracing.
pub fn concrete<R>(outcome: Result<Outcome<R>>) -> Result<ConcreteFunction> {
    match outcome? {
        Outcome::Concrete(concrete) => Ok(concrete),
        Outcome::Value(_) => unreachable!("a question for a trace gives one"),
    }
}

/// Hands changed arguments back to the caller.
///
/// # Errors
/// That of the call.
#[inline]
pub fn write_back<R, M>(
    outcome: Result<Outcome<(R, M)>, Error>,
    write: impl FnOnce(M),
) -> Result<Outcome<R>> {
    Ok(match outcome? {
        Outcome::Value((value, changed)) => {
            write(changed);
            Outcome::Value(value)
        }
        Outcome::Concrete(concrete) => Outcome::Concrete(concrete),
    })
}

/// Refuses code that carries data: it is part of a trace by its type alone.
pub fn zero_sized<T>(_: &T) {
    const { assert!(size_of::<T>() == 0, "code passed to a `#[graph_fn]` must not capture anything") }
}

/// Calls a body, so that `return` and `?` leave it and not what surrounds it.
#[inline]
pub fn run<R>(body: impl FnOnce() -> R) -> R {
    body()
}
