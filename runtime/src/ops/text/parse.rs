//! The lines of graph text, one kind after the other. Knows the order in which `graph/text` prints them.

use super::cursor::Cursor;
use super::values::{Symbols, attributes, constant, reference, spec};
use crate::error::{Place, Result};
use crate::graph::{Graph, Loop, Node, NodeId, NodeKind, Output, Ref, Slot, verify};
use crate::ops::make;
use crate::value::Value;
use once_cell::sync::Lazy;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

impl Graph {
    /// Reads a graph from the text that `{graph:#}` prints.
    ///
    /// Plain `{graph}` elides large constants; such text is refused.
    ///
    /// ```
    /// use graphfn::{ir::Graph, prelude::*};
    ///
    /// #[graph_fn]
    /// fn double(x: &Tensor) -> Tensor {
    ///     x + x
    /// }
    /// let graph = double::concrete_function(&Tensor::from(1.0f32))?.graph().clone();
    /// let text = format!("{graph:#}");
    /// assert_eq!(format!("{:#}", Graph::parse(&text)?), text);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// With the number of the line that cannot be read, and what was expected there.
    pub fn parse(text: &str) -> Result<Graph> {
        Graph::parse_with(text, &[])
    }

    /// As [`Graph::parse`], of text that elides constants: of these each has its value here, by its number.
    ///
    /// # Errors
    /// As [`Graph::parse`]; and if the value of an elided constant is missing, or of another spec.
    pub(crate) fn parse_with(text: &str, constants: &[(usize, Value)]) -> Result<Graph> {
        let mut lines = text
            .lines()
            .zip(1..)
            .map(|(line, number)| Cursor::new(line, number))
            .filter(|it| !it.is_at_end());
        let Some(mut first) = lines.next() else {
            return Err(Cursor::new("", 1).wanted("`graph name {`"));
        };
        first.expect("graph")?;
        let name = first.take_while(|it| it != '{' && !it.is_whitespace()).into();
        first.expect("{")?;
        let mut reading = Reading { lines: &mut lines, symbols: Symbols::new(), constants };
        let graph = Graph { name, ..Graph::default() };
        let (graph, end) = reading.region(graph, first)?;
        verify(&graph).map(|()| graph).map_err(|what| end.complaint(&what))
    }
}

/// Lines of text on the way into a graph.
struct Reading<'r, 't> {
    lines: &'r mut dyn Iterator<Item = Cursor<'t>>,
    symbols: Symbols,
    constants: &'r [(usize, Value)],
}

impl<'t> Reading<'_, 't> {
    /// Reads up to the bracket that closes a graph or a region; gives that line too.
    fn region(&mut self, mut graph: Graph, mut last: Cursor<'t>) -> Result<(Graph, Cursor<'t>)> {
        while let Some(mut at) = self.lines.next() {
            if at.take("}") {
                return Ok((graph, at));
            }
            line(&mut at, &mut graph, &mut self.symbols, self.constants)?;
            if !at.is_at_end() {
                return Err(at.wanted("the end of the line"));
            }
            last = at;
            if let Some(node) = graph.nodes.last()
                && !node.kind.regions().is_empty()
                && node.kind.regions().iter().all(|(_, it)| it.outputs.is_empty())
            {
                let kind = self.regions(&node.kind.clone(), &last)?;
                graph.nodes.last_mut().expect("it was there just now").kind = kind;
            }
        }
        Err(last.wanted("`}`"))
    }

    /// Reads the regions of a node, which stand behind its line.
    fn regions(&mut self, kind: &NodeKind, node: &Cursor<'t>) -> Result<NodeKind> {
        let mut names = kind.regions().into_iter().map(|(name, _)| name);
        kind.with_regions(|empty| {
            let name = names.next().expect("a region has a name");
            let Some(mut at) = self.lines.next() else {
                return Err(node.wanted(&format!("a line `{name} {{`")));
            };
            at.expect(name)?;
            at.expect("{")?;
            Ok(self.region(empty.clone(), at)?.0)
        })
    }
}

