//! Groups the nodes of a graph into tasks: element-wise nodes into clusters, reductions with what they reduce.
//! Knows lowerings, and no memory.
//!
//! A node joins the task that makes the latest of its inputs, if that is a cluster over the same sizes. All its other
//! inputs are made earlier, so tasks stay in an order in which they can run.

use super::control::control;
use super::merge::merge;
use super::task::{Cluster, Task, Viewed, Work};
use crate::error::{Error, Result};
use crate::graph::{Graph, Lowered, Node, NodeId, Ref};
use crate::kernels::lanes::{Instr, Program, Reg};
use crate::kernels::{Lowering, View, identity};
use crate::types::Spec;
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};

/// Up to how many instructions a cluster has: more do not run faster, and take longer to make ready.
pub(super) const LONGEST: usize = 512;

/// The tasks of a graph and how its values are looked at.
pub struct Fused {
    /// In an order in which they can run.
    pub tasks: Vec<Task>,
    /// Values that are views of others.
    pub views: HashMap<Ref, Viewed>,
}

impl Fused {
    /// How a value is stored.
    pub fn viewed(&self, graph: &Graph, value: Ref) -> Viewed {
        self.views.get(&value).cloned().unwrap_or_else(|| Viewed::whole(value, graph.spec(value)))
    }
}

/// Groups the nodes of a graph, all of whose sizes are known.
///
/// # Errors
/// If an op's kernel does not make what the op inferred, or it asks for an expansion where none may be left.
pub fn fuse(graph: &Graph) -> Result<Fused> {
    let mut fusing = Fusing {
        graph,
        fused: Fused { tasks: Vec::new(), views: HashMap::new() },
        made_by: HashMap::new(),
    };
    for (id, node) in graph.iter() {
        fusing.node(id, node)?;
    }
    fusing.materialise_results();
    let mut fused = fusing.fused;
    name_outputs(graph, &mut fused);
    merge_reductions(graph, &mut fused);
    merge(graph, &mut fused.tasks);
    Ok(fused)
}

/// The nodes of each step of a plan, of a graph all of whose sizes are known.
///
/// # Errors
/// As [`fuse`].
pub fn steps(graph: &Graph) -> Result<Vec<Vec<NodeId>>> {
    Ok(fuse(graph)?.tasks.into_iter().map(|task| task.nodes).collect())
}

struct Fusing<'g> {
    graph: &'g Graph,
    fused: Fused,
    /// The task that makes each stored value.
    made_by: HashMap<Ref, usize>,
}

