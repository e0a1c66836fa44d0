//! Files into variables. Knows names and values, and the formats by their interface alone.

use super::format::{Content, Contents, Format};
use super::named::{NamedVariables, of_list, of_model};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Tensor, Tree};
use crate::value::{Value, Variable, store_all};
use std::collections::BTreeMap;
use std::path::Path;

/// Loads the variables of a model from a file that [`save`](super::save) or others have written, by their names.
///
/// The file must hold just the variables of the model, each in its shape and type: nothing is cast, left out or half
/// loaded. Layers that have not been called yet are built. All variables change at one moment, also for other threads.
///
/// ```
/// use graphfn::{checkpoint, prelude::*};
///
/// #[derive(Tree)]
/// struct Line { a: Variable, b: Variable }
///
/// let line = Line { a: Variable::new("a", 0.0f32), b: Variable::new("b", 0.0f32) };
/// let error = checkpoint::load(&line, "no/such/file.npz").unwrap_err();
/// assert!(error.message().starts_with("`no/such/file.npz` cannot be read: "));
/// ```
///
/// # Errors
/// If the file cannot be read, is damaged, or does not fit: the one error lists all variables that it lacks, all that it
/// has besides, and all of another shape or type. Also while a function is traced.
pub fn load(model: &impl Tree, path: impl AsRef<Path>) -> Result<()> {
    load_named(&of_model(model)?, path.as_ref())
}

/// Loads a list of variables from a file, each under a name, as [`load`] does with those of a model.
///
/// # Errors
/// As [`load`], and if one variable stands in the list twice.
pub fn load_variables<'v, N: AsRef<str>>(
    variables: impl IntoIterator<Item = (N, &'v Variable)>,
    path: impl AsRef<Path>,
) -> Result<()> {
    load_named(&of_list(variables)?, path.as_ref())
}

/// All that a file holds, by name: to look at it, or to take only some of it.
///
/// # Errors
/// If the file cannot be read or is damaged, or if it holds elements of types that tensors do not have.
pub fn read(path: impl AsRef<Path>) -> Result<BTreeMap<String, Tensor>> {
    let path = path.as_ref();
    let contents = Format::of(path)?.read(path)?;
    let foreign: Vec<String> = contents
        .iter()
        .filter_map(|(name, content)| match content {
            Content::Foreign(dtype) => Some(format!("`{name}` is {dtype}")),
            Content::Value(_) => None,
        })
        .collect();
    if !foreign.is_empty() {
        let message = format!(
            "`{}` holds types that tensors do not have: {}",
            path.display(),
            foreign.join(", ")
        );
        return Err(Error::new(ErrorKind::Format, message)
            .with_help("write it as float32, float64, int32, int64, uint8 or bool"));
    }
    let tensors = contents.into_iter().map(|(name, content)| match content {
        Content::Value(value) => (name, Tensor::from(value)),
        Content::Foreign(_) => unreachable!("there are none of these"),
    });
    Ok(tensors.collect())
}

fn load_named(variables: &NamedVariables, path: &Path) -> Result<()> {
    if let Some((name, _)) = variables.iter().find(|(_, it)| it.stands_for().is_some()) {
        let message = format!("`{name}` holds a gradient and is not loaded");
        return Err(Error::new(ErrorKind::Variable, message)
            .with_help("load the model that it is the gradient of"));
    }
    let contents = Format::of(path)?.read(path)?;
    let values = matched(variables, contents, path)?;
    let handles: Vec<&Variable> = variables.iter().map(|(_, variable)| variable).collect();
    store_all(&handles, values)
}

/// The values for the variables, in their order.
fn matched(variables: &NamedVariables, mut contents: Contents, path: &Path) -> Result<Vec<Value>> {
    let (mut values, mut lacks, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for (name, variable) in variables {
        let wanted = variable.described();
        match contents.remove(name) {
            None => lacks.push(format!("`{name}`")),
            Some(Content::Foreign(dtype)) => {
                wrong.push(format!("`{name}` is of type {dtype} and should be {wanted}"))
            }
            Some(Content::Value(value)) if variable.accepts_at_first(value.spec()).is_err() => {
                wrong.push(format!("`{name}` is {} and should be {wanted}", value.spec()))
            }
            Some(Content::Value(value)) => values.push(value),
        }
    }
    let more: Vec<String> = contents.keys().map(|name| format!("`{name}`")).collect();
    let parts: Vec<String> = [("it lacks ", lacks), ("it has ", more), ("in it ", wrong)]
        .into_iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(what, list)| match what {
            "it has " => format!("{what}{} besides", list.join(", ")),
            _ => format!("{what}{}", list.join(", ")),
        })
        .collect();
    if parts.is_empty() {
        return Ok(values);
    }
    let message = format!("`{}` does not fit: {}", path.display(), parts.join("; "));
    Err(Error::new(ErrorKind::Variable, message).with_help(
        "nothing was loaded: load it into such a model as was saved, or take what fits from \
         `checkpoint::read`",
    ))
}
