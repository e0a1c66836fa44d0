//! What all optimisers have: a name, a learning rate, clipping, weight decay, and a count of steps. Knows no rule.

use super::rate::{Rate, scalar};
use super::{Clip, Role};
use crate::error::{Place, Result};
use crate::graph::{Companion, Creation, Key, Mapping, Names, Tensor, Tree, or_raise, recorder};
use crate::ops::{companion, created};
use crate::types::DType;
use crate::value::{Value, Variable};
use std::cell::OnceCell;

/// What all optimisers have beside their rule.
///
/// It is the identity of an optimiser too: what it remembers of the variables that it trains belongs to the variable
/// that counts its steps. So clones are one optimiser, and a trace finds, at each call, what the optimiser of that call
/// remembers of the variables of that call, whatever others it was traced with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What the rule is called, whatever the optimiser is called.
    rule: String,
    name: String,
    rate: Rate,
    clip: Option<Clip>,
    decay: Option<f64>,
    /// Counts the steps, where the rule or the rate needs that; and keeps what is remembered of other variables.
    step: Variable,
}

impl Settings {
    /// Those of a rule that is called this, with a learning rate.
    #[track_caller]
    pub fn new(name: &str, rate: Rate) -> Settings {
        Settings { step: or_raise(counter(name)), ..Settings::without_state(name, rate) }
    }

    /// As [`new`](Settings::new), of a rule that remembers nothing and asks for no number of steps: it may be made in a
    /// traced function, and made again in another trace.
    #[track_caller]
    pub fn forgetful(name: &str, rate: Rate) -> Settings {
        if rate.counts() {
            return Settings::new(name, rate);
        }
        Settings::without_state(name, rate)
    }

    #[track_caller]
    fn without_state(name: &str, rate: Rate) -> Settings {
        let (rule, name, step) = (name.to_string(), name.to_string(), step(name));
        Settings { rule, name, rate, clip: None, decay: None, step }
    }

    #[track_caller]
    pub(super) fn rename(&mut self, name: &str) {
        self.name = name.to_string();
        self.step = or_raise(counter(name));
    }

    pub(super) fn set_clip(&mut self, clip: Clip) {
        self.clip = Some(clip);
    }

    pub(super) fn set_decay(&mut self, decay: f64) {
        self.decay = Some(decay);
    }

    pub(super) fn rule(&self) -> &str {
        &self.rule
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn rate(&self) -> &Rate {
        &self.rate
    }

    pub(super) fn clip(&self) -> Option<Clip> {
        self.clip
    }

    pub(super) fn decay(&self) -> Option<f64> {
        self.decay
    }

    pub(super) fn step(&self) -> &Variable {
        &self.step
    }

    /// What is remembered of a variable of this full name.
    #[track_caller]
    pub(super) fn remembered(&self, of: &Variable, role: Role, name: &str) -> Result<Companion> {
        let name = format!("{}/{name}/{}", self.name, role.name);
        companion(&self.step, of, role, name.into())
    }
}

/// A variable that counts steps.
#[track_caller]
fn step(name: &str) -> Variable {
    Variable::from_value(&format!("{name}/step"), Value::scalar(0i64)).untrainable().keeper()
}

/// As [`step`]; a traced function that makes one must not do so again.
#[track_caller]
fn counter(name: &str) -> Result<Variable> {
    match recorder() {
        Some(_) => Ok(created(step(name), Creation::Plain, Place::caller())),
        None => Ok(step(name)),
    }
}

impl Tree for Settings {
    fn key<'a>(&'a self, key: &mut Key<'a>) {
        key.text(&self.name);
        self.rate.key(key);
        self.clip.key(key);
        self.decay.key(key);
        self.step.key(key);
    }

    fn leaves(&self, names: &mut Names<'_>) {
        names.text(&self.name);
        names.field("rate", |names| self.rate.leaves(names));
        names.field("clip", |names| self.clip.leaves(names));
        names.field("decay", |names| self.decay.leaves(names));
        names.state(&format!("{}/step", self.name));
    }

    fn map(&self, to: &mut Mapping<'_>) -> Settings {
        Settings {
            rule: self.rule.clone(),
            name: self.name.clone(),
            rate: self.rate.map(to),
            clip: self.clip,
            decay: self.decay,
            step: self.step.map(to),
        }
    }
}

/// The number of steps, read when somebody asks for it.
#[derive(Debug)]
pub(super) struct Counter<'s> {
    step: &'s Variable,
    before: OnceCell<Tensor>,
}

impl Counter<'_> {
    pub fn new(settings: &Settings) -> Counter<'_> {
        Counter { step: settings.step(), before: OnceCell::new() }
    }

    #[track_caller]
    fn read(&self) -> &Tensor {
        // The closure of `get_or_init` would hide the caller's line.
        if self.before.get().is_none() {
            self.before.set(self.step.read()).expect("it was empty just now");
        }
        self.before.get().expect("it is full now")
    }

    /// How many steps were done before this one, as a float.
    #[track_caller]
    pub fn before(&self, dtype: DType) -> Tensor {
        self.read().cast(dtype)
    }

    /// The number of this step, from 1.
    #[track_caller]
    pub fn number(&self, dtype: DType) -> Tensor {
        self.before(dtype) + scalar(1.0, dtype)
    }

    /// Counts this step, if somebody has asked.
    #[track_caller]
    pub fn count(&self) {
        if let Some(before) = self.before.get() {
            self.step.assign(before + 1);
        }
    }
}
