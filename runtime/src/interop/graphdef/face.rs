//! What users call to export a graph. Knows graphs and concrete functions, and leaves the writing to `export`.

use super::export::{Held, Holding, export};
use super::messages::{NodeDef, VersionDef};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::Graph;
use crate::interop::protobuf::Field;
use crate::session;
use crate::trace::ConcreteFunction;
use std::path::Path;

/// A graph in TensorFlow's format, and the names by which its user knows its parts.
///
/// ```
/// use graphfn::prelude::*;
///
/// #[graph_fn]
/// fn area(width: &Tensor, height: &Tensor) -> Tensor {
///     width * height
/// }
/// let side = Tensor::from([1.0f32, 2.0]);
/// let exported = area::concrete_function(&side, &side)?.graphdef()?;
/// assert_eq!(exported.inputs, ["width", "height"]);
/// assert_eq!(exported.outputs, ["output"]);
/// let ops: Vec<&str> = exported.node.iter().map(|node| &*node.op).collect();
/// assert_eq!(ops, ["Placeholder", "Placeholder", "Mul", "Identity"]);
/// # Ok::<(), Error>(())
/// ```
///
/// In Python: `graph_def.ParseFromString(open("area.pb", "rb").read())`, `tf.import_graph_def(graph_def, name="")`, and
/// `session.run("output:0", {"width:0": .., "height:0": ..})`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GraphDef {
    /// The nodes, each behind those that it uses.
    pub node: Vec<NodeDef>,
    /// Which TensorFlow understands it.
    pub versions: VersionDef,
    /// The placeholders, in the order of the function's inputs.
    pub inputs: Vec<String>,
    /// The nodes that give the function's outputs, in order.
    pub outputs: Vec<String>,
    /// The node that gives all variables their first values, if there are any.
    pub init: Option<String>,
    /// The node that runs all that the function does to variables, if it does anything.
    pub update: Option<String>,
}

impl GraphDef {
    /// The bytes of the message, which TensorFlow parses.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.node.write(1, &mut out);
        self.versions.put(4, &mut out);
        out
    }

    /// Writes the bytes of the message to a file, whose name by custom ends in `.pb`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        std::fs::write(path, self.encode()).map_err(|why| {
            let message = format!("`{}` cannot be written: {why}", path.display());
            Error::new(ErrorKind::Format, message).with_help("look at the folder and its space")
        })
    }
}

impl Graph {
    /// The graph in TensorFlow's format; its variables have no first values.
    ///
    /// # Errors
    /// If TensorFlow has nothing for an op, and it is no function of smaller ones.
    pub fn to_graphdef(&self) -> Result<GraphDef> {
        let held = self.slots.iter().map(|slot| Held { name: slot.name.to_string(), value: None });
        export(self, &held.collect::<Vec<_>>(), Holding::Variables)
    }
}

impl session::Graph {
    /// The graph as it is now, in TensorFlow's format, with TensorFlow's names: variables are declared where their first
    /// values are, and nothing waits for another that was not said to.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let graph = Graph::new();
    /// let x = graph.get_variable("x", [], init::Constant(3.0));
    /// let _ = x.square();
    /// let names: Vec<String> = graph.to_graphdef()?.node.into_iter().map(|it| it.name).collect();
    /// assert_eq!(names[..4], ["x/Initializer/Const", "x", "x/IsInitialized/VarIsInitializedOp", "x/Assign"]);
    /// assert_eq!(names[4..], ["x/Read/ReadVariableOp", "Square/ReadVariableOp", "Square"]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// If TensorFlow has nothing for an op, and it is no function of smaller ones.
    pub fn to_graphdef(&self) -> Result<GraphDef> {
        let graph = self.to_ir();
        let held = graph.slots.iter().map(|slot| Held { name: slot.name.to_string(), value: None });
        let mut exported = export(&graph, &held.collect::<Vec<_>>(), Holding::Declared)?;
        exported.init = exported.node.iter().find(|it| it.name == "init").map(|it| it.name.clone());
        Ok(exported)
    }
}

impl ConcreteFunction {
    /// The graph as it was traced, in TensorFlow's format.
    ///
    /// Variables are TensorFlow's resource variables, under their scoped names; `init` gives them the values that they
    /// have now, and `update` does to them what a call does.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// #[graph_fn]
    /// fn step(x: &Tensor) {
    ///     get_variable("total", [], init::Zeros).assign_add(x.sum());
    /// }
    /// let concrete = step::concrete_function(&Tensor::from([1.0f32, 2.0]))?;
    /// let exported = concrete.graphdef()?;
    /// assert!(exported.node.iter().any(|node| node.name == "total" && node.op == "VarHandleOp"));
    /// assert_eq!((exported.init.as_deref(), exported.update.as_deref()), (Some("init"), Some("update")));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// If TensorFlow has nothing for an op, and it is no function of smaller ones.
    pub fn graphdef(&self) -> Result<GraphDef> {
        let held = self.variables().iter().map(|variable| Held {
            name: variable.path().to_string(),
            value: variable.variable().load().ok(),
        });
        export(self.graph(), &held.collect::<Vec<_>>(), Holding::Variables)
    }

    /// The graph as it was traced, in TensorFlow's format, with the values that variables have now as constants.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// #[graph_fn]
    /// fn scaled(x: &Tensor) -> Tensor {
    ///     x * get_variable("scale", [], init::Ones)
    /// }
    /// let frozen = scaled::concrete_function(&Tensor::from([1.0f32, 2.0]))?.frozen_graphdef()?;
    /// assert!(frozen.node.iter().any(|node| node.name == "scale" && node.op == "Const"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`graphdef`](ConcreteFunction::graphdef), and if the function changes a variable, or one has no value yet.
    pub fn frozen_graphdef(&self) -> Result<GraphDef> {
        let mut held = Vec::new();
        for variable in self.variables() {
            let value = Some(variable.variable().load()?);
            held.push(Held { name: variable.path().to_string(), value });
        }
        export(self.graph(), &held, Holding::Constants)
    }
}