fn line(
    at: &mut Cursor<'_>,
    graph: &mut Graph,
    symbols: &mut Symbols,
    constants: &[(usize, Value)],
) -> Result<()> {
    if at.take("return") {
        return results(at, graph);
    }
    if at.take("final ") {
        let Ref::Variable(slot) = reference(at)? else {
            return Err(at.wanted("a variable such as `var0`"));
        };
        at.expect("=")?;
        graph.finals.push((slot, reference(at)?));
        return Ok(());
    }
    let before = at.clone();
    match reference(at)? {
        Ref::Input(id) if id.index() == graph.inputs.len() => {
            let name = at.quoted()?;
            at.expect(":")?;
            graph.add_input(name, spec(at, symbols)?);
        }
        Ref::Variable(id) if id.index() == graph.slots.len() => {
            let name = at.quoted()?.into();
            at.expect(":")?;
            let spec = spec(at, symbols)?;
            graph.add_slot(Slot { name, spec, trainable: !at.take("frozen") });
        }
        Ref::Constant(id) if id.index() == graph.constants.len() => {
            at.expect(":")?;
            let spec = spec(at, symbols)?;
            at.expect("=")?;
            let elided = constants.iter().find(|(number, _)| *number == id.index());
            let value = match (at.rest().starts_with('<'), elided) {
                (true, Some((_, value))) if value.spec() == spec => {
                    at.take_while(|_| true);
                    value.clone()
                }
                _ => constant(at, spec)?,
            };
            graph.add_constant(&value);
        }
        Ref::Node(id, 0) if id.index() == graph.nodes.len() => {
            let (node, awaited) = node(at, symbols)?;
            graph.add_node(node);
            if !awaited.is_empty() {
                graph.controls.insert(id, awaited);
            }
        }
        _ => return Err(before.complaint("values are numbered from 0, in order")),
    }
    Ok(())
}

/// `"add" = AddV2(in0, in1): f32[8]  // src/main.rs:12:5`, after the number.
fn node(at: &mut Cursor<'_>, symbols: &mut Symbols) -> Result<(Node, Vec<NodeId>)> {
    let name = at.quoted()?.into();
    at.expect("=")?;
    let op = at.word()?;
    at.expect("(")?;
    let mut inputs = at.list(")", reference)?;
    let before = at.clone();
    let attrs = attributes(at, symbols)?;
    let kind = match (op, inputs.first()) {
        ("ReadVariableOp", Some(Ref::Variable(slot))) => NodeKind::Read(*slot),
        ("AssignVariableOp", Some(Ref::Variable(slot))) => NodeKind::Assign(*slot),
        ("If", _) => NodeKind::If(Arc::default()),
        ("While", _) => {
            NodeKind::While(Arc::new(Loop { condition: Graph::default(), body: Graph::default() }))
        }
        ("NoOp", _) => NodeKind::Group,
        _ => NodeKind::Op(make(op, &attrs).map_err(|error| before.complaint(error.message()))?),
    };
    if matches!(kind, NodeKind::Read(_) | NodeKind::Assign(_)) {
        inputs.remove(0);
    }
    let mut outputs = Vec::new();
    let mut more = at.take(":");
    while more {
        outputs.push(spec(at, symbols)?);
        more = at.take(",");
    }
    let mut awaited = Vec::new();
    let mut more = at.take("after ");
    while more {
        let Ref::Node(id, 0) = reference(at)? else {
            return Err(at.wanted("a node such as `%0`"));
        };
        awaited.push(id);
        more = at.take(",");
    }
    let (inputs, outputs) = (inputs.into(), outputs.into());
    Ok((Node { kind, inputs, outputs, name, place: place(at)? }, awaited))
}

/// `// src/main.rs:12:5`.
fn place(at: &mut Cursor<'_>) -> Result<Place> {
    at.expect("//")?;
    let text = at.take_while(|_| true);
    let mut parts = text.rsplitn(3, ':');
    let (column, line) =
        (parts.next().and_then(|it| it.parse().ok()), parts.next().and_then(|it| it.parse().ok()));
    match (parts.next(), line, column) {
        (Some(file), Some(line), Some(column)) => Ok(Place { file: kept(file), line, column }),
        _ => Err(at.wanted("a place such as `// src/main.rs:12:5`")),
    }
}

/// The name of a file, kept for ever: places are small because their files are, and a program has few.
fn kept(file: &str) -> &'static str {
    static FILES: Lazy<Mutex<HashSet<&'static str>>> = Lazy::new(Mutex::default);
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = files.get(file) {
        return known;
    }
    let file: &'static str = Box::leak(file.into());
    files.insert(file);
    file
}

/// `%0, "loss" %1`, after `return`.
fn results(at: &mut Cursor<'_>, graph: &mut Graph) -> Result<()> {
    while !at.is_at_end() {
        if !graph.outputs.is_empty() {
            at.expect(",")?;
        }
        let name = if at.rest().starts_with('"') { at.quoted()? } else { String::new() };
        graph.outputs.push(Output { name: name.into(), value: reference(at)? });
    }
    Ok(())
}
