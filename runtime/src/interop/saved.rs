//! Traced functions in files, to be run without the code that they were traced from. Knows the text of graphs, and the
//! format safetensors as a container.
//!
//! A file is a safetensors file: the text of the graph is in its metadata, the values of variables are tensors by the names
//! of their slots (`var0`), and so are the constants that the text elides (`const3`).

use super::checkpoint::format::Content;
use super::checkpoint::safetensors::{Row, contents};
use super::checkpoint::whole::write_whole;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Graph, SlotId};
use crate::ops::is_readable;
use crate::trace::ConcreteFunction;
use crate::value::{Value, Variable, load_all};
use safetensors::SafeTensors;
use safetensors::tensor::serialize_to_file;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// The version of the files that are written; older ones are read too, as long as there are such.
const VERSION: u32 = 1;

/// Where a file says its version, and where its graph stands.
const VERSION_KEY: &str = "graphfn.function";
const GRAPH_KEY: &str = "graphfn.graph";

impl ConcreteFunction {
    /// Saves the function in a file: its graph, its constants, and what its variables hold now.
    ///
    /// The file is there whole or not at all, as with [`checkpoint::save`](crate::checkpoint::save).
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// #[graph_fn]
    /// fn double(x: &Tensor) -> Tensor {
    ///     x + x
    /// }
    /// # let folder = std::env::temp_dir().join(format!("graphfn-doc-function-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("double.graphfn");
    /// let x = Tensor::from([1.0f32, 2.0]);
    /// double::concrete_function(&x)?.save(&path)?;
    /// let loaded = ConcreteFunction::load(&path)?;
    /// assert_eq!(loaded.call([&x])?[0].to_vec::<f32>(), [2.0, 4.0]);
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// If it calls code that is no part of the graph (a host function, an op of one's own), a variable has no value, or
    /// the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let (path, graph) = (path.as_ref(), self.graph());
        readable(graph).map_err(|error| error.in_function(self.name()))?;
        let handles: Vec<&Variable> = self.variables().iter().map(|it| it.variable()).collect();
        let held = load_all(&handles)?;
        let variables = held.iter().enumerate().map(|(at, it)| (SlotId::new(at).to_string(), it));
        let constants: Vec<(String, Value)> =
            graph.elided().map(|(at, it)| (format!("const{at}"), it.to_row_major())).collect();
        let constants = constants.iter().map(|(name, it)| (name.clone(), it));
        let tensors: Vec<(String, Row<'_>)> =
            variables.chain(constants).map(|(name, it)| (name, Row(it))).collect();
        let text = [(VERSION_KEY, VERSION.to_string()), (GRAPH_KEY, graph.to_string())];
        let metadata: HashMap<String, String> =
            text.into_iter().map(|(key, text)| (key.to_string(), text)).collect();
        let write = |path: &Path| {
            serialize_to_file(tensors, Some(metadata), path).map_err(|error| error.to_string())
        };
        write_whole(path, write).map_err(|why| {
            let message = format!("`{}` cannot be written: {why}", path.display());
            Error::new(ErrorKind::Format, message).with_help(
                "look at the folder, its permissions and its space; what was there is whole",
            )
        })
    }

    /// The function that a file holds, with variables of its own.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or was written by a newer version of graphfn.
    pub fn load(path: impl AsRef<Path>) -> Result<ConcreteFunction> {
        let path = path.as_ref();
        let unreadable = |why: &dyn std::fmt::Display, help: &str| {
            let message = format!("`{}` cannot be read: {why}", path.display());
            Error::new(ErrorKind::Format, message).with_help(help)
        };
        let bytes = fs::read(path)
            .map_err(|error| unreadable(&error, "look at the path and its permissions"))?;
        let (graph, values) = parsed(&bytes).map_err(|why| match why {
            Unreadable::Newer(version) => unreadable(
                &format_args!("it is of version {version}, and this graphfn reads up to {VERSION}"),
                "use the graphfn that wrote it, or a newer one",
            ),
            Unreadable::Damaged(why) => unreadable(
                &format_args!("it is no whole function: {why}"),
                "it is damaged, cut off, or something else: save the function again",
            ),
        })?;
        let slots = graph.slots.iter().zip(values);
        let variables = slots.map(|(slot, value)| {
            let variable = Variable::from_value(&slot.name, value);
            if slot.trainable { variable } else { variable.untrainable() }
        });
        let variables = variables.collect();
        ConcreteFunction::of_graph(graph, variables)
    }
}

/// What is wrong with a file.
enum Unreadable {
    /// It is of this version.
    Newer(u32),
    /// It is not what was written, in words.
    Damaged(String),
}

impl From<String> for Unreadable {
    fn from(why: String) -> Unreadable {
        Unreadable::Damaged(why)
    }
}

/// The graph of a file, and the values of its variables.
fn parsed(bytes: &[u8]) -> Result<(Graph, Vec<Value>), Unreadable> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
    let metadata = header.metadata().as_ref();
    let text = |key: &str| metadata.and_then(|it| it.get(key));
    let version = text(VERSION_KEY).ok_or_else(|| format!("it has no `{VERSION_KEY}`"))?;
    let version: u32 = version.parse().map_err(|_| format!("its version is {version:?}"))?;
    if version > VERSION {
        return Err(Unreadable::Newer(version));
    }
    let file = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
    let mut constants = Vec::new();
    let mut values: HashMap<String, Value> = HashMap::new();
    for (name, content) in contents(&file)? {
        let Content::Value(value) = content else {
            return Err(format!("`{name}` is of a foreign type").into());
        };
        match name.strip_prefix("const").and_then(|it| it.parse().ok()) {
            Some(number) => constants.push((number, value)),
            None => drop(values.insert(name, value)),
        }
    }
    let graph = text(GRAPH_KEY).ok_or_else(|| format!("it has no `{GRAPH_KEY}`"))?;
    let graph = Graph::parse_with(graph, &constants).map_err(|error| error.to_string())?;
    let held = graph.slots.iter().enumerate().map(|(at, slot)| {
        let name = SlotId::new(at).to_string();
        let value = values.remove(&name).ok_or_else(|| format!("`{name}` is missing"))?;
        if value.spec() == slot.spec {
            return Ok(value);
        }
        Err(format!("`{name}` is {}, and the graph says {}", value.spec(), slot.spec))
    });
    let held = held.collect::<Result<Vec<_>, String>>()?;
    Ok((graph, held))
}

/// Whether the text of a graph can be read back.
fn readable(graph: &Graph) -> Result<()> {
    let foreign = graph.nodes.iter().find(|node| node.kind.op().is_some_and(|op| !is_readable(op)));
    let Some(node) = foreign else { return Ok(()) };
    let message = format!(
        "`{}` is code of yours that a file cannot hold: the function cannot be saved",
        node.kind.name()
    );
    Err(Error::new(ErrorKind::Format, message)
        .with_help("save the function without it, and call it around what is loaded")
        .at(node.place)
        .at_node(&node.name))
}
