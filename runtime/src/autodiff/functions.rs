//! Gradients of functions over trees, and of tensors in a trace. Knows the tape, and no rules.

use super::sources::{Sources, Targets};
use super::tape::{GradientTape, Persistent, listed, seeded, sources_of, zero};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{
    Key, Leaf, Mapping, Question, Source, Tensor, Tree, at_home, attempt, or_raise, raise,
    recorder, standing_for,
};
use crate::ops::alias;
use crate::value::Variable;
use std::cell::RefCell;
use std::marker::PhantomData;

/// The gradients of the targets' sum with respect to the sources, in a traced function: as `tf.gradients`, all that was
/// traced so far counts. `None` for a source that the targets do not depend on.
///
/// ```
/// use graphfn::prelude::*;
///
/// #[graph_fn]
/// fn slope(x: &Tensor) -> Tensor {
///     gradients(x.square(), x).unwrap()
/// }
/// assert_eq!(slope(&Tensor::from(5.0f32)).item::<f32>(), 10.0);
/// ```
///
/// # Panics
/// Raises an error where nothing is traced: use a [`GradientTape`] there, or [`grad`]. And for a target that is not of
/// floats.
#[track_caller]
pub fn gradients<S: Sources>(targets: impl Targets, sources: S) -> S::Gradients {
    or_raise(asked(&targets, &[], &sources))
}

/// As [`gradients`], with the gradient that comes to each target (`grad_ys` in TensorFlow), of its type and shape.
///
/// # Panics
/// As [`gradients`]; and if the seeds do not fit the targets.
#[track_caller]
pub fn gradients_seeded<S: Sources>(
    targets: impl Targets,
    sources: S,
    seeds: impl Targets,
) -> S::Gradients {
    or_raise(asked(&targets, &listed(&seeds), &sources))
}

#[track_caller]
fn asked<S: Sources>(
    targets: &impl Targets,
    seeds: &[Tensor],
    sources: &S,
) -> Result<S::Gradients> {
    let targets = listed(targets);
    let _home = at_home(&targets);
    let Some(trace) = recorder() else {
        let message = "`gradients` is asked where nothing is traced";
        return Err(Error::new(ErrorKind::Trace, message).with_help(
            "eagerly, open a `GradientTape` before what is differentiated, or use `grad`",
        ));
    };
    let seeds = seeded(&targets, seeds)?;
    let question = Question { targets, seeds, sources: sources_of(sources), tape: None };
    let found = trace.gradient(&question, Place::caller())?;
    Ok(sources.gradients(&mut found.into_iter()))
}

/// Says why there is no gradient of a target with respect to a source: the path back from the target, and the op and
/// line where it stops. For a traced function while it is traced; for a tape see [`GradientTape::explain`].
///
/// ```
/// use graphfn::prelude::*;
///
/// #[graph_fn]
/// fn reason(x: &Tensor) -> String {
///     let loss = x.floor().sum();
///     graphfn::explain_gradient(&loss, x)
/// }
/// let text = reason(&Tensor::from([1.5f32]));
/// assert!(text.contains("the path `Sum` <- `Floor` stops at `Floor` ("), "{text}");
/// ```
///
/// # Panics
/// Raises an error where nothing is traced, and for a target of another trace.
#[track_caller]
pub fn explain_gradient(target: &Tensor, source: impl Sources) -> String {
    let _home = at_home([target]);
    let Some(trace) = recorder() else {
        let message = "`explain_gradient` is asked where nothing is traced";
        raise(
            Error::new(ErrorKind::Trace, message)
                .with_help("eagerly, ask the tape: `tape.explain(&target, &source)`"),
        );
    };
    let reasons = sources_of(&source).into_iter();
    let reasons: Result<Vec<String>> = reasons.map(|it| trace.explain(target, &it)).collect();
    or_raise(reasons).join("\n")
}

/// The gradient of a function: a function of the same arguments, that gives a tree of the same type as they are.
///
/// The arguments may be any [`Tree`]: a tensor, a tuple, a model. Where the result does not depend on a tensor, the
/// gradient is zero; in the place of a variable stands one that holds its gradient. It can be applied again, for
/// derivatives of any order, eagerly and in traced functions.
///
/// ```
/// use graphfn::prelude::*;
///
/// let f = |x: &Tensor| x * x * x;
/// let x = Tensor::from(1.0f32);
/// assert_eq!(grad(f)(&x).item::<f32>(), 3.0);
/// assert_eq!(grad(grad(f))(&x).item::<f32>(), 6.0);
/// ```
///
/// # Panics
/// The gradient raises an error if the function gives no single number.
pub fn grad<A: Tree>(f: impl Fn(&A) -> Tensor) -> impl Fn(&A) -> A {
    let f = value_and_grad(f);
    // A named line of the caller's is lost in a closure; the function's own errors have theirs.
    move |arguments| f(arguments).1
}

