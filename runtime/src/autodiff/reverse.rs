//! The sweep: from targets back through a program, each node's rule once. Knows rules, and not whether the program is a
//! trace's or a tape's.

use super::cone::{Since, active, cone, is_active};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Backward, Gradient, Graph, Node, NodeId, NodeKind, Origin, Ref, Substituting, Tensor, attempt,
};
use crate::ops::accumulate;
use crate::types::Spec;
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// What is differentiated: a trace with its symbolic tensors, or what a tape heard with the tensors that it kept.
pub trait Program {
    /// Looks at the graph.
    fn look<R>(&self, f: impl FnOnce(&Graph) -> R) -> R;

    /// The tensor of a value.
    fn tensor(&self, value: Ref) -> Tensor;

    /// What rules make from here on is of this node.
    fn follow(&self, node: &Node);

    /// The gradients of a composite's inputs, by way of what it expands to.
    ///
    /// # Errors
    /// If the expansion or a rule in it fails.
    fn through(&self, node: &Node, call: &Backward<'_>) -> Result<Vec<Option<Tensor>>>;
}

/// What a sweep goes from and to.
pub struct Sweep {
    /// The targets, each with the gradient that comes to it.
    pub targets: Vec<(Ref, Tensor)>,
    /// The sources.
    pub sources: Vec<Since>,
    /// The position from which on nodes count.
    pub from: usize,
}

/// The gradient of each source; `None` where no rule leads to it.
///
/// # Errors
/// What a rule raises; a rule that gives a gradient of another type or shape than the input has.
pub fn reverse<P: Program>(program: &P, sweep: &Sweep) -> Result<Vec<Option<Tensor>>> {
    let _as_they_are = Substituting::nothing();
    let targets: Vec<Ref> = sweep.targets.iter().map(|(target, _)| *target).collect();
    let (order, active) = program.look(|graph| {
        let order = cone(graph, &targets, sweep.from);
        let active = active(graph, &order, &sweep.sources);
        (order, active)
    });
    let mut state = State {
        flow: HashMap::new(),
        since: sweep.sources.iter().copied().collect(),
        active,
        answers: vec![None; sweep.sources.len()],
        waiting: (0..sweep.sources.len()).collect(),
    };
    // The next to be answered is the last: that whose uses count from the latest position on.
    state.waiting.sort_by_key(|at| sweep.sources[*at].1);
    for (target, seed) in &sweep.targets {
        state.add(Origin::Value(*target), seed);
    }
    for id in order.into_iter().rev() {
        state.answer(&sweep.sources, id.index() + 1);
        if state.active.contains(&id) {
            step(program, id, &mut state)?;
        }
    }
    state.answer(&sweep.sources, 0);
    Ok(state.answers)
}

/// The gradients of a composite's inputs, by way of what it expands to in this program.
///
/// # Errors
/// If the expansion or a rule in it fails.
pub fn by_expansion<P: Program>(
    program: &P,
    node: &Node,
    call: &Backward<'_>,
    value: impl Fn(&Tensor) -> Result<Ref>,
) -> Result<Vec<Option<Tensor>>> {
    let op = node.kind.op().expect("a composite is an op");
    let specs: SmallVec<[Spec; 4]> = call.inputs.iter().map(Tensor::spec).collect();
    let expansion = op.expansion(&specs, &node.outputs)?;
    let from = program.look(|graph| graph.nodes.len());
    let outputs = expansion.call(call.inputs)?;
    let mut targets = Vec::new();
    for (output, gradient) in outputs.iter().zip(call.grads) {
        if let Some(gradient) = gradient {
            targets.push((value(output)?, gradient.clone()));
        }
    }
    let sources = node.inputs.iter().map(|it| (Origin::Value(*it), from)).collect();
    let found = reverse(program, &Sweep { targets, sources, from })?;
    Ok(once(found, |at| node.inputs[at]))
}

/// The gradients of inputs of which some may be one value: the first of them has what comes to all.
pub(super) fn once<K: Eq + Hash>(
    gradients: Vec<Option<Tensor>>,
    input: impl Fn(usize) -> K,
) -> Vec<Option<Tensor>> {
    let mut seen = HashSet::new();
    let first =
        |(at, gradient): (usize, Option<Tensor>)| gradient.filter(|_| seen.insert(input(at)));
    gradients.into_iter().enumerate().map(first).collect()
}

/// The state of a sweep.
struct State {
    /// What has come to each value and variable so far.
    flow: HashMap<Origin, Tensor>,
    since: HashMap<Origin, usize>,
    active: HashSet<NodeId>,
    answers: Vec<Option<Tensor>>,
    /// Sources that are not answered yet, by the position from which on their uses count.
    waiting: Vec<usize>,
}

impl State {
    fn add(&mut self, to: Origin, gradient: &Tensor) {
        let total = match self.flow.get(&to) {
            Some(before) => accumulate(before, gradient),
            None => gradient.clone(),
        };
        self.flow.insert(to, total);
    }

