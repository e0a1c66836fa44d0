//! The tape: a guard that watches a program, eagerly or in a trace, and then gives gradients. Knows no rules.

use super::eager::Heard;
use super::sources::{Sources, Targets};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{
    Listening, Question, Recorder, Source, Tensor, Watched, or_raise, recorder, warn,
};
use crate::ops::{filled, filled_like};
use crate::value::Variable;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;

/// Records operations for gradients, from where it is made until it is dropped or asked.
///
/// Trainable variables are watched by themselves, tensors by [`watch`](GradientTape::watch). It works the same way
/// eagerly and in a traced function. A tape is asked once and is used up by it; [`persistent`](GradientTape::persistent)
/// makes one that can be asked again.
///
/// ```
/// use graphfn::prelude::*;
///
/// let x = Tensor::from(3.0f32);
/// let tape = GradientTape::new();
/// tape.watch(&x);
/// let y = x.square();
/// assert_eq!(tape.gradient(&y, &x).unwrap().item::<f32>(), 6.0);
/// ```
///
/// A second question to it does not compile:
///
/// ```compile_fail,E0382
/// # use graphfn::prelude::*;
/// # let x = Tensor::from(3.0f32);
/// # let tape = GradientTape::new();
/// # let y = x.square();
/// let first = tape.gradient(&y, &x);
/// let second = tape.gradient(&y, &x);
/// ```
#[must_use = "a tape watches until it is dropped"]
pub struct GradientTape<Use = Once> {
    how: How,
    unconnected: UnconnectedGradients,
    usage: PhantomData<Use>,
}

/// A tape that gives one answer.
#[derive(Debug)]
pub enum Once {}

/// A tape that gives any number of answers.
#[derive(Debug)]
pub enum Persistent {}

/// What a gradient is when no path leads from the target to the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnconnectedGradients {
    /// `None`.
    #[default]
    None,
    /// Zeros of the source's type and shape.
    Zero,
}

enum How {
    Eager { heard: Rc<Heard>, _listening: Listening },
    Traced { trace: Rc<dyn Recorder>, watched: RefCell<Watched> },
}

impl GradientTape {
    /// A tape that watches every trainable variable that is read from now on.
    ///
    /// # Panics
    /// Raises an error in the expansion of an op and in a gradient rule.
    #[track_caller]
    pub fn new() -> GradientTape {
        GradientTape::beginning(true)
    }

    /// A tape that watches nothing by itself.
    ///
    /// # Panics
    /// As [`GradientTape::new`].
    #[track_caller]
    pub fn without_variables() -> GradientTape {
        GradientTape::beginning(false)
    }

    #[track_caller]
    fn beginning(variables: bool) -> GradientTape {
        let how = match recorder() {
            None => {
                let heard = Heard::new(variables);
                How::Eager { _listening: Listening::of(heard.clone()), heard }
            }
            Some(trace) => {
                let began = or_raise(trace.mark(None, Place::caller()));
                let watched = Watched { began, sources: Vec::new(), variables };
                How::Traced { trace, watched: RefCell::new(watched) }
            }
        };
        GradientTape { how, unconnected: UnconnectedGradients::None, usage: PhantomData }
    }

    /// The same tape, which can be asked any number of times.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let (x, w) = (Tensor::from(10.0f32), Variable::new("w", 2.0f32));
    /// let tape = GradientTape::new().persistent();
    /// tape.watch(&x);
    /// let y = &w * &x;
    /// assert_eq!(tape.gradient(&y, &w).unwrap().item::<f32>(), 10.0);
    /// assert_eq!(tape.gradient(&y, &x).unwrap().item::<f32>(), 2.0);
    /// ```
    pub fn persistent(self) -> GradientTape<Persistent> {
        GradientTape { how: self.how, unconnected: self.unconnected, usage: PhantomData }
    }

