//! A graph as text: one node a line, with its name, op, attributes, inputs, types and the user's line; `{:#}` prints
//! large constants whole.
//! Knows how to print; `ops` reads it back, for that needs to know the ops.

use super::{Graph, Node, NodeId};
use crate::types::{DType, Element};
use crate::value::Value;
use std::fmt;

/// Up to how many elements a constant prints in full.
const SHOWN: usize = 16;

impl Graph {
    /// The constants of which plain text shows only how many elements they have, by their numbers.
    pub(crate) fn elided(&self) -> impl Iterator<Item = (usize, &Value)> {
        self.constants.iter().enumerate().filter(|(_, value)| value.len() > SHOWN)
    }
}

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "graph {} {{", self.name)?;
        Lines { graph: self, indent: 1 }.fmt(f)?;
        f.write_str("}")
    }
}

/// The lines of a graph, or of a region in one.
struct Lines<'a> {
    graph: &'a Graph,
    indent: usize,
}

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let graph = self.graph;
        let blank = "  ".repeat(self.indent);
        for (at, input) in graph.inputs.iter().enumerate() {
            writeln!(f, "{blank}in{at} {:?}: {}", &*input.name, input.spec)?;
        }
        for (at, slot) in graph.slots.iter().enumerate() {
            let frozen = if slot.trainable { "" } else { " frozen" };
            writeln!(f, "{blank}var{at} {:?}: {}{frozen}", &*slot.name, slot.spec)?;
        }
        for (at, value) in graph.constants.iter().enumerate() {
            let literal = Literal { value, is_whole: f.alternate() };
            writeln!(f, "{blank}const{at}: {} = {literal}", value.spec())?;
        }
        for (id, node) in graph.iter() {
            writeln!(f, "{blank}{}", Line(graph, id, node))?;
            for (name, region) in node.kind.regions() {
                writeln!(f, "{blank}  {name} {{")?;
                Lines { graph: region, indent: self.indent + 2 }.fmt(f)?;
                writeln!(f, "{blank}  }}")?;
            }
        }
        let outputs: Vec<String> = graph
            .outputs
            .iter()
            .map(|it| match &*it.name {
                "" => it.value.to_string(),
                name => format!("{name:?} {}", it.value),
            })
            .collect();
        writeln!(f, "{blank}return {}", outputs.join(", "))?;
        for (slot, value) in &graph.finals {
            writeln!(f, "{blank}final {slot} = {value}")?;
        }
        Ok(())
    }
}

/// One node: `%0 "add" = AddV2(in0, in1): f32[8]  // src/main.rs:12:5`.
struct Line<'a>(&'a Graph, NodeId, &'a Node);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line(graph, id, node) = self;
        let inputs: Vec<String> = node.inputs.iter().map(ToString::to_string).collect();
        write!(f, "{id} {:?} = {}", &*node.name, node.kind.name())?;
        match &node.kind {
            super::NodeKind::Op(op) => write!(f, "({}){}", inputs.join(", "), op.attrs())?,
            super::NodeKind::Read(slot) => write!(f, "({slot})")?,
            super::NodeKind::Assign(slot) => write!(f, "({slot}, {})", inputs.join(", "))?,
            super::NodeKind::If(_)
            | super::NodeKind::While(_)
            | super::NodeKind::Group
            | super::NodeKind::Mark
            | super::NodeKind::Gradient(_) => {
                write!(f, "({})", inputs.join(", "))?;
            }
        }
        for (i, spec) in node.outputs.iter().enumerate() {
            write!(f, "{}{spec}", if i == 0 { ": " } else { ", " })?;
        }
        for (i, awaited) in graph.controls.get(id).into_iter().flatten().enumerate() {
            write!(f, "{}{awaited}", if i == 0 { " after " } else { ", " })?;
        }
        write!(f, "  // {}", node.place)
    }
}

/// A constant's elements in row-major order; of a large one only how many, unless it is wanted whole.
struct Literal<'a> {
    value: &'a Value,
    is_whole: bool,
}

impl fmt::Display for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value;
        if value.len() > SHOWN && !self.is_whole {
            return write!(f, "<{} elements>", value.len());
        }
        match value.dtype() {
            DType::F32 => elements::<f32>(value, f),
            DType::F64 => elements::<f64>(value, f),
            DType::I32 => elements::<i32>(value, f),
            DType::I64 => elements::<i64>(value, f),
            DType::U8 => elements::<u8>(value, f),
            DType::Bool => elements::<bool>(value, f),
        }
    }
}

/// The elements as a flat list, a scalar bare; the spec before them says how they lie.
fn elements<T: Element>(value: &Value, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let elements = value.to_vec::<T>().expect("the type is the value's own");
    match (value.spec().rank(), &elements[..]) {
        (0, [only]) => write!(f, "{only:?}"),
        _ => write!(f, "{elements:?}"),
    }
}
