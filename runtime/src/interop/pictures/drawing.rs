//! A graph as dots and lines, each dot in its scope: what all pictures are made of. Knows no format.

use crate::graph::{Graph, Node, NodeId, NodeKind, Ref};
use crate::types::Spec;
use std::collections::{BTreeMap, HashMap};

/// What a dot stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Input,
    Variable,
    Constant,
    Op,
    /// A variable gets its next value.
    Assign,
    Output,
}

impl Kind {
    /// The word for it in classes of style.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Input => "input",
            Kind::Variable => "variable",
            Kind::Constant => "constant",
            Kind::Op => "op",
            Kind::Assign => "assign",
            Kind::Output => "output",
        }
    }
}

/// One thing in a picture.
#[derive(Clone, Debug)]
pub(super) struct Dot {
    pub kind: Kind,
    /// The scoped name.
    pub name: String,
    /// What it does: the op's name, or the word for its kind.
    pub what: String,
    /// What it makes.
    pub types: String,
    /// The attributes as the graph's text has them, or a constant's elements.
    pub attrs: String,
    /// The user's line.
    pub line: String,
    /// The step of the plan that it is a part of, if that has several nodes.
    pub fused: Option<usize>,
}

impl Dot {
    /// The scope, without the last part of the name; empty at the top.
    pub fn scope(&self) -> &str {
        self.name.rsplit_once('/').map_or("", |(scope, _)| scope)
    }

    /// The last part of the name.
    pub fn leaf(&self) -> &str {
        self.name.rsplit_once('/').map_or(&self.name, |(_, leaf)| leaf)
    }
}

/// From one dot to another, with what flows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub from: usize,
    pub to: usize,
    pub types: String,
}

/// A graph to be drawn.
#[derive(Clone, Debug)]
pub(super) struct Drawing {
    pub name: String,
    pub dots: Vec<Dot>,
    pub lines: Vec<Line>,
}

/// A scope with what is in it.
#[derive(Debug, Default)]
pub(super) struct Scope<'d> {
    pub dots: Vec<usize>,
    pub scopes: BTreeMap<&'d str, Scope<'d>>,
}

struct Drawer<'g> {
    graph: &'g Graph,
    drawing: Drawing,
    /// The dot of each value's maker.
    makers: HashMap<Ref, usize>,
}

impl Drawing {
    /// Draws a graph; the lists are of nodes that run as one step each.
    pub fn of(graph: &Graph, steps: &[Vec<NodeId>]) -> Drawing {
        let drawing = Drawing { name: graph.name.to_string(), dots: Vec::new(), lines: Vec::new() };
        let mut drawer = Drawer { graph, drawing, makers: HashMap::new() };
        let fused = |id: NodeId| steps.iter().position(|it| it.len() > 1 && it.contains(&id));
        drawer.face();
        for (id, node) in graph.iter() {
            drawer.node(id, node, fused(id));
        }
        drawer.results();
        drawer.drawing
    }

    /// The dots by their scopes.
    pub fn scopes(&self) -> Scope<'_> {
        let mut root = Scope::default();
        for (at, dot) in self.dots.iter().enumerate() {
            let parts = dot.scope().split('/').filter(|part| !part.is_empty());
            parts
                .fold(&mut root, |scope, part| scope.scopes.entry(part).or_default())
                .dots
                .push(at);
        }
        root
    }
}

