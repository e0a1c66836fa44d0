//! The variables of layers: declared before their shapes are known, made when the first inputs give them. Knows no
//! layer.

use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{Creation, Scope, is_recording};
use crate::ops::created;
use crate::ops::initializer::{Initializer, first_value};
use crate::types::{DType, Dim, Spec};
use crate::value::Variable;

/// A size of a layer's variable: `None` is the width of the inputs, which is known at the first call.
pub(super) type Sizes<'a> = &'a [Option<usize>];

/// A variable of a layer, and how it begins.
pub(super) struct Part<'a> {
    pub(super) variable: &'a Variable,
    pub(super) sizes: Sizes<'a>,
    pub(super) initializer: &'a dyn Initializer,
}

/// A layer's variable without a value; of its shape is known what the sizes say.
#[track_caller]
pub(super) fn declared(name: &str, sizes: Sizes<'_>) -> Variable {
    Variable::unbuilt_of(name, sizes)
}

/// Makes the variables of a layer that are not there yet, for inputs whose last axis is its width, and checks that those
/// that are there fit.
pub(super) fn fit(scope: &Scope, inputs: Spec, parts: &[Part<'_>], place: Place) -> Result<()> {
    let Some(width) = inputs.shape().dims().last() else {
        let help = "the last axis is the width of the layer";
        return Err(refused(scope, ErrorKind::Shape, "needs inputs that have axes", inputs, help));
    };
    let built = parts.iter().filter_map(width_of).find(|built| *built != width);
    if let Some(built) = built {
        let what = format!("was built for inputs of width {built}");
        let help = "the first input gives a layer its width: use another layer for other widths";
        return Err(refused(scope, ErrorKind::Shape, &what, inputs, help));
    }
    if parts.iter().all(|part| part.variable.spec().is_some()) {
        return make(scope, inputs.dtype(), None, parts, place);
    }
    let Some(width) = width.known() else {
        let what = "needs inputs whose last size is known";
        let help = "declare the width as a number, as in `signature(x: f32[?, 32])`";
        return Err(refused(scope, ErrorKind::Shape, what, inputs, help));
    };
    if !inputs.dtype().is_float() {
        let help = "convert them first: `x.cast(DType::F32)`";
        return Err(refused(scope, ErrorKind::Type, "needs floats", inputs, help));
    }
    make(scope, inputs.dtype(), Some(width), parts, place)
}

/// The width that a variable was built for, if it is built and has that among its sizes.
fn width_of(part: &Part<'_>) -> Option<&'static Dim> {
    let axis = part.sizes.iter().position(Option::is_none)?;
    Some(&part.variable.spec()?.shape()[axis])
}

/// Makes the variables of a layer that are not there yet. The width may be left out where all sizes are known or all
/// variables are there.
pub(super) fn make(
    scope: &Scope,
    dtype: DType,
    width: Option<usize>,
    parts: &[Part<'_>],
    place: Place,
) -> Result<()> {
    for part in parts {
        if part.variable.spec().is_none() {
            let sizes = part.sizes.iter().map(|size| size.or(width));
            let sizes: Option<Vec<usize>> = sizes.collect();
            let sizes = sizes.expect("the width is given where a variable needs it");
            build(scope, part, Spec::new(dtype, sizes), place)?;
        } else if is_recording() {
            // The trace shall know it by its full name, though it is not made here.
            scope.name_of(part.variable);
        }
    }
    Ok(())
}

fn build(scope: &Scope, part: &Part<'_>, spec: Spec, place: Place) -> Result<()> {
    let variable = part.variable;
    let value = first_value(part.initializer, spec, &scope.name_of(variable))?;
    match variable.build(value) {
        Ok(()) => {
            created(variable.clone(), Creation::Kept, place);
            Ok(())
        }
        // Another thread has built it meanwhile.
        Err(_) if variable.spec() == Some(spec) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The complaint of a layer about its inputs.
pub(super) fn refused(
    scope: &Scope,
    kind: ErrorKind,
    what: &str,
    inputs: Spec,
    help: &str,
) -> Error {
    let name = match scope.name() {
        name if name.is_empty() => scope.default_name().to_string(),
        name => name,
    };
    Error::new(kind, format!("layer `{name}` {what}, found {inputs}")).with_help(help)
}
