//! Variables into files. Knows names and values, and the formats by their interface alone.

use super::format::Format;
use super::named::{NamedVariables, of_list, of_model};
use super::whole::write_whole;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::Tree;
use crate::value::{Value, Variable, load_all};
use std::path::Path;

/// Saves the variables of a model in a file, whose name ends in `.safetensors` or `.npz`.
///
/// Each stands there under its scoped name, as a concrete function shows it without the `:0`: `dense1/weight`. A
/// variable that stands in several places of the model has the name of the first. Tensors and plain data of the model
/// are not saved. To go on with training, save `(model, optimizer)`: what an optimiser remembers of each variable, such as
/// `Adam/dense1/weight/m`, is saved with it, and can be loaded once it has made a step.
///
/// The values are those of one moment, also while other threads train. The file is written under another name in the
/// same folder, brought to the disk and renamed: a crash never destroys the checkpoint that was there.
///
/// ```
/// use graphfn::{checkpoint, prelude::*};
///
/// #[derive(Tree)]
/// struct Model { dense1: Dense }
///
/// # let folder = std::env::temp_dir().join(format!("graphfn-doc-save-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let path = folder.join("model.safetensors");
/// let model = Model { dense1: Dense::new(2) };
/// model.dense1.call(&Tensor::ones::<f32>([1, 3]));
/// checkpoint::save(&model, &path)?;
///
/// let other = Model { dense1: Dense::new(2) };
/// checkpoint::load(&other, &path)?;
/// assert_eq!(other.dense1.weight.read().to_vec::<f32>(), model.dense1.weight.read().to_vec::<f32>());
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// If a variable has no value yet, as those of a layer before its first call; if two have one name; if the file cannot
/// be written; while a function is traced.
pub fn save(model: &impl Tree, path: impl AsRef<Path>) -> Result<()> {
    save_named(&of_model(model)?, path.as_ref())
}

/// Saves a list of variables in a file, each under a name, as [`save`] does with those of a model.
///
/// ```
/// use graphfn::{checkpoint, prelude::*};
///
/// #[graph_fn]
/// fn total(x: &Tensor) -> Tensor {
///     get_variable("sum", [], init::Zeros).assign_add(x.sum())
/// }
/// # let folder = std::env::temp_dir().join(format!("graphfn-doc-list-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let path = folder.join("total.npz");
/// let x = Tensor::from([1.0f32, 2.0]);
/// total(&x);
/// let concrete = total::concrete_function(&x)?;
/// checkpoint::save_variables(concrete.variables().iter().map(|it| (it.path(), it.variable())), &path)?;
/// assert_eq!(checkpoint::read(&path)?["sum"].item::<f32>(), 3.0);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// As [`save`], and if one variable stands in the list twice.
pub fn save_variables<'v, N: AsRef<str>>(
    variables: impl IntoIterator<Item = (N, &'v Variable)>,
    path: impl AsRef<Path>,
) -> Result<()> {
    save_named(&of_list(variables)?, path.as_ref())
}

fn save_named(variables: &NamedVariables, path: &Path) -> Result<()> {
    let format = Format::of(path)?;
    let unbuilt: Vec<String> = variables
        .iter()
        .filter(|(_, variable)| variable.spec().is_none())
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    if !unbuilt.is_empty() {
        let message = format!("{} cannot be saved before there is a value", unbuilt.join(", "));
        return Err(Error::new(ErrorKind::Variable, message)
            .with_help("call the model once: the first input gives its layers their variables"));
    }
    let handles: Vec<&Variable> = variables.iter().map(|(_, variable)| variable).collect();
    let names = variables.iter().map(|(name, _)| name.clone());
    let named: Vec<(String, Value)> = names.zip(load_all(&handles)?).collect();
    write_whole(path, |path| format.write(&named, path)).map_err(|why| {
        let message = format!("`{}` cannot be written: {why}", path.display());
        Error::new(ErrorKind::Format, message)
            .with_help("look at the folder, its permissions and its space; what was there is whole")
    })
}
