//! What is minimised: a tensor of a trace, or a function that computes one. Knows gradients, and no rule.

use crate::autodiff::GradientTape;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{Question, Source, Tensor, attempt, is_recording, recorder};
use crate::value::Variable;

/// What an optimiser minimises: in a traced function a tensor, anywhere a function without arguments that computes one.
///
/// The variables are found by themselves: in a trace all trainable ones that were read so far, and else those that the
/// function reads.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be minimised",
    label = "not a tensor, and not a function without arguments that gives one",
    note = "help: in a traced function pass the loss, `minimize(&loss)`; elsewhere a closure, `minimize(|| ..)`"
)]
pub trait Loss {
    /// The loss, and its gradient with respect to each variable.
    ///
    /// # Errors
    /// If it is not one float, or a tensor where nothing is traced.
    #[doc(hidden)]
    #[track_caller]
    fn differentiated(self) -> Result<Differentiated>;
}

/// A loss and its gradient with respect to each variable.
#[doc(hidden)]
#[derive(Debug)]
pub struct Differentiated {
    /// The loss.
    pub loss: Tensor,
    /// The variables, each with its gradient if there is one.
    pub pairs: Vec<(Option<Tensor>, Variable)>,
    /// Why there is no gradient, if there is none at all.
    pub why: Option<String>,
}

impl Differentiated {
    /// `explain` says why a variable has none.
    fn new(
        loss: Tensor,
        gradients: Vec<Option<Tensor>>,
        variables: Vec<Variable>,
        explain: impl FnOnce(&Tensor, &Variable) -> Option<String>,
    ) -> Differentiated {
        let first = variables.first().filter(|_| gradients.iter().all(Option::is_none));
        let why = first.and_then(|variable| explain(&loss, variable));
        Differentiated { loss, pairs: gradients.into_iter().zip(variables).collect(), why }
    }
}

impl Loss for &Tensor {
    #[track_caller]
    fn differentiated(self) -> Result<Differentiated> {
        let Some(trace) = recorder() else {
            let message = "`minimize` is given a tensor where nothing is traced: how it was computed is not known";
            return Err(Error::new(ErrorKind::Trace, message).with_help(
                "give it the computation, `minimize(|| ..)`, or call it in a `#[graph_fn]`",
            ));
        };
        one_float(self)?;
        let variables = trace.trained(None)?;
        let question = Question {
            targets: vec![self.clone()],
            seeds: vec![None],
            sources: variables.iter().cloned().map(Source::Variable).collect(),
            tape: None,
        };
        let gradients = trace.gradient(&question, Place::caller())?;
        Ok(Differentiated::new(self.clone(), gradients, variables, |loss, variable| {
            trace.explain(loss, &Source::Variable(variable.clone())).ok()
        }))
    }
}

impl Loss for Tensor {
    #[track_caller]
    fn differentiated(self) -> Result<Differentiated> {
        (&self).differentiated()
    }
}

impl<F: FnOnce() -> Tensor> Loss for F {
    #[track_caller]
    fn differentiated(self) -> Result<Differentiated> {
        if is_recording() {
            return attempt(self)?.differentiated();
        }
        let tape = GradientTape::new().persistent();
        let loss = attempt(self)?;
        one_float(&loss)?;
        let variables = tape.watched_variables();
        let gradients = attempt(|| tape.gradient(&loss, &variables))?;
        Ok(Differentiated::new(loss, gradients, variables, |loss, variable| {
            attempt(|| tape.explain(loss, variable)).ok()
        }))
    }
}

fn one_float(loss: &Tensor) -> Result<()> {
    if loss.rank() == 0 && loss.dtype().is_float() {
        return Ok(());
    }
    let message = format!("`minimize` needs a loss that is one float, found {}", loss.spec());
    Err(Error::new(ErrorKind::Shape, message)
        .with_help("take the mean or the sum of it: `loss.mean()`"))
}
