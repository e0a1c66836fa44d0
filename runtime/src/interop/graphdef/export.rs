//! Walks a graph and writes its nodes, its inputs, variables and outputs. Knows rows as data, and no op.

use super::call::{Call, Sizes, of_type};
use super::face::GraphDef;
use super::messages::{AttrValue, VersionDef};
use super::names::{constant_name, names_in};
use super::row::{refused, write};
use super::table::row;
use super::writer::Writer;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Graph, Node, NodeId, NodeKind, OpRef, Parsed, Ref, SlotId};
use crate::passes::expand_where;
use crate::types::Spec;
use crate::value::Value;
use std::collections::HashMap;

/// The version of graphs that TensorFlow 2.16 and later write; earlier ones read it too.
const PRODUCER: i32 = 1994;

/// A variable as it is exported.
pub(super) struct Held {
    pub name: String,
    pub value: Option<Value>,
}

/// What variables become.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holding {
    /// Variables.
    Variables,
    /// Constants.
    Constants,
    /// Variables of a graph that is no program: what is not said to wait for another does not, and variables stand where
    /// their first values are.
    Declared,
}

/// A variable that is being exported: what has to run before the next read or assignment.
#[derive(Clone, Default)]
struct Slot {
    /// The node that is the variable, or the constant; empty for a declared one that nothing has used yet.
    handle: String,
    assigned: Option<String>,
    reads: Vec<String>,
}

/// The graph with the smaller ops of those that have no row: the nodes that are exported.
///
/// # Errors
/// What an expansion refuses.
pub(in crate::interop) fn expanded(graph: &Graph) -> Result<Graph> {
    expand_where(graph, |op| row(op.name()).is_none())
}

struct Export<'g> {
    graph: &'g Graph,
    holding: Holding,
    writer: Writer,
    /// What our values are called there.
    values: HashMap<Ref, String>,
    slots: Vec<Slot>,
    sizes: Sizes,
    assignments: Vec<String>,
}

/// Writes a graph.
///
/// # Errors
/// If TensorFlow has nothing for an op, and it is no function of smaller ones; if a variable that becomes a constant is
/// assigned.
pub(super) fn export(graph: &Graph, held: &[Held], holding: Holding) -> Result<GraphDef> {
    let graph = &expanded(graph)?;
    let mut export = Export {
        graph,
        holding,
        writer: Writer::default(),
        values: HashMap::new(),
        slots: Vec::new(),
        sizes: Sizes::new(),
        assignments: Vec::new(),
    };
    // Nodes first: they keep their names, and what is made beside them does not.
    let names = names_in(&mut export.writer, graph);
    let inputs = export.inputs();
    let init = export.variables(held);
    for ((id, node), name) in graph.iter().zip(names.clone()) {
        export.node(id, node, &name).map_err(|error| error.at(node.place).at_node(&node.name))?;
        export.waiting(id, &name, &names);
    }
    export.finals()?;
    let outputs = export.outputs();
    let update = match holding {
        Holding::Declared => None,
        _ => export.group("update", export.assignments.clone()),
    };
    let versions = VersionDef { producer: PRODUCER };
    Ok(GraphDef { node: export.writer.nodes, versions, inputs, outputs, init, update })
}

