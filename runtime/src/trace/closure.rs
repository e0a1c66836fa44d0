//! Closures as traced functions: objects with a cache of their own. Knows `enter`, and nothing of macros.

use super::boundary::{concrete, try_value, value};
use super::call::{Mode, Outcome, enter};
use super::concrete::ConcreteFunction;
use super::function::GraphFn;
use super::history::Retraces;
use crate::error::Result;
use crate::graph::{Key, Mapping, Names, Tree};
use std::fmt;
use std::marker::PhantomData;

/// Makes a traced function of a closure over references to trees, up to four.
///
/// What the closure captures belongs to its traces: variables are read live, tensors become constants.
///
/// ```
/// use graphfn::prelude::*;
///
/// let w = Variable::new("w", 2.0f32);
/// let scale = graphfn::graph_fn({
///     let w = w.clone();
///     move |x: &Tensor| x * &w
/// });
/// assert_eq!(scale.call(&Tensor::from(3.0f32)).item::<f32>(), 6.0);
/// w.assign(10.0);
/// assert_eq!(scale.call(&Tensor::from(3.0f32)).item::<f32>(), 30.0);
/// assert_eq!(scale.trace_count(), 1);
///
/// let add = graphfn::graph_fn(|x: &Tensor, y: &Tensor| x + y);
/// assert_eq!(add.call((&Tensor::from(1), &Tensor::from(2))).item::<i32>(), 3);
/// ```
pub fn graph_fn<P, F: Traceable<P>>(closure: F) -> TracedClosure<P, F> {
    TracedClosure { function: GraphFn::new("closure"), closure, parameters: PhantomData }
}

/// A traced closure, made by [`graph_fn`].
pub struct TracedClosure<P, F> {
    function: GraphFn,
    closure: F,
    parameters: PhantomData<fn(P)>,
}

/// A closure that can be traced: `Fn(&A, ..) -> R` over trees.
pub trait Traceable<P> {
    /// What a call is given: one reference, or a tuple of them.
    type Arguments<'a>: Copy;
    /// What a call gives.
    type Returned: Tree + Send + Sync + 'static;

    /// As [`Tree::key`], of all arguments.
    fn key<'a>(arguments: Self::Arguments<'a>, key: &mut Key<'a>);

    /// As [`Tree::leaves`], of all arguments.
    fn leaves(arguments: Self::Arguments<'_>, names: &mut Names<'_>);

    /// Calls the closure on mapped arguments.
    fn run(&self, arguments: Self::Arguments<'_>, to: &mut Mapping<'_>) -> Self::Returned;
}

impl<P, F: Traceable<P>> TracedClosure<P, F> {
    /// Calls the closure: one argument as it is, several as a tuple.
    ///
    /// # Panics
    /// Raises what tracing or running it raises.
    #[track_caller]
    pub fn call(&self, arguments: F::Arguments<'_>) -> F::Returned {
        value(self.enter(Mode::Call, arguments))
    }

    /// Calls the closure, with errors as values.
    ///
    /// # Errors
    /// What tracing or running it raises.
    #[track_caller]
    pub fn try_call(&self, arguments: F::Arguments<'_>) -> Result<F::Returned> {
        try_value(self.enter(Mode::Call, arguments))
    }

    /// The concrete function that a call with these arguments runs.
    ///
    /// # Errors
    /// What tracing raises.
    #[track_caller]
    pub fn concrete_function(&self, arguments: F::Arguments<'_>) -> Result<ConcreteFunction> {
        concrete(self.enter(Mode::Concrete, arguments))
    }

    /// How often it has been traced.
    pub fn trace_count(&self) -> usize {
        self.function.trace_count()
    }

    /// What changed from each trace to the next.
    pub fn explain_retraces(&self) -> Retraces {
        self.function.explain_retraces()
    }

    /// Forgets all traces.
    pub fn clear_cache(&self) {
        self.function.clear_cache();
    }

    #[track_caller]
    fn enter(&self, mode: Mode, arguments: F::Arguments<'_>) -> Result<Outcome<F::Returned>> {
        enter(
            &self.function,
            mode,
            None::<&()>,
            |key| F::key(arguments, key),
            |names| F::leaves(arguments, names),
            |to| self.closure.run(arguments, to),
        )
    }
}

impl<P, F> fmt::Debug for TracedClosure<P, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.function.fmt(f)
    }
}

macro_rules! traceable {
    ([$($tree:ident $label:literal $at:tt),*] $arguments:ty, $it:ident => [$($argument:expr),*]) => {
        impl<$($tree: Tree + 'static,)* R: Tree + Send + Sync + 'static, F: Fn($(&$tree),*) -> R> Traceable<($($tree,)*)> for F {
            type Arguments<'a> = $arguments;
            type Returned = R;

            #[inline]
            fn key<'a>($it: $arguments, key: &mut Key<'a>) {
                $($argument.key(key);)*
            }

            fn leaves($it: Self::Arguments<'_>, names: &mut Names<'_>) {
                $(names.argument($label, |names| $argument.leaves(names));)*
            }

            fn run(&self, $it: Self::Arguments<'_>, to: &mut Mapping<'_>) -> R {
                let mapped = ($($argument.map(to),)*);
                self($(&mapped.$at),*)
            }
        }
    };
}
traceable!([A "0" 0] &'a A, it => [it]);
traceable!([A "0" 0, B "1" 1] (&'a A, &'a B), it => [it.0, it.1]);
traceable!([A "0" 0, B "1" 1, C "2" 2] (&'a A, &'a B, &'a C), it => [it.0, it.1, it.2]);
traceable!([A "0" 0, B "1" 1, C "2" 2, D "3" 3] (&'a A, &'a B, &'a C, &'a D), it => [it.0, it.1, it.2, it.3]);
