//! One step: what all rules do around their own formula. Knows no particular rule.

use super::Optimizer;
use super::explain::no_gradients;
use super::rate::scalar;
use super::settings::Counter;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{Tensor, at_home, attempt, current_scope, name_scope, owned_name, recorder};
use crate::ops::assign;
use crate::types::DType;
use crate::value::Variable;
use std::sync::Arc;

/// What a rule is given of one variable.
#[derive(Debug)]
pub struct Update<'u> {
    /// The gradient, after clipping.
    pub gradient: &'u Tensor,
    /// The value of the variable, after weight decay.
    pub value: &'u Tensor,
    /// What is remembered of the variable, in the order of the rule's roles.
    pub remembered: &'u [Tensor],
    /// The learning rate: a scalar of the variable's type.
    pub rate: &'u Tensor,
    counter: &'u Counter<'u>,
}

impl Update<'_> {
    /// The number of this step, from 1: a scalar of the variable's type. Steps are counted where somebody asks.
    #[track_caller]
    pub fn step(&self) -> Tensor {
        self.counter.number(self.value.dtype())
    }

    /// A number as a scalar of the variable's type.
    pub fn number(&self, number: f64) -> Tensor {
        scalar(number, self.value.dtype())
    }
}

/// What a rule makes of one variable.
#[derive(Clone, Debug)]
pub struct Updated {
    /// The next value of the variable.
    pub value: Tensor,
    /// What is remembered from now on, in the order of the rule's roles.
    pub remembered: Vec<Tensor>,
}

/// A variable and its gradient, on its way to a rule.
#[derive(Debug)]
pub(super) struct Pair {
    pub gradient: Tensor,
    pub variable: Variable,
    /// Its path in a model, where that is known.
    pub path: Option<String>,
}

/// The full name of a variable: where it stands in the arguments of the function being traced, else its path, else what
/// its layer calls it.
pub(super) fn full_name(variable: &Variable, path: Option<&str>) -> Arc<str> {
    let traced = recorder().and_then(|recorder| recorder.name_of(variable).ok());
    traced.unwrap_or_else(|| {
        let path = path.map(str::to_string).or_else(|| owned_name(variable));
        path.unwrap_or_else(|| variable.name().to_string()).into()
    })
}

/// Does one step, for variables of which some have a gradient. In a graph that sessions run: the tensor that stands for
/// the step there, and gives the loss.
///
/// # Errors
/// If none has one, or one does not fit its variable: then nothing is changed.
#[track_caller]
pub(super) fn step(
    optimizer: &impl Optimizer,
    pairs: Vec<(Option<Tensor>, Variable)>,
    loss: Option<&Tensor>,
    reasons: &[String],
) -> Result<Option<Tensor>> {
    if pairs.iter().all(|(gradient, _)| gradient.is_none()) {
        let variables: Vec<&Variable> = pairs.iter().map(|(_, variable)| variable).collect();
        return Err(no_gradients(&variables, loss, reasons));
    }
    let found = pairs.into_iter().filter_map(|(gradient, variable)| {
        gradient.map(|gradient| Pair { gradient, variable, path: None })
    });
    step_pairs(optimizer, found.collect(), loss)
}

/// Does one step, for variables that all have a gradient; as [`step`].
///
/// # Errors
/// If one does not fit its variable: then nothing is changed.
#[track_caller]
pub(super) fn step_pairs(
    optimizer: &impl Optimizer,
    mut pairs: Vec<Pair>,
    loss: Option<&Tensor>,
) -> Result<Option<Tensor>> {
    pairs.iter().try_for_each(check)?;
    let settings = optimizer.settings();
    let _home = at_home(pairs.iter().map(|it| &it.gradient));
    let _scope = name_scope(settings.name()).open();
    let since = recorder().map_or(0, |recorder| recorder.position());
    if let Some(clip) = settings.clip() {
        let mut gradients: Vec<&mut Tensor> = pairs.iter_mut().map(|it| &mut it.gradient).collect();
        clip.clip(&mut gradients);
    }
    let counter = Counter::new(settings);
    let mut rates: Vec<(DType, Tensor)> = Vec::new();
    for pair in &pairs {
        let dtype = pair.gradient.dtype();
        if !rates.iter().any(|(it, _)| *it == dtype) {
            rates.push((dtype, settings.rate().at(&counter, dtype)?));
        }
        let rate = rates.iter().find(|(it, _)| *it == dtype).expect("it was added just now");
        change(optimizer, pair, &rate.1, &counter)?;
    }
    counter.count();
    match recorder() {
        Some(recorder) => recorder.group(&current_scope(), since, loss, Place::caller()),
        None => Ok(None),
    }
}

/// Changes one variable.
#[track_caller]
fn change(
    optimizer: &impl Optimizer,
    pair: &Pair,
    rate: &Tensor,
    counter: &Counter<'_>,
) -> Result<()> {
    let Pair { gradient, variable, path } = pair;
    let settings = optimizer.settings();
    let name = full_name(variable, path.as_deref());
    let _scope = name_scope(&format!("update_{name}")).open();
    let (mut companions, mut remembered) = (Vec::new(), Vec::new());
    for role in optimizer.roles() {
        let companion = settings.remembered(variable, role, &name)?;
        remembered.push(companion.read()?);
        companions.push(companion);
    }
    let mut value = variable.read();
    if let Some(decay) = settings.decay() {
        value = &value - &value * (rate * decay);
    }
    let updated = optimizer.update(&Update {
        gradient,
        value: &value,
        remembered: &remembered,
        rate,
        counter,
    });
    if updated.remembered.len() != companions.len() {
        let message = format!(
            "`{}` remembers {} tensors of a variable, and its rule gives {}",
            settings.name(),
            companions.len(),
            updated.remembered.len()
        );
        return Err(Error::new(ErrorKind::Value, message)
            .with_help("give one tensor for each of its `roles`, in their order"));
    }
    assign(variable, &updated.value, &format!("ResourceApply{}", settings.rule()))?;
    for (companion, value) in companions.iter().zip(&updated.remembered) {
        companion.assign(value)?;
    }
    Ok(())
}

/// Whether a gradient is one of its variable.
fn check(pair: &Pair) -> Result<()> {
    let Pair { gradient, variable, .. } = pair;
    let spec = variable.spec().ok_or_else(|| variable.without_value())?;
    if variable.stands_for().is_some() {
        let message = format!("`{}` holds a gradient and is not trained", variable.name());
        return Err(Error::new(ErrorKind::Variable, message)
            .with_help("the gradient stands first in a pair, and the variable second"));
    }
    if !spec.dtype().is_float() {
        let message =
            format!("variable `{}` is {spec}, and only floats are trained", variable.name());
        return Err(Error::new(ErrorKind::Type, message).with_help("make the variable of floats"));
    }
    if gradient.spec() == spec {
        return Ok(());
    }
    let message = format!(
        "the gradient of variable `{}`, which is {spec}, is {}",
        variable.name(),
        gradient.spec()
    );
    Err(Error::new(ErrorKind::Shape, message)
        .with_help("a gradient has the type and shape of its variable"))
}

/// Makes what an optimiser remembers of variables that it has not trained yet.
///
/// # Errors
/// If one of them has no value yet.
#[track_caller]
pub(super) fn build(
    optimizer: &impl Optimizer,
    variables: Vec<(Variable, Option<String>)>,
) -> Result<()> {
    for (variable, path) in variables {
        for role in optimizer.roles() {
            let name = full_name(&variable, path.as_deref());
            attempt(|| optimizer.settings().remembered(&variable, role, &name))??;
        }
    }
    Ok(())
}
