//! What is minimised: a tensor of a trace, or a function that computes one. Knows gradients, and no rule.

use crate::autodiff::GradientTape;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{Question, Source, Tensor, at_home, attempt, is_recording, recorder};
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
    /// Why there is no gradient for each of them, if there is none at all.
    pub reasons: Vec<String>,
}

impl Differentiated {
    /// `why` says why a variable has no gradient.
    fn new(
        loss: Tensor,
        variables: Vec<Variable>,
        gradients: Vec<Option<Tensor>>,
        why: impl FnMut(&Variable) -> Result<String>,
    ) -> Result<Differentiated> {
        let reasons = match gradients.iter().all(Option::is_none) {
            true => variables.iter().map(why).collect::<Result<_>>()?,
            false => Vec::new(),
        };
        Ok(Differentiated { loss, pairs: gradients.into_iter().zip(variables).collect(), reasons })
    }
}

impl Loss for &Tensor {
    #[track_caller]
    fn differentiated(self) -> Result<Differentiated> {
        let _home = at_home([self]);
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
        let why = |variable: &Variable| trace.explain(self, &Source::Variable(variable.clone()));
        Differentiated::new(self.clone(), variables, gradients, why)
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
        let why = |variable: &Variable| attempt(|| tape.explain(&loss, variable));
        Differentiated::new(loss.clone(), variables, gradients, why)
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