/// As [`grad`], together with the function's value.
///
/// ```
/// use graphfn::prelude::*;
///
/// let line = |(x, w, b): &(Tensor, Tensor, Tensor)| w * x + b;
/// let at = [10.0f32, 2.0, 3.0].map(Tensor::from);
/// let (y, (dx, dw, db)) = value_and_grad(line)(&at.into());
/// assert_eq!([y, dx, dw, db].map(|it| it.item::<f32>()), [23.0, 2.0, 10.0, 1.0]);
/// ```
///
/// # Panics
/// As [`grad`].
pub fn value_and_grad<A: Tree>(f: impl Fn(&A) -> Tensor) -> impl Fn(&A) -> (Tensor, A) {
    move |arguments| {
        let (value, pullback) = vjp(&f, arguments);
        or_raise(one_number(&value));
        let gradient = pullback.along(&[], std::slice::from_ref(&value));
        (value, or_raise(gradient))
    }
}

fn one_number(value: &Tensor) -> Result<()> {
    if value.rank() == 0 && value.dtype().is_float() {
        return Ok(());
    }
    let message = format!("`grad` needs a function that gives one float, found {}", value.spec());
    Err(Error::new(ErrorKind::Shape, message)
        .with_help("take the sum or the mean of it, or use `vjp`, which takes the gradient that comes to each element"))
}

/// The value of a function, and what takes gradients that come to the value back to the arguments (a vector-Jacobian
/// product).
///
/// ```
/// use graphfn::prelude::*;
///
/// let (y, pullback) = vjp(|x: &Tensor| x.square(), &Tensor::from([1.0f32, 2.0]));
/// assert_eq!(y.to_vec::<f32>(), [1.0, 4.0]);
/// assert_eq!(pullback.call(&Tensor::from([1.0f32, 10.0])).to_vec::<f32>(), [2.0, 40.0]);
/// ```
///
/// # Panics
/// Raises what the function raises.
#[track_caller]
pub fn vjp<A: Tree, R: Tree>(f: impl Fn(&A) -> R, arguments: &A) -> (R, Vjp<A, R>) {
    let tape = GradientTape::without_variables().persistent();
    // The function gets tensors of its own: the same tensors elsewhere are not its arguments.
    let mine = arguments.map(&mut Mapping { tensor: &mut alias, variable: &mut Variable::clone });
    let sources = sources(&mine);
    tape.watch(Listed(&sources));
    let value = f(&mine);
    let targets = tensors(&value);
    (value, Vjp { tape, arguments: mine, sources, targets, of: PhantomData })
}

/// What takes gradients of a function's value back to its arguments: see [`vjp`].
pub struct Vjp<A, R> {
    tape: GradientTape<Persistent>,
    arguments: A,
    sources: Vec<Source>,
    targets: Vec<Tensor>,
    of: PhantomData<fn(&R)>,
}

impl<A: Tree, R: Tree> Vjp<A, R> {
    /// The gradient of the arguments, from that of the value: both have the type of what they are of.
    ///
    /// # Panics
    /// Raises an error if the gradient's tensors have not the types and shapes of the value's.
    #[track_caller]
    pub fn call(&self, gradient: &R) -> A {
        or_raise(self.along(&tensors(gradient), &self.targets))
    }

    /// The gradient of the arguments from seeds for some targets; without seeds, from ones.
    #[track_caller]
    fn along(&self, seeds: &[Tensor], targets: &[Tensor]) -> Result<A> {
        let (tape, sources) = (&self.tape, Listed(&self.sources));
        let found = attempt(|| match seeds {
            [] => tape.gradient(targets, sources),
            seeds => tape.gradient_seeded(targets, sources, seeds),
        })?;
        let mut found = self.sources.iter().zip(found);
        let found = RefCell::new(&mut found);
        let next = || {
            let (source, gradient) = found.borrow_mut().next().expect("each leaf is a source");
            (source, gradient.or_else(|| zero(source)))
        };
        attempt(|| {
            self.arguments.map(&mut Mapping {
                tensor: &mut |_| next().1.expect("a tensor has zeros like it"),
                variable: &mut |variable| match next().1 {
                    Some(gradient) => standing_for(variable.name(), gradient),
                    None => variable.clone(),
                },
            })
        })
    }
}

/// The leaves of a tree.
fn sources(tree: &impl Tree) -> Vec<Source> {
    let mut key = Key::new();
    tree.key(&mut key);
    let source = |leaf: &Leaf<'_>| match leaf {
        Leaf::Tensor(tensor) => Source::Tensor((*tensor).clone()),
        Leaf::Variable(variable) => Source::Variable((*variable).clone()),
    };
    key.leaves().iter().map(source).collect()
}

/// The tensors of a tree.
fn tensors(tree: &impl Tree) -> Vec<Tensor> {
    let tensor = |source| match source {
        Source::Tensor(tensor) => Some(tensor),
        Source::Variable(_) => None,
    };
    sources(tree).into_iter().filter_map(tensor).collect()
}

/// Sources in a list.
struct Listed<'s>(&'s [Source]);

impl Sources for Listed<'_> {
    type Gradients = Vec<Option<Tensor>>;

    fn add_to(&self, sources: &mut Vec<Source>) {
        sources.extend_from_slice(self.0);
    }

    fn gradients(&self, found: &mut impl Iterator<Item = Option<Tensor>>) -> Self::Gradients {
        found.collect()
    }
}
