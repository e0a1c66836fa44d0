//! The learning rate: a number, a tensor, a variable, or a schedule. Knows not what it is used for.

use super::schedule::{CosineDecay, ExponentialDecay, Schedule};
use super::settings::Counter;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Key, Mapping, Names, Tensor, Tree};
use crate::types::DType;
use crate::value::Variable;

/// A learning rate. A number is part of a trace; a tensor or a variable may change without another trace, and so may a
/// schedule, which is worked out in the graph from the number of steps.
#[derive(Clone, Debug)]
pub struct Rate(What);

#[derive(Clone, Debug)]
enum What {
    Number(f64),
    Tensor(Tensor),
    Variable(Variable),
    Schedule(Schedule),
}

/// A number as a scalar of a float type.
pub(super) fn scalar(number: f64, dtype: DType) -> Tensor {
    match dtype {
        DType::F32 => Tensor::from(number as f32),
        _ => Tensor::from(number),
    }
}

impl Rate {
    /// The rate of this step, for variables of a type.
    #[track_caller]
    pub(super) fn at(&self, counter: &Counter<'_>, dtype: DType) -> Result<Tensor> {
        let rate = match &self.0 {
            What::Number(number) => scalar(*number, dtype),
            What::Tensor(tensor) => tensor.clone(),
            What::Variable(variable) => variable.read(),
            What::Schedule(schedule) => schedule.at(&counter.before(dtype)),
        };
        if rate.rank() == 0 && rate.dtype() == dtype {
            return Ok(rate);
        }
        let message = format!(
            "the learning rate is one number of the variable's type, {dtype}, found {}",
            rate.spec()
        );
        Err(Error::new(ErrorKind::Type, message)
            .with_help("cast it, or give the rate as a number, which adapts"))
    }

    /// Whether it follows the number of steps.
    pub(super) fn counts(&self) -> bool {
        matches!(self.0, What::Schedule(_))
    }
}

impl Tree for Rate {
    fn key<'a>(&'a self, key: &mut Key<'a>) {
        match &self.0 {
            What::Number(number) => {
                key.tag(0);
                number.key(key);
            }
            What::Tensor(tensor) => {
                key.tag(1);
                tensor.key(key);
            }
            What::Variable(variable) => {
                key.tag(2);
                variable.key(key);
            }
            What::Schedule(schedule) => {
                key.tag(3);
                schedule.key(key);
            }
        }
    }

    fn leaves(&self, names: &mut Names<'_>) {
        match &self.0 {
            What::Number(number) => number.leaves(names),
            What::Tensor(tensor) => tensor.leaves(names),
            What::Variable(variable) => names.state(variable.name()),
            What::Schedule(schedule) => schedule.leaves(names),
        }
    }

    fn map(&self, to: &mut Mapping<'_>) -> Rate {
        Rate(match &self.0 {
            What::Number(number) => What::Number(*number),
            What::Tensor(tensor) => What::Tensor(tensor.map(to)),
            What::Variable(variable) => What::Variable(variable.map(to)),
            What::Schedule(schedule) => What::Schedule(*schedule),
        })
    }
}

macro_rules! from {
    ($($type:ty: $it:ident => $what:expr),* $(,)?) => {$(
        impl From<$type> for Rate {
            fn from($it: $type) -> Rate {
                Rate($what)
            }
        }
    )*};
}
from!(
    f64: it => What::Number(it),
    f32: it => What::Number(it.into()),
    Tensor: it => What::Tensor(it),
    &Tensor: it => What::Tensor(it.clone()),
    Variable: it => What::Variable(it),
    &Variable: it => What::Variable(it.clone()),
    ExponentialDecay: it => What::Schedule(Schedule::Exponential(it)),
    CosineDecay: it => What::Schedule(Schedule::Cosine(it)),
);