    /// The gradient of the targets' sum with respect to the sources, in the container that the sources are in; `None`
    /// for a source that is not watched or that the targets do not depend on.
    ///
    /// # Panics
    /// Raises an error for tensors of another trace, and for a target that is not of floats.
    #[track_caller]
    pub fn gradient<S: Sources>(self, targets: impl Targets, sources: S) -> S::Gradients {
        or_raise(self.answer(&targets, &[], &sources))
    }

    /// As [`gradient`](GradientTape::gradient), with the gradient that comes to each target, of the target's type and
    /// shape.
    ///
    /// # Panics
    /// As [`gradient`](GradientTape::gradient); and if the seeds do not fit the targets.
    #[track_caller]
    pub fn gradient_seeded<S: Sources>(
        self,
        targets: impl Targets,
        sources: S,
        seeds: impl Targets,
    ) -> S::Gradients {
        or_raise(self.answer(&targets, &listed(&seeds), &sources))
    }
}

impl Default for GradientTape {
    #[track_caller]
    fn default() -> GradientTape {
        GradientTape::new()
    }
}

impl GradientTape<Persistent> {
    /// As [`GradientTape::gradient`] of a tape that is asked once.
    ///
    /// # Panics
    /// As that.
    #[track_caller]
    pub fn gradient<S: Sources>(&self, targets: impl Targets, sources: S) -> S::Gradients {
        or_raise(self.answer(&targets, &[], &sources))
    }

    /// As [`GradientTape::gradient_seeded`] of a tape that is asked once.
    ///
    /// # Panics
    /// As that.
    #[track_caller]
    pub fn gradient_seeded<S: Sources>(
        &self,
        targets: impl Targets,
        sources: S,
        seeds: impl Targets,
    ) -> S::Gradients {
        or_raise(self.answer(&targets, &listed(&seeds), &sources))
    }
}

impl<Use> GradientTape<Use> {
    /// The same tape, with another answer for sources that the targets do not depend on.
    pub fn unconnected(self, unconnected: UnconnectedGradients) -> GradientTape<Use> {
        GradientTape { unconnected, ..self }
    }

    /// Watches tensors and variables from now on. What is not of floats has no gradient: a warning is logged.
    ///
    /// # Panics
    /// Raises an error for tensors of another trace.
    #[track_caller]
    pub fn watch(&self, sources: impl Sources) {
        for source in sources_of(&sources) {
            or_raise(self.watch_one(source, Place::caller()));
        }
    }

    /// The trainable variables of floats that were read since it was made, in the order of their first reads.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let (w, b) = (Variable::new("w", 2.0f32), Variable::new("b", 1.0f32));
    /// let tape = GradientTape::new();
    /// let y = &w * 3.0 + &b;
    /// let variables = tape.watched_variables();
    /// assert_eq!(variables.len(), 2);
    /// assert_eq!(tape.gradient(&y, &variables)[0].as_ref().unwrap().item::<f32>(), 3.0);
    /// ```
    ///
    /// # Panics
    /// As [`GradientTape::new`].
    #[track_caller]
    pub fn watched_variables(&self) -> Vec<Variable> {
        match &self.how {
            How::Eager { heard, .. } => heard.trained(),
            How::Traced { trace, watched } => {
                or_raise(trace.trained(Some(&watched.borrow().began)))
            }
        }
    }

    /// Says why there is no gradient of a target with respect to a source: the path back from the target, and the op and
    /// line where it stops.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let (x, w) = (Tensor::from(1.5f32), Variable::new("w", 2.0f32));
    /// let tape = GradientTape::new().persistent();
    /// let loss = (&w * &x).round();
    /// assert!(tape.gradient(&loss, &w).is_none());
    /// assert!(tape.explain(&loss, &w).contains("the path `Round` stops at `Round` ("));
    /// assert!(tape.explain(&loss, &x).ends_with("the tape does not watch it"));
    /// ```
    ///
    /// # Panics
    /// Raises an error for tensors of another trace.
    #[track_caller]
    pub fn explain(&self, target: &Tensor, sources: impl Sources) -> String {
        let reasons = sources_of(&sources).into_iter().map(|source| match &self.how {
            How::Eager { heard, .. } => Ok(heard.explain(target, &source)),
            How::Traced { trace, .. } => trace.explain(target, &source),
        });
        or_raise(reasons.collect::<Result<Vec<String>>>()).join("\n")
    }

