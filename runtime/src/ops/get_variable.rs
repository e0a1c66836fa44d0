//! Variables that a function makes for itself and finds again by name. Knows scopes and stores, and no layer.

use super::first::first;
use super::initializer::{GlorotUniform, Initializer, first_value};
use super::state::{created, declare, declares};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{Creation, Declared, Reuse, ask_variable, or_raise};
use crate::types::{DType, Shape, Spec};
use crate::value::Variable;
use std::sync::Arc;

/// The `f32` variable of this name in the open variable scopes of the function being run.
///
/// The first call of the function makes it; later calls, and traces of other signatures, find it again. For other types
/// see [`GetVariable`].
///
/// ```
/// use graphfn::prelude::*;
///
/// #[graph_fn]
/// fn total(x: &Tensor) -> Tensor {
///     let sum = get_variable("sum", [], init::Zeros);
///     sum.assign_add(x.sum())
/// }
/// let x = Tensor::from([1.0f32, 2.0]);
/// total(&x);
/// assert_eq!(total(&x).item::<f32>(), 6.0);
/// ```
///
/// # Panics
/// As [`GetVariable::build`].
#[track_caller]
pub fn get_variable(
    name: &str,
    shape: impl Into<Shape>,
    initializer: impl Initializer + 'static,
) -> Variable {
    GetVariable::new(name, shape).initializer(initializer).build()
}

/// A variable to be asked for by name, as by [`get_variable`], with all that can be said of it.
///
/// ```
/// use graphfn::{DType, GetVariable, init, prelude::*};
///
/// #[graph_fn]
/// fn count() -> Tensor {
///     let calls = GetVariable::new("calls", []).dtype(DType::I64).initializer(init::Zeros);
///     calls.untrainable().build().assign_add(1)
/// }
/// count();
/// assert_eq!(count().item::<i64>(), 2);
/// ```
#[derive(Debug)]
#[must_use = "nothing is asked for until `build`"]
pub struct GetVariable {
    name: String,
    shape: Shape,
    dtype: DType,
    initializer: Arc<dyn Initializer>,
    is_trainable: bool,
    place: Place,
}

impl GetVariable {
    /// The variable of this name; it holds `f32`, at first Glorot-uniform numbers, and is trainable, unless said
    /// otherwise.
    #[track_caller]
    pub fn new(name: &str, shape: impl Into<Shape>) -> GetVariable {
        GetVariable {
            name: name.to_string(),
            shape: shape.into(),
            dtype: DType::F32,
            initializer: Arc::new(GlorotUniform),
            is_trainable: true,
            place: Place::caller(),
        }
    }

    /// What it holds at first.
    pub fn initializer(self, initializer: impl Initializer + 'static) -> GetVariable {
        GetVariable { initializer: Arc::new(initializer), ..self }
    }

    /// The type of its elements.
    pub fn dtype(self, dtype: DType) -> GetVariable {
        GetVariable { dtype, ..self }
    }

    /// Optimisers shall leave it alone.
    pub fn untrainable(self) -> GetVariable {
        GetVariable { is_trainable: false, ..self }
    }

    /// The variable: the one that is there, or a new one.
    ///
    /// # Panics
    /// Raises an error outside of any function; if the scopes say that it must not exist and this run of the function
    /// has asked for it before, or that it must and it does not; if it exists with another shape or type.
    #[track_caller]
    pub fn build(self) -> Variable {
        let place = self.place;
        or_raise(self.found_or_made().map_err(|error| error.at(place)))
    }

    /// The variable, in a graph that sessions run: there it has a value when its initialiser has run.
    fn declared(&self, spec: Spec, name: &str) -> Option<Variable> {
        if !declares() {
            return None;
        }
        let first = first(self.initializer.clone(), spec, name);
        let (by, trainable) = (Creation::Kept, self.is_trainable);
        declare(&Declared { name, by, trainable, first: &first }, self.place)
    }

    fn found_or_made(self) -> Result<Variable> {
        let asked = ask_variable(&self.name).ok_or_else(|| outside(&self.name))?;
        let spec = Spec::new(self.dtype, self.shape.clone());
        if let Some((variable, place)) = asked.store.get(&asked.name) {
            if asked.given && asked.reuse == Reuse::Never {
                return Err(exists(&asked.name, place));
            }
            return fits(&variable, spec, place).map(|()| variable);
        }
        if asked.reuse == Reuse::Always {
            return Err(missing(&asked.name));
        }
        if let Some(variable) = self.declared(spec, &asked.name) {
            return Ok(asked.store.insert(&asked.name, variable, self.place));
        }
        let value = first_value(&*self.initializer, spec, &asked.name)?;
        let mine = Variable::from_value(&asked.name, value);
        let mine = if self.is_trainable { mine } else { mine.untrainable() };
        let variable = asked.store.insert(&asked.name, mine.clone(), self.place);
        if variable.is_same(&mine) {
            return Ok(created(variable, Creation::Kept, self.place));
        }
        // Another thread that traces the function has made it meanwhile.
        fits(&variable, spec, self.place).map(|()| variable)
    }
}

fn outside(name: &str) -> Error {
    let message = format!(
        "`get_variable({name:?}, ..)` is called outside of any function, and it is functions that keep such variables"
    );
    Error::new(ErrorKind::Variable, message).with_help(format!(
        "call it in a `#[graph_fn]`, or make the variable yourself: `Variable::new({name:?}, ..)`"
    ))
}

fn exists(name: &str, first: Place) -> Error {
    let message = format!(
        "Variable {name} already exists, disallowed. Did you mean to set reuse=True or \
         reuse=tf.AUTO_REUSE in VarScope? It was first created at {first}"
    );
    Error::new(ErrorKind::Variable, message)
        .with_help("to share it, ask in `variable_scope(..).reuse(true)`, or `.auto_reuse()`")
}

fn missing(name: &str) -> Error {
    let message = format!(
        "Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean \
         to set reuse=tf.AUTO_REUSE in VarScope?"
    );
    Error::new(ErrorKind::Variable, message)
        .with_help("ask for it before in a scope that does not reuse, or with `.auto_reuse()`")
}

/// Whether a variable that exists is what was asked for.
fn fits(variable: &Variable, wanted: Spec, first: Place) -> Result<()> {
    let Some(found) = variable.spec().filter(|found| *found != wanted) else { return Ok(()) };
    let (what, wanted, found, kind) = if wanted.shape() == found.shape() {
        let names = [wanted, found].map(|it| it.dtype().to_string());
        ("dtype", names[0].clone(), names[1].clone(), ErrorKind::Type)
    } else {
        let shapes = [wanted, found].map(|it| it.shape().to_string());
        ("shape", shapes[0].clone(), shapes[1].clone(), ErrorKind::Shape)
    };
    let message = format!(
        "Trying to share variable {}, but specified {what} {wanted} and found {what} {found}. It \
         was first created at {first}",
        variable.name()
    );
    Err(Error::new(kind, message)
        .with_help(format!("ask for the {what} that it has, or for another name")))
}