    /// Answers the sources whose uses do not count before a position.
    fn answer(&mut self, sources: &[Since], position: usize) {
        while let Some(at) = self.waiting.pop_if(|at| sources[*at].1 >= position) {
            self.answers[at] = self.flow.get(&sources[at].0).cloned();
        }
    }
}

/// Takes what has come to a node's outputs to its inputs.
fn step<P: Program>(program: &P, id: NodeId, state: &mut State) -> Result<()> {
    let node = program.look(|graph| graph.node(id).clone());
    let outputs: Vec<Ref> = (0..node.outputs.len()).map(|at| Ref::Node(id, at as u16)).collect();
    let grads: Vec<Option<Tensor>> =
        outputs.iter().map(|it| state.flow.get(&Origin::Value(*it)).cloned()).collect();
    if grads.iter().all(Option::is_none) {
        return Ok(());
    }
    program.follow(&node);
    if let NodeKind::Read(slot) = node.kind {
        grads.iter().flatten().for_each(|gradient| state.add(Origin::Slot(slot), gradient));
        return Ok(());
    }
    let inputs: Vec<Tensor> = node.inputs.iter().map(|it| program.tensor(*it)).collect();
    let outputs: Vec<Tensor> = outputs.iter().map(|it| program.tensor(*it)).collect();
    let call = Backward { inputs: &inputs, outputs: &outputs, grads: &grads };
    let found = gradients(program, &node, &call).map_err(|error| error.at(node.place))?;
    for ((value, input), gradient) in node.inputs.iter().zip(&inputs).zip(found) {
        let origin = Origin::Value(*value);
        let Some(gradient) = gradient else { continue };
        if input.dtype().is_float() && is_active(origin, id, &state.since, &state.active) {
            check(&node, &gradient, input)?;
            attempt(|| state.add(origin, &gradient))?;
        }
    }
    Ok(())
}

/// The gradient of each input of a node; none for all where its op has none.
fn gradients<P: Program>(
    program: &P,
    node: &Node,
    call: &Backward<'_>,
) -> Result<Vec<Option<Tensor>>> {
    let Some(op) = node.kind.op() else { return Err(through_regions(node)) };
    let gradient = attempt(|| op.grad(call)).map_err(|error| error.at_node(&node.name))?;
    let found = match gradient {
        Gradient::None => vec![None; node.inputs.len()],
        Gradient::Inputs(found) => found,
        Gradient::Expand => program.through(node, call)?,
    };
    if found.len() == node.inputs.len() {
        return Ok(found);
    }
    let message = format!(
        "the gradient rule of `{}` gives {} gradients, and the op has {} inputs",
        op.name(),
        found.len(),
        node.inputs.len()
    );
    Err(Error::new(ErrorKind::Value, message)
        .with_help("give one for each input, `None` for an input without a gradient")
        .at_node(&node.name))
}

/// The complaint about a path that leads through a branch or a loop.
fn through_regions(node: &Node) -> Error {
    let what = match &node.kind {
        NodeKind::If(_) => "branch",
        NodeKind::While(_) => "loop",
        other => unreachable!("no path of floats leads through {}", other.name()),
    };
    let message = format!("there is no gradient through the {what} `{}` in a trace", node.name);
    Error::new(ErrorKind::Trace, message)
        .with_help("ask a `GradientTape` outside of traced functions: it hears what was run; or `select` by element")
        .at(node.place)
        .at_node(&node.name)
}

fn check(node: &Node, gradient: &Tensor, input: &Tensor) -> Result<()> {
    if gradient.spec() == input.spec() {
        return Ok(());
    }
    let message = format!(
        "the gradient rule of `{}` gives {} for an input that is {}",
        node.kind.name(),
        gradient.spec(),
        input.spec()
    );
    Err(Error::new(ErrorKind::Shape, message)
        .with_help("a gradient has the type and shape of what it is of: sum over the axes that were broadcast")
        .at(node.place)
        .at_node(&node.name))
}
