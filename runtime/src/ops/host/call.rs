//! The op of host functions: its node, and the kernel that calls the closure. Knows values, and no types of the closure.

use super::result::Form;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Effects, Gradient, Kind, Lowered, Op, Recording, Specs, Tensor, Unwound,
    caught, warn,
};
use crate::kernels::{Kernel, Lowering};
use crate::types::{DType, Spec};
use crate::value::Value;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a closure does with values; the inner result is what it says itself.
pub(super) type Body = dyn Fn(&[Value]) -> Result<Result<Vec<Value>, String>> + Send + Sync;
/// What the outputs are, given what the inputs are.
pub(super) type Gives = dyn Fn(&[Spec]) -> Vec<Spec> + Send + Sync;
/// A gradient rule.
pub(super) type Rule = dyn Fn(&Backward<'_>) -> Vec<Option<Tensor>> + Send + Sync;

/// A call of a host function.
#[derive(Clone)]
pub(super) struct HostCall {
    pub name: Arc<str>,
    /// Which closures it is of.
    pub id: u64,
    pub is_pure: bool,
    /// What is known of the inputs.
    pub takes: Option<Arc<[Form]>>,
    /// What is known of the outputs.
    pub forms: Option<Arc<[Form]>>,
    /// What the user says of the outputs.
    pub gives: Option<Arc<Gives>>,
    pub body: Arc<Body>,
    pub gradient: Derivative,
}

/// What the user says of the gradient.
#[derive(Clone)]
pub(super) enum Derivative {
    /// Nothing: it has none, which is told once.
    Unsaid(Arc<AtomicBool>),
    /// That it has none.
    None,
    /// A rule.
    Rule(Arc<Rule>),
}

impl fmt::Debug for HostCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostCall({:?})", self.name)
    }
}

impl Op for HostCall {
    fn name(&self) -> &'static str {
        "HostCall"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("name", &*self.name).with("id", crate::graph::Attr::Opaque(self.id))
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        self.check_inputs(inputs)?;
        let specs = match &self.gives {
            Some(gives) => gives(inputs).into_iter().collect(),
            None => self.like_the_first(inputs)?,
        };
        self.check_outputs(&specs)?;
        Ok(specs)
    }

    fn kind(&self) -> Kind {
        Kind::Host
    }

    fn effects(&self, _: &[Spec]) -> Effects {
        Effects { fails: true, host: !self.is_pure }
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        match &self.gradient {
            Derivative::Rule(rule) => Gradient::Inputs(rule(call)),
            Derivative::None => Gradient::None,
            Derivative::Unsaid(told) => {
                if !told.swap(true, Ordering::Relaxed) {
                    warn(&format!(
                        "`{}` is a host function through which no gradient passes: give it one by `.with_gradient(..)`, or say that it has none by `.no_gradient()`",
                        self.name
                    ));
                }
                Gradient::None
            }
        }
    }

    fn lower(&self, _: &[Spec], outputs: &[Spec]) -> Lowered<'_> {
        let run = Run { call: self.clone(), outputs: outputs.into() };
        Lowered::Kernel(Lowering::Custom(Arc::new(run)))
    }
}

impl HostCall {
    fn check_inputs(&self, inputs: &[Spec]) -> Result<()> {
        let Some(forms) = &self.takes else { return Ok(()) };
        let fits = |(form, spec): (&Form, &Spec)| is_of(*spec, *form);
        if forms.len() == inputs.len() && forms.iter().zip(inputs).all(fits) {
            return Ok(());
        }
        let kind = match forms.iter().zip(inputs).find(|it| !fits(*it)) {
            Some((form, spec)) if form.dtype != spec.dtype() => ErrorKind::Type,
            _ => ErrorKind::Shape,
        };
        let message =
            format!("host function `{}` takes {}, found {inputs:?}", self.name, described(forms));
        Err(Error::new(kind, message).with_help(
            "cast or reshape the inputs, or write other types at the closure's parameters",
        ))
    }