impl Drawer<'_> {
    fn dot(&mut self, kind: Kind, name: &str, what: &str, types: String) -> usize {
        let (name, what) = (name.to_string(), what.to_string());
        let (attrs, line) = (String::new(), String::new());
        self.drawing.dots.push(Dot { kind, name, what, types, attrs, line, fused: None });
        self.drawing.dots.len() - 1
    }

    /// Inputs and variables.
    fn face(&mut self) {
        let graph = self.graph;
        for (at, input) in graph.inputs.iter().enumerate() {
            let dot = self.dot(Kind::Input, &input.name, "input", input.spec.to_string());
            self.makers.insert(Ref::Input(crate::graph::InputId::new(at)), dot);
        }
        for (at, slot) in graph.slots.iter().enumerate() {
            let dot = self.dot(Kind::Variable, &slot.name, "variable", slot.spec.to_string());
            self.makers.insert(Ref::Variable(crate::graph::SlotId::new(at)), dot);
        }
    }

    fn node(&mut self, id: NodeId, node: &Node, fused: Option<usize>) {
        let (kind, slot) = match &node.kind {
            NodeKind::Assign(slot) => (Kind::Assign, Some(*slot)),
            NodeKind::Read(slot) => (Kind::Op, Some(*slot)),
            NodeKind::Op(_)
            | NodeKind::If(_)
            | NodeKind::While(_)
            | NodeKind::Group
            | NodeKind::Mark
            | NodeKind::Gradient(_) => (Kind::Op, None),
        };
        let types: Vec<String> = node.outputs.iter().map(Spec::to_string).collect();
        let dot = self.dot(kind, &node.name, node.kind.name(), types.join(", "));
        let told = &mut self.drawing.dots[dot];
        told.line = node.place.to_string();
        told.fused = fused;
        told.attrs = match (&node.kind, slot) {
            (NodeKind::Op(op), _) => op.attrs().to_string().trim().to_string(),
            (_, Some(slot)) => self.graph.slots[slot.index()].name.to_string(),
            _ => String::new(),
        };
        if let NodeKind::Read(slot) = node.kind {
            self.line(Ref::Variable(slot), dot);
        }
        let regions = node.kind.regions();
        // A branch takes its condition itself, and hands on the rest; a loop hands on all.
        let own = match node.kind {
            NodeKind::If(_) => 1,
            NodeKind::While(_) => 0,
            _ => node.inputs.len(),
        };
        for value in &node.inputs[..own] {
            self.line(*value, dot);
        }
        for (label, region) in regions {
            let scope = region_scope(&node.name, label, region);
            self.region(&scope, region, &node.inputs[own..], dot);
        }
        for output in 0..node.outputs.len() {
            self.makers.insert(Ref::Node(id, output as u16), dot);
        }
    }

    /// A region as a scope of its node: what it is given comes in, and what it gives goes to the node.
    fn region(&mut self, scope: &str, region: &Graph, given: &[Ref], node: usize) {
        let inner = Drawing::of(region, &[]);
        let mut places = Vec::new();
        for mut dot in inner.dots {
            // Variables are those around.
            let is_same = |it: &Dot| it.kind == Kind::Variable && it.name == dot.name;
            let around = self.drawing.dots.iter().position(is_same);
            places.push(match around.filter(|_| dot.kind == Kind::Variable) {
                Some(around) => around,
                None => {
                    let (kind, types) = (dot.kind, dot.types.clone());
                    if !dot.name.starts_with(&format!("{scope}/")) {
                        dot.name = format!("{scope}/{}", dot.name);
                    }
                    self.drawing.dots.push(dot);
                    let at = self.drawing.dots.len() - 1;
                    if kind == Kind::Output {
                        self.drawing.lines.push(Line { from: at, to: node, types });
                    }
                    at
                }
            });
        }
        for line in inner.lines {
            let (from, to) = (places[line.from], places[line.to]);
            self.drawing.lines.push(Line { from, to, ..line });
        }
        for (at, value) in given.iter().enumerate().take(region.inputs.len()) {
            self.line(*value, places[at]);
        }
    }

    /// What variables hold after the run, and outputs.
    fn results(&mut self) {
        let graph = self.graph;
        for (slot, value) in &graph.finals {
            let slot = &graph.slots[slot.index()];
            let name = format!("{} (next)", slot.name);
            let dot = self.dot(Kind::Assign, &name, "next value", slot.spec.to_string());
            self.line(*value, dot);
        }
        for output in &graph.outputs {
            let name = if output.name.is_empty() { "output" } else { &output.name };
            let types = graph.spec(output.value).to_string();
            let dot = self.dot(Kind::Output, name, "output", types);
            self.line(output.value, dot);
        }
    }

    /// A line to a dot; a constant gets a dot beside its first user.
    fn line(&mut self, value: Ref, to: usize) {
        let types = self.graph.spec(value).to_string();
        let from = match (self.makers.get(&value), value) {
            (Some(maker), _) => *maker,
            (None, Ref::Constant(id)) => {
                let scope = self.drawing.dots[to].scope();
                let name = if scope.is_empty() { id.to_string() } else { format!("{scope}/{id}") };
                let dot = self.dot(Kind::Constant, &name, "constant", types.clone());
                let constant = self.graph.constant(id);
                if constant.len() <= SHOWN {
                    self.drawing.dots[dot].attrs = constant.to_string();
                }
                self.makers.insert(value, dot);
                dot
            }
            _ => unreachable!("what is used stands before its user"),
        };
        self.drawing.lines.push(Line { from, to, types });
    }
}

/// The scope of a region: that of its nodes inside their node's, or what text calls the region.
fn region_scope(node: &str, label: &str, region: &Graph) -> String {
    let inside = |it: &Node| {
        let rest = it.name.strip_prefix(node)?.strip_prefix('/')?;
        rest.split_once('/').map(|(scope, _)| scope.to_string())
    };
    let scope = region.nodes.iter().find_map(inside).unwrap_or_else(|| label.to_string());
    format!("{node}/{scope}")
}

/// Up to how many elements of a constant are told.
const SHOWN: usize = 16;