impl Fusing<'_> {
    fn node(&mut self, id: NodeId, node: &Node) -> Result<()> {
        if let Some(kernel) = control(node)? {
            let inputs = node.inputs.iter().map(|it| self.fused.viewed(self.graph, *it)).collect();
            let outputs = (0..node.outputs.len()).map(|at| Ref::Node(id, at as u16)).collect();
            let work = Work::Custom(kernel);
            self.push(Task { work, inputs, outputs, nodes: vec![id], failing: Some(id) });
            return Ok(());
        }
        let op = node.kind.op().expect("variables are threaded before a graph is planned");
        let specs: SmallVec<[Spec; 4]> =
            node.inputs.iter().map(|value| self.graph.spec(*value)).collect();
        let lowered = op
            .lowered(&specs, &node.outputs)
            .map_err(|error| error.at(node.place).at_node(&node.name))?;
        let Lowered::Kernel(lowering) = lowered else {
            let message = format!(
                "`{}` lowers to an expansion, and is not of the kind `Composite`",
                op.name()
            );
            return Err(Error::new(crate::error::ErrorKind::Trace, message)
                .with_help("let `kind` say `Kind::Composite`")
                .at(node.place)
                .at_node(&node.name));
        };
        let read = &node.inputs[..lowering.reads(node.inputs.len())];
        let inputs: Vec<Viewed> =
            read.iter().map(|value| self.fused.viewed(self.graph, *value)).collect();
        let failing = op.effects(&specs).fails.then_some(id);
        let outputs: Vec<Ref> =
            (0..node.outputs.len()).map(|output| Ref::Node(id, output as u16)).collect();
        match lowering {
            Lowering::View(view) => self.view(id, node, &view, inputs),
            Lowering::Lanes(program) => self.lanes(id, node, &program, inputs, failing),
            Lowering::Reduce { kind, axes } => {
                let domain = inputs[0].layout.spec;
                let work = Work::Reduce { kind, axes, producer: identity(domain.dtype()), domain };
                self.push(Task { work, inputs, outputs, nodes: vec![id], failing });
            }
            Lowering::Custom(kernel) => {
                self.push(Task {
                    work: Work::Custom(kernel),
                    inputs,
                    outputs,
                    nodes: vec![id],
                    failing: Some(id),
                });
            }
            other => self.push(Task {
                work: Work::Kernel(other),
                inputs,
                outputs,
                nodes: vec![id],
                failing,
            }),
        }
        Ok(())
    }

    fn push(&mut self, task: Task) {
        for output in &task.outputs {
            self.made_by.insert(*output, self.fused.tasks.len());
        }
        self.fused.tasks.push(task);
    }

    fn view(&mut self, id: NodeId, node: &Node, view: &View, inputs: Vec<Viewed>) {
        let from = &inputs[0];
        if let Some((offset, layout)) = view.apply(&from.layout, node.outputs[0]) {
            let viewed = Viewed { source: from.source, offset: from.offset + offset, layout };
            self.fused.views.insert(Ref::node(id), viewed);
        } else {
            self.push(copy(from.clone(), Ref::node(id), vec![id]));
        }
    }

    fn lanes(
        &mut self,
        id: NodeId,
        node: &Node,
        program: &Program,
        inputs: Vec<Viewed>,
        failing: Option<NodeId>,
    ) {
        let latest =
            inputs.iter().filter_map(|input| self.made_by.get(&input.source).copied()).max();
        let joined =
            latest.filter(|at| self.can_join(*at, node.outputs[0], program, &inputs, failing));
        let at = joined.unwrap_or_else(|| {
            let cluster = Cluster {
                program: Program::default(),
                domain: node.outputs[0],
                values: HashMap::new(),
            };
            self.fused.tasks.push(Task {
                work: Work::Lanes(cluster),
                inputs: vec![],
                outputs: vec![],
                nodes: vec![],
                failing: None,
            });
            self.fused.tasks.len() - 1
        });
        let task = &mut self.fused.tasks[at];
        let Work::Lanes(cluster) = &mut task.work else { unreachable!("nodes join clusters only") };
        let regs: Vec<_> = inputs
            .into_iter()
            .map(|input| match cluster.values.get(&input.source) {
                Some(reg) if self.made_by.get(&input.source) == Some(&at) => *reg,
                _ => input_reg(&mut task.inputs, cluster, input),
            })
            .collect();
        for (output, reg) in cluster.program.inline(program, &regs).into_iter().enumerate() {
            let value = Ref::Node(id, output as u16);
            cluster.values.insert(value, reg);
            self.made_by.insert(value, at);
        }
        task.nodes.push(id);
        task.failing = task.failing.or(failing);
    }

    fn can_join(
        &self,
        at: usize,
        domain: Spec,
        program: &Program,
        inputs: &[Viewed],
        failing: Option<NodeId>,
    ) -> bool {
        let task = &self.fused.tasks[at];
        let Work::Lanes(cluster) = &task.work else { return false };
        cluster.domain.shape() == domain.shape()
            && cluster.program.instrs().len() + program.instrs().len() <= LONGEST
            // One failing node at most: its name and line are in the error.
            && (failing.is_none() || task.failing.is_none())
            // What the cluster makes is at hand element by element: only as it is, not looked at in another way.
            && inputs.iter().all(|input| self.made_by.get(&input.source) != Some(&at) || *input == Viewed::whole(input.source, self.graph.spec(input.source)))
    }

    /// Copies results that are views into values of their own.
    fn materialise_results(&mut self) {
        let results: HashSet<Ref> = self.graph.results().collect();
        let mut viewed: Vec<(Ref, Viewed)> = results
            .iter()
            .filter_map(|value| Some((*value, self.fused.views.get(value)?.clone())))
            .collect();
        viewed.sort_by_key(|(value, _)| *value);
        for (value, from) in viewed {
            self.fused.views.remove(&value);
            self.push(copy(from, value, vec![]));
        }
    }
}

fn copy(from: Viewed, to: Ref, nodes: Vec<NodeId>) -> Task {
    Task {
        work: Work::Kernel(Lowering::View(View::Reshape)),
        inputs: vec![from],
        outputs: vec![to],
        nodes,
        failing: None,
    }
}