impl Export<'_> {
    fn inputs(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        for (at, input) in self.graph.inputs.iter().enumerate() {
            let name = self.writer.unique(&input.name);
            let attrs = [
                of_type("dtype", input.spec.dtype()),
                ("shape", AttrValue::Shape(input.spec.into())),
            ];
            self.writer.node(name.clone(), "Placeholder", Vec::new(), attrs, &[input.spec]);
            let shape = input.spec.shape();
            let dims = if shape.has_rank() { shape.dims() } else { &[] };
            for (axis, dim) in dims.iter().enumerate() {
                if let Some(symbol) = dim.as_symbol() {
                    self.sizes.entry(symbol).or_insert_with(|| (name.clone(), axis));
                }
            }
            self.values.insert(Ref::Input(crate::graph::InputId::new(at)), name.clone());
            names.push(name);
        }
        names
    }

    /// The variables, and what gives them their first values.
    fn variables(&mut self, held: &[Held]) -> Option<String> {
        let mut assigned = Vec::new();
        let graph = self.graph;
        for (slot, Held { name, value }) in graph.slots.iter().zip(held) {
            if self.holding == Holding::Declared {
                // Others must not take the name, though the node comes where it is used.
                self.writer.unique(name);
                self.slots.push(Slot::default());
                continue;
            }
            let name = self.writer.unique(name);
            let handle = match (self.holding, value) {
                (Holding::Constants, Some(value)) => self.writer.constant(name, value),
                _ => {
                    let handle = self.handle(name, slot.spec);
                    assigned.extend(value.as_ref().map(|value| self.initial(&handle, value)));
                    handle
                }
            };
            self.slots.push(Slot { handle, ..Slot::default() });
        }
        self.group("init", assigned)
    }

    fn handle(&mut self, name: String, spec: Spec) -> String {
        let attrs = [
            of_type("dtype", spec.dtype()),
            ("shape", AttrValue::Shape(spec.into())),
            ("shared_name", AttrValue::Text(name.clone())),
        ];
        self.writer.node(name, "VarHandleOp", Vec::new(), attrs, &[])
    }

    /// The node that is a variable, which is written when it is used first.
    fn declared(&mut self, slot: SlotId) -> String {
        if self.slots[slot.index()].handle.is_empty() {
            let variable = &self.graph.slots[slot.index()];
            let handle = self.handle(variable.name.to_string(), variable.spec);
            let name = self.writer.unique(&format!("{handle}/IsInitialized/VarIsInitializedOp"));
            self.writer.node(name, "VarIsInitializedOp", vec![handle.clone()], [], &[]);
            self.slots[slot.index()].handle = handle;
        }
        self.slots[slot.index()].handle.clone()
    }

    /// The assignment of a first value.
    fn initial(&mut self, handle: &str, value: &Value) -> String {
        let name = self.writer.unique(&format!("{handle}/Initializer/Const"));
        let constant = self.writer.constant(name, value);
        let name = self.writer.unique(&format!("{handle}/Assign"));
        let attrs = [of_type("dtype", value.dtype())];
        self.writer.node(name, "AssignVariableOp", vec![handle.to_string(), constant], attrs, &[])
    }

    /// A node that runs others.
    fn group(&mut self, name: &str, nodes: Vec<String>) -> Option<String> {
        if nodes.is_empty() {
            return None;
        }
        let name = self.writer.unique(name);
        let inputs = nodes.into_iter().map(|it| format!("^{it}")).collect();
        Some(self.writer.node(name, "NoOp", inputs, [], &[]))
    }

    fn node(&mut self, id: NodeId, node: &Node, name: &str) -> Result<()> {
        let name = name.to_string();
        match &node.kind {
            NodeKind::Op(op) => self.op(op, node, name.clone())?,
            NodeKind::Read(slot) => self.read(*slot, name.clone()),
            NodeKind::Assign(slot) => {
                let value = self.value(node.inputs[0], &name, 0);
                self.assign(*slot, name.clone(), value)?;
            }
            NodeKind::Group => self.done(node, name.clone()),
            NodeKind::If(_) | NodeKind::While(_) => {
                let why = "its regions would be functions there, and none is written";
                return Err(refused(node.kind.name(), why));
            }
            NodeKind::Mark | NodeKind::Gradient(_) => {
                let message = format!("node `{}` is not worked out yet", node.name);
                return Err(Error::new(ErrorKind::Format, message)
                    .with_help("export the graph of a concrete function, which is complete"));
            }
        }
        for output in 0..node.outputs.len() {
            let value = if output == 0 { name.clone() } else { format!("{name}:{output}") };
            self.values.insert(Ref::Node(id, output as u16), value);
        }
        Ok(())
    }

    /// A node that waits for others, and gives its input if it has one.
    fn done(&mut self, node: &Node, name: String) {
        match node.inputs.first() {
            None => drop(self.writer.node(name, "NoOp", Vec::new(), [], &[])),
            Some(value) => {
                let input = self.value(*value, &name, 0);
                let attrs = [of_type("T", self.graph.dtype(*value))];
                self.writer.node(name, "Identity", vec![input], attrs, &node.outputs);
            }
        }
    }

    /// What a node waits for beside its inputs.
    fn waiting(&mut self, id: NodeId, name: &str, names: &[String]) {
        let before = self.graph.controls.get(&id).into_iter().flatten();
        let before: Vec<String> = before.map(|it| format!("^{}", names[it.index()])).collect();
        if let Some(node) = self.writer.nodes.iter_mut().rfind(|node| node.name == name) {
            node.input.extend(before);
        }
    }

    fn op(&mut self, op: &OpRef, node: &Node, name: String) -> Result<()> {
        let Some(row) = row(op.name()) else {
            return Err(refused(
                op.name(),
                "it is not one of TensorFlow's, and no function of others",
            ));
        };
        let inputs = node.inputs.iter().enumerate();
        let inputs = inputs.map(|(at, value)| self.value(*value, &name, at)).collect();
        let attrs = op.attrs();
        let attrs = attrs.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        let mut call = Call {
            op,
            attrs: Parsed(attrs),
            name,
            inputs,
            specs: node.inputs.iter().map(|value| self.graph.spec(*value)).collect(),
            outputs: &node.outputs,
            writer: &mut self.writer,
            sizes: &self.sizes,
        };
        write(&row.to, &mut call)
    }

    /// What a value is called; constants get the name of their first user, and their place there.
    fn value(&mut self, value: Ref, user: &str, place: usize) -> String {
        if let Some(name) = self.values.get(&value) {
            return name.clone();
        }
        let name = match value {
            Ref::Constant(id) => {
                let name = self.writer.unique(&constant_name(user, place));
                self.writer.constant(name, self.graph.constant(id))
            }
            Ref::Variable(slot) => {
                let name = format!("{}/Read/ReadVariableOp", self.slots[slot.index()].handle);
                let name = self.writer.unique(&name);
                self.read(slot, name.clone());
                name
            }
            Ref::Input(_) | Ref::Node(..) => unreachable!("what is used stands before its user"),
        };
        self.values.insert(value, name.clone());
        name
    }

    /// What a variable holds here: behind the assignment before.
    fn read(&mut self, slot: SlotId, name: String) {
        let spec = self.graph.slots[slot.index()].spec;
        if self.holding == Holding::Declared {
            let inputs = vec![self.declared(slot)];
            let attrs = [of_type("dtype", spec.dtype())];
            self.writer.node(name, "ReadVariableOp", inputs, attrs, &[spec]);
            return;
        }
        let state = &mut self.slots[slot.index()];
        let mut inputs = vec![state.handle.clone()];
        if self.holding == Holding::Constants {
            self.writer.node(name, "Identity", inputs, [of_type("T", spec.dtype())], &[spec]);
            return;
        }
        inputs.extend(state.assigned.iter().map(|it| format!("^{it}")));
        state.reads.push(name.clone());
        let attrs = [of_type("dtype", spec.dtype())];
        self.writer.node(name, "ReadVariableOp", inputs, attrs, &[spec]);
    }

    /// A new value: behind the assignment before and all reads since.
    fn assign(&mut self, slot: SlotId, name: String, value: String) -> Result<()> {
        let (spec, variable) =
            (self.graph.slots[slot.index()].spec, &self.graph.slots[slot.index()].name);
        if self.holding == Holding::Constants {
            let message = format!(
                "`{}` changes the variable `{variable}`, which a frozen graph cannot",
                self.graph.name
            );
            return Err(Error::new(ErrorKind::Variable, message)
                .with_help("export it with variables: `graphdef()`"));
        }
        let attrs = [of_type("dtype", spec.dtype())];
        if self.holding == Holding::Declared {
            let handle = self.declared(slot);
            let is_first = name == format!("{handle}/Assign");
            self.writer.node(name, "AssignVariableOp", vec![handle.clone(), value], attrs, &[]);
            if is_first {
                let name = self.writer.unique(&format!("{handle}/Read/ReadVariableOp"));
                self.read(slot, name);
            }
            return Ok(());
        }
        let state = &mut self.slots[slot.index()];
        let before = state.assigned.iter().chain(&state.reads).map(|it| format!("^{it}"));
        let inputs = [state.handle.clone(), value].into_iter().chain(before).collect();
        state.reads.clear();
        state.assigned = Some(name.clone());
        self.assignments.push(name.clone());
        self.writer.node(name, "AssignVariableOp", inputs, attrs, &[]);
        Ok(())
    }

    /// What variables hold after the run, where the graph says that at its end. All values are known before the first is
    /// written: one may be another's present one.
    fn finals(&mut self) -> Result<()> {
        let graph = self.graph;
        let values: Vec<String> =
            graph.finals.iter().map(|(_, value)| self.value(*value, "final", 0)).collect();
        for ((slot, _), value) in graph.finals.iter().zip(values) {
            let name = format!("{}/AssignVariableOp", self.slots[slot.index()].handle);
            let name = self.writer.unique(&name);
            self.assign(*slot, name, value)?;
        }
        Ok(())
    }

    fn outputs(&mut self) -> Vec<String> {
        let graph = self.graph;
        let mut names = Vec::new();
        for output in &graph.outputs {
            let name = match &*output.name {
                "" => self.writer.unique("output"),
                path => self.writer.unique(&format!("output/{path}")),
            };
            let value = self.value(output.value, &name, 0);
            let spec = graph.spec(output.value);
            let attrs = [of_type("T", spec.dtype())];
            names.push(self.writer.node(name, "Identity", vec![value], attrs, &[spec]));
        }
        names
    }
}