    #[track_caller]
    fn watch_one(&self, source: Source, place: Place) -> Result<()> {
        let dtype = match &source {
            Source::Tensor(tensor) => Some(tensor.dtype()),
            Source::Variable(variable) => variable.spec().map(|spec| spec.dtype()),
        };
        if let Some(dtype) = dtype.filter(|it| !it.is_float()) {
            warn(&format!(
                "{place}: The dtype of the watched tensor must be floating (e.g. float32), got {}",
                dtype.name()
            ));
        }
        match &self.how {
            How::Eager { heard, .. } => heard.watch(&source),
            How::Traced { trace, watched } => {
                let tensor = match &source {
                    Source::Tensor(tensor) => Some(tensor),
                    Source::Variable(_) => None,
                };
                let mark = trace.mark(tensor, place)?;
                watched.borrow_mut().sources.push((source, mark));
            }
        }
        Ok(())
    }

    #[track_caller]
    fn answer<S: Sources>(
        &self,
        targets: &impl Targets,
        seeds: &[Tensor],
        sources: &S,
    ) -> Result<S::Gradients> {
        let targets = listed(targets);
        let seeds = seeded(&targets, seeds)?;
        let asked = sources_of(sources);
        let mut found = match &self.how {
            How::Eager { heard, .. } => {
                if let Some(symbolic) = targets.iter().find_map(Tensor::as_symbolic) {
                    return Err(symbolic.escaped());
                }
                heard.gradient(&targets, &seeds, &asked)?
            }
            How::Traced { trace, watched } => {
                let tape = Some(watched.borrow().clone());
                let question = Question { targets, seeds, sources: asked.clone(), tape };
                trace.gradient(&question, Place::caller())?
            }
        };
        if self.unconnected == UnconnectedGradients::Zero {
            found = asked.iter().zip(found).map(|(it, found)| found.or_else(|| zero(it))).collect();
        }
        Ok(sources.gradients(&mut found.into_iter()))
    }
}

/// Zeros like a source; `None` for a variable that is not built.
#[track_caller]
pub(super) fn zero(source: &Source) -> Option<Tensor> {
    match source {
        Source::Tensor(tensor) => Some(filled_like(tensor, 0.0, "zeros")),
        Source::Variable(variable) => Some(filled(variable.spec()?, 0.0, "zeros")),
    }
}

pub(super) fn sources_of(sources: &impl Sources) -> Vec<Source> {
    let mut list = Vec::new();
    sources.add_to(&mut list);
    list
}

pub(super) fn listed(targets: &impl Targets) -> Vec<Tensor> {
    let mut list = Vec::new();
    targets.add_to(&mut list);
    list
}

/// The gradient that comes to each target, checked; none are given, or one for each.
pub(super) fn seeded(targets: &[Tensor], seeds: &[Tensor]) -> Result<Vec<Option<Tensor>>> {
    if let Some(target) = targets.iter().find(|it| !it.dtype().is_float()) {
        let message = format!("a gradient needs targets of floats, found {}", target.spec());
        return Err(Error::new(ErrorKind::Type, message).with_help(
            "integers and truth values have no derivatives: differentiate before the cast",
        ));
    }
    if seeds.is_empty() {
        return Ok(vec![None; targets.len()]);
    }
    let specs = |tensors: &[Tensor]| {
        let specs: Vec<String> = tensors.iter().map(|it| it.spec().to_string()).collect();
        specs.join(", ")
    };
    if !targets.iter().map(Tensor::spec).eq(seeds.iter().map(Tensor::spec)) {
        let message =
            format!("the seeds are {}, and the targets are {}", specs(seeds), specs(targets));
        return Err(Error::new(ErrorKind::Shape, message)
            .with_help("give each target a seed of its type and shape"));
    }
    Ok(seeds.iter().cloned().map(Some).collect())
}