/// The register of an input, which the program gets unless it has it already.
pub(super) fn input_reg(inputs: &mut Vec<Viewed>, cluster: &mut Cluster, input: Viewed) -> Reg {
    if let Some(at) = inputs.iter().position(|it| *it == input) {
        let instrs = cluster.program.instrs().iter();
        let reg = instrs.clone().position(|(instr, _)| *instr == Instr::Input(at as u32));
        return Reg(reg.expect("each input has an instruction") as u32);
    }
    let dtype = input.layout.dtype();
    inputs.push(input);
    cluster.program.add_input(dtype)
}

/// Makes outputs of the values of clusters that others need.
fn name_outputs(graph: &Graph, fused: &mut Fused) {
    let mut needed: HashSet<Ref> = graph.results().collect();
    needed.extend(fused.tasks.iter().flat_map(|task| task.inputs.iter().map(|input| input.source)));
    for task in &mut fused.tasks {
        let Work::Lanes(cluster) = &mut task.work else { continue };
        let mut outputs: Vec<(Ref, _)> = cluster
            .values
            .iter()
            .filter(|(value, _)| needed.contains(value))
            .map(|(value, reg)| (*value, *reg))
            .collect();
        outputs.sort();
        for (value, reg) in outputs {
            cluster.program.add_output(reg);
            task.outputs.push(value);
        }
    }
    // What can fail is computed though nobody needs its value: it becomes an output.
    for task in &mut fused.tasks {
        let (Work::Lanes(cluster), Some(id)) = (&mut task.work, task.failing) else { continue };
        let reg = cluster.values[&Ref::node(id)];
        if !is_needed(&cluster.program, reg) {
            cluster.program.add_output(reg);
            task.outputs.push(Ref::node(id));
        }
    }
    fused.tasks.retain(|task| !task.outputs.is_empty() || !matches!(task.work, Work::Lanes(_)));
}

/// Whether the outputs of a program need a register; a kernel leaves out those that they do not.
fn is_needed(program: &Program, reg: Reg) -> bool {
    let mut needed = vec![false; program.instrs().len()];
    program.outputs().iter().for_each(|it| needed[it.0 as usize] = true);
    for (at, (instr, _)) in program.instrs().iter().enumerate().rev() {
        if needed[at] {
            instr.operands().iter().for_each(|it| needed[it.0 as usize] = true);
        }
    }
    needed[reg.0 as usize]
}

/// Lets a reduction make its elements itself, where it alone needs them.
fn merge_reductions(graph: &Graph, fused: &mut Fused) {
    let mut uses: HashMap<Ref, usize> = HashMap::new();
    let inputs = fused.tasks.iter().flat_map(|task| task.inputs.iter().map(|input| input.source));
    graph.results().chain(inputs).for_each(|value| *uses.entry(value).or_default() += 1);
    let makers: HashMap<Ref, usize> = fused
        .tasks
        .iter()
        .enumerate()
        .flat_map(|(at, task)| task.outputs.iter().map(move |it| (*it, at)))
        .collect();
    let mut merged = HashSet::new();
    for at in 0..fused.tasks.len() {
        let Work::Reduce { domain, .. } = fused.tasks[at].work else { continue };
        let input = fused.tasks[at].inputs[0].clone();
        let Some(&maker) = makers.get(&input.source) else { continue };
        let Work::Lanes(cluster) = &fused.tasks[maker].work else { continue };
        let is_alone = fused.tasks[maker].outputs == [input.source] && uses[&input.source] == 1;
        if !is_alone
            || input != Viewed::whole(input.source, graph.spec(input.source))
            || cluster.domain.shape() != domain.shape()
        {
            continue;
        }
        let from = fused.tasks[maker].clone();
        let Work::Lanes(cluster) = from.work else { unreachable!("it was one just now") };
        let task = &mut fused.tasks[at];
        let Work::Reduce { producer, .. } = &mut task.work else {
            unreachable!("it was one just now")
        };
        *producer = cluster.program;
        task.inputs = from.inputs;
        task.nodes.splice(0..0, from.nodes);
        task.failing = task.failing.or(from.failing);
        merged.insert(maker);
    }
    let mut at = 0;
    fused.tasks.retain(|_| {
        at += 1;
        !merged.contains(&(at - 1))
    });
}