    /// Arrays like the first input, and numbers.
    fn like_the_first(&self, inputs: &[Spec]) -> Result<Specs> {
        let output = |form: &Form| match (form.rank, inputs.first()) {
            (Some(0), _) => Some(Spec::scalar(form.dtype)),
            (rank, Some(first)) if rank.is_none_or(|rank| rank == first.rank()) => {
                Some(first.with_dtype(form.dtype))
            }
            _ => None,
        };
        let outputs = self.forms.as_ref().and_then(|forms| forms.iter().map(output).collect());
        outputs.ok_or_else(|| {
            let message = match &self.forms {
                Some(forms) => format!("host function `{}` gives {}, whose sizes are not said, for {inputs:?}", self.name, described(forms)),
                None => format!("host function `{}` gives values of which nothing is said", self.name),
            };
            Error::new(ErrorKind::Shape, message).with_help("say it: `.gives(|inputs| vec![Spec::new(DType::F32, [3])])`; unsaid, arrays are as the first input is")
        })
    }

    fn check_outputs(&self, specs: &[Spec]) -> Result<()> {
        let Some(forms) = &self.forms else { return Ok(()) };
        let mut pairs = forms.iter().zip(specs);
        if forms.len() == specs.len() && pairs.all(|(form, spec)| is_of(*spec, *form)) {
            return Ok(());
        }
        let message = format!(
            "host function `{}` gives {}, and is said to give {specs:?}",
            self.name,
            described(forms)
        );
        Err(Error::new(ErrorKind::Type, message)
            .with_help("let `.gives(..)` and the closure's result agree"))
    }

    fn failed(&self, what: &str, inputs: &[Value]) -> Error {
        let given: Vec<Spec> = inputs.iter().map(Value::spec).collect();
        Error::new(ErrorKind::Host, format!("host function `{}` {what}", self.name))
            .with_help(format!("it was given {given:?}: look at what it does with that"))
    }
}

fn is_of(spec: Spec, form: Form) -> bool {
    spec.dtype() == form.dtype && form.rank.is_none_or(|rank| rank == spec.rank())
}

fn described(forms: &[Form]) -> String {
    let one = |form: &Form| {
        let dtype: DType = form.dtype;
        match form.rank {
            Some(0) => format!("{dtype} without axes"),
            Some(1) => format!("{dtype} of 1 axis"),
            Some(rank) => format!("{dtype} of {rank} axes"),
            None => format!("{dtype}"),
        }
    };
    let all: Vec<String> = forms.iter().map(one).collect();
    if all.is_empty() { "nothing".to_string() } else { all.join(", ") }
}

/// A closure at work.
struct Run {
    call: HostCall,
    outputs: Specs,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.call, f)
    }
}

impl Kernel for Run {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let call = &self.call;
        // What the closure asks of tensors of its own runs at once, and is none of a tape's business.
        let _eagerly = Recording::eagerly();
        let made = match caught(|| (call.body)(inputs)) {
            Ok(made) => made?.map_err(|words| call.failed(&format!("failed: {words}"), inputs))?,
            Err(Unwound::Raised(error)) => {
                let failed = call.failed(&format!("failed: {}", error.message()), inputs);
                return Err(match error.place() {
                    Some(place) => failed.at(place),
                    None => failed,
                });
            }
            Err(Unwound::Panic(words)) => {
                return Err(call.failed(&format!("panicked: {words}"), inputs));
            }
        };
        let found: Vec<Spec> = made.iter().map(Value::spec).collect();
        if found[..] == self.outputs[..] {
            return Ok(made);
        }
        let what = format!("gave {found:?}, and {:?} was expected", &self.outputs[..]);
        Err(call.failed(&what, inputs).with_help(
            "say what it gives: `.gives(|inputs| vec![..])`; unsaid, arrays are as the first input is",
        ))
    }
}
