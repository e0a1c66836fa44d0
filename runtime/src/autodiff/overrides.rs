//! Gradients by name, and blocks in which ops have those in place of their own. Knows names of ops, and no rule.

use super::custom::Rule;
use super::nearest::nearest;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{
    Attrs, Backward, Effects, Gradient, Kind, Lowered, Op, OpRef, Specs, Substitute, Substituting,
    Tensor, raise,
};
use crate::ops::op_names;
use crate::types::Spec;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// A gradient that was registered.
#[derive(Clone)]
struct Registered {
    rule: Arc<Rule>,
    place: Place,
}

static REGISTERED: RwLock<BTreeMap<Arc<str>, Registered>> = RwLock::new(BTreeMap::new());

/// Registers a gradient rule under a name, for [`gradient_override`].
///
/// The rule is given the inputs, the outputs and the gradients that come to them, and gives the gradient of each input.
///
/// # Errors
/// If a gradient of this name is registered already, or an op is called so.
#[track_caller]
pub fn register_gradient<F>(name: &str, rule: F) -> Result<()>
where
    F: Fn(&Backward<'_>) -> Vec<Option<Tensor>> + Send + Sync + 'static,
{
    let place = Place::caller();
    let taken = |message: String| {
        Error::new(ErrorKind::Value, message)
            .with_help(format!("register it under a name of its own, and give that to an op: `gradient_override(&[(\"Square\", \"My{name}\")], || ..)`"))
            .at(place)
    };
    if built_in(name).is_some() {
        return Err(taken(format!(
            "gradient `{name}` is registered at {place}, and is that of an op which is built into graphfn"
        )));
    }
    let mut registered = REGISTERED.write();
    if let Some(earlier) = registered.get(name) {
        return Err(taken(format!(
            "gradient `{name}` is registered at {place}, and was registered before at {}",
            earlier.place
        )));
    }
    registered.insert(name.into(), Registered { rule: Arc::new(rule), place });
    Ok(())
}

/// Runs a block in which some ops have registered gradients in place of their own, each given as the op's name and the
/// gradient's, as `tf.Graph.gradient_override_map` does.
///
/// It is about the ops that the block asks for, eagerly or in a traced function, and not about those that composite ops
/// and gradient rules are made of. A traced function that the block calls is a part of it, and runs op by op. Blocks may
/// be nested: the inner one decides first. `PyFunc` and `PyFuncStateless` stand for `HostCall`, the op of host functions.
///
/// ```
/// use graphfn::{gradient_override, prelude::*, register_gradient};
///
/// register_gradient("TenfoldSlope", |call| {
///     vec![call.grads[0].as_ref().map(|g| g * 20.0 * &call.inputs[0])]
/// })?;
/// let slope = grad(|x: &Tensor| gradient_override(&[("Square", "TenfoldSlope")], || x.square()));
/// assert_eq!(slope(&Tensor::from(5.0f32)).item::<f32>(), 100.0);
/// # Ok::<(), Error>(())
/// ```
///
/// # Panics
/// Raises an error for a name that no op or no gradient has, and for an op that is named twice.
#[track_caller]
pub fn gradient_override<R>(gradients: &[(&str, &str)], block: impl FnOnce() -> R) -> R {
    let mut rules: BTreeMap<&'static str, Named> = BTreeMap::new();
    for (op, gradient) in gradients {
        let found = named_op(op).and_then(|op| Ok((op, named_gradient(gradient)?)));
        let (op, named) = match found {
            Ok(found) => found,
            Err(error) => raise(error),
        };
        if let Some(other) = rules.insert(op, named) {
            let message =
                format!("op `{op}` is given two gradients, `{}` and `{gradient}`", other.name);
            raise(Error::new(ErrorKind::Value, message).with_help("name each op once"));
        }
    }
    let _substituting = Substituting::by(Rc::new(Overrides(rules)));
    block()
}

/// The name of a built-in op.
fn built_in(name: &str) -> Option<&'static str> {
    let name = if matches!(name, "PyFunc" | "PyFuncStateless") { "HostCall" } else { name };
    op_names().find(|it| *it == name)
}

fn named_op(name: &str) -> Result<&'static str> {
    built_in(name).ok_or_else(|| {
        let help = match nearest(name, op_names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`graphfn::op_table()` lists the ops; an op of your own has its rule in its `Op::grad`".to_string(),
        };
        Error::new(ErrorKind::Value, format!("there is no op `{name}` whose gradient could be another"))
            .with_help(help)
    })
}

fn named_gradient(name: &str) -> Result<Named> {
    let registered = REGISTERED.read();
    if let Some((name, found)) = registered.get_key_value(name) {
        return Ok(Named { name: name.clone(), rule: found.rule.clone() });
    }
    let help = match nearest(name, registered.keys().map(|it| &**it)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("register it first: `register_gradient({name:?}, |call| ..)`"),
    };
    Err(Error::new(ErrorKind::Value, format!("no gradient `{name}` is registered")).with_help(help))
}

/// A rule with its name.
#[derive(Clone)]
struct Named {
    name: Arc<str>,
    rule: Arc<Rule>,
}

/// The rules of a block, by the names of ops.
struct Overrides(BTreeMap<&'static str, Named>);

impl Substitute for Overrides {
    fn substitute(&self, op: &OpRef) -> Option<OpRef> {
        let gradient = self.0.get(op.name())?.clone();
        Some(Overridden { op: op.clone(), gradient }.into())
    }
}

/// An op with another gradient.
struct Overridden {
    op: OpRef,
    gradient: Named,
}

impl fmt::Debug for Overridden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} with the gradient {:?}", self.op, self.gradient.name)
    }
}

impl Op for Overridden {
    fn name(&self) -> &'static str {
        self.op.name()
    }

    fn attrs(&self) -> Attrs {
        self.op.attrs().with("gradient", &*self.gradient.name)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        self.op.infer(inputs)
    }

    fn kind(&self) -> Kind {
        self.op.kind()
    }

    fn effects(&self, inputs: &[Spec]) -> Effects {
        self.op.effects(inputs)
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        Gradient::Inputs((self.gradient.rule)(call))
    }

    fn lower(&self, inputs: &[Spec], outputs: &[Spec]) -> Lowered<'_> {
        self.op.lower(inputs, outputs)
    }
}
