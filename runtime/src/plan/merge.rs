//! Merges clusters of which one reads what the other makes: the elements between them stay in registers.
//! Knows tasks in order, and no memory.
//!
//! A node joins the cluster that makes the latest of its inputs. So two nodes that begin from the same matrix product
//! begin two clusters, and what reads both joins the second: the update of Adam is two clusters, until they are merged.

use super::fuse::{LONGEST, input_reg};
use super::task::{Cluster, Task, Viewed, Work};
use crate::graph::{Graph, Ref};
use crate::kernels::lanes::Program;
use std::collections::{HashMap, HashSet};

/// Values that more tasks read are made once and kept.
const MOST_READERS: usize = 16;

/// Merges clusters into later ones that read what they make, where nobody reads that in between.
pub fn merge(graph: &Graph, tasks: &mut Vec<Task>) {
    let mut merging = Merging::new(graph, std::mem::take(tasks));
    for at in 0..merging.tasks.len() {
        while let Some(from) = merging.maker(at) {
            merging.merge(from, at);
        }
    }
    tasks.extend(merging.tasks.into_iter().flatten());
}

struct Merging<'g> {
    graph: &'g Graph,
    results: HashSet<Ref>,
    tasks: Vec<Option<Task>>,
    /// The task that makes each value.
    makers: HashMap<Ref, usize>,
    /// The tasks that read each value, as they stood at first.
    readers: HashMap<Ref, Vec<usize>>,
    /// Into which task each was merged.
    merged: HashMap<usize, usize>,
}

impl Merging<'_> {
    fn new(graph: &Graph, tasks: Vec<Task>) -> Merging<'_> {
        let (mut makers, mut readers) = (HashMap::new(), HashMap::<Ref, Vec<usize>>::new());
        for (at, task) in tasks.iter().enumerate() {
            makers.extend(task.outputs.iter().map(|it| (*it, at)));
            for input in &task.inputs {
                let readers = readers.entry(input.source).or_default();
                // A task may read a value in two ways.
                if readers.last() != Some(&at) {
                    readers.push(at);
                }
            }
        }
        Merging {
            graph,
            results: graph.results().collect(),
            tasks: tasks.into_iter().map(Some).collect(),
            makers,
            readers,
            merged: HashMap::new(),
        }
    }

    /// Where a task stands now.
    fn now(&self, mut at: usize) -> usize {
        while let Some(into) = self.merged.get(&at) {
            at = *into;
        }
        at
    }

    /// The readers of a value, where they stand now.
    fn readers(&self, value: Ref) -> impl Iterator<Item = usize> + '_ {
        self.readers.get(&value).into_iter().flatten().map(|at| self.now(*at))
    }

    /// An earlier cluster that can be merged into this one.
    fn maker(&self, at: usize) -> Option<usize> {
        let task = self.tasks[at].as_ref()?;
        let makers = task.inputs.iter().filter_map(|input| self.makers.get(&input.source));
        makers.copied().find(|from| self.can_merge(*from, at))
    }

    fn can_merge(&self, from: usize, into: usize) -> bool {
        let [Some(first), Some(second)] = [from, into].map(|at| self.tasks[at].as_ref()) else {
            return false;
        };
        let (Work::Lanes(a), Work::Lanes(b)) = (&first.work, &second.work) else { return false };
        let lengths = a.program.instrs().len() + b.program.instrs().len();
        let is_short = lengths <= LONGEST
            && first
                .outputs
                .iter()
                .all(|it| self.readers.get(it).is_none_or(|readers| readers.len() <= MOST_READERS));
        // What is read within a cluster is there element by element: only as it is.
        let is_whole = |input: &Viewed| {
            !first.outputs.contains(&input.source)
                || *input == Viewed::whole(input.source, self.graph.spec(input.source))
        };
        is_short
            && a.domain.shape() == b.domain.shape()
            && first.failing.is_none()
            && second.failing.is_none()
            && second.inputs.iter().all(is_whole)
            && first.outputs.iter().all(|it| self.readers(*it).all(|reader| reader >= into))
    }

    fn merge(&mut self, from: usize, into: usize) {
        let [first, second] =
            [from, into].map(|at| self.tasks[at].take().expect("a cluster that can be merged"));
        self.merged.insert(from, into);
        let is_needed = |value: &Ref| {
            self.results.contains(value) || self.readers(*value).any(|reader| reader != into)
        };
        let kept = first.outputs.iter().filter(|it| is_needed(it)).chain(&second.outputs);
        let mut outputs: Vec<Ref> = kept.copied().collect();
        outputs.sort();
        let task = merged(first, second, outputs);
        self.makers.extend(task.outputs.iter().map(|it| (*it, into)));
        self.tasks[into] = Some(task);
    }
}

/// One cluster that does what two did, one after the other.
fn merged(first: Task, second: Task, outputs: Vec<Ref>) -> Task {
    let mut inputs = Vec::new();
    let mut nodes = Vec::new();
    let mut all: Option<Cluster> = None;
    for task in [first, second] {
        let Work::Lanes(cluster) = task.work else { unreachable!("clusters are merged only") };
        let all = all.get_or_insert_with(|| Cluster {
            program: Program::default(),
            domain: cluster.domain,
            values: HashMap::new(),
        });
        let regs: Vec<_> = task
            .inputs
            .into_iter()
            .map(|input| match all.values.get(&input.source) {
                Some(reg) => *reg,
                None => input_reg(&mut inputs, all, input),
            })
            .collect();
        let (values, made): (Vec<_>, Vec<_>) = cluster.values.into_iter().unzip();
        let mut program = cluster.program;
        let known = program.outputs().len();
        made.into_iter().for_each(|reg| program.add_output(reg));
        let made = all.program.inline(&program, &regs);
        all.values.extend(values.into_iter().zip(made.into_iter().skip(known)));
        nodes.extend(task.nodes);
    }
    let mut cluster = all.expect("there are two");
    outputs.iter().for_each(|it| cluster.program.add_output(cluster.values[it]));
    nodes.sort();
    Task { work: Work::Lanes(cluster), inputs, outputs, nodes, failing: None }
}
