//! A plan: kernels over blocks of memory, and what the blocks are at a run. Knows tasks, and not how they were found.

use super::frames::Frames;
use super::fuse::{Fused, fuse};
use super::memory::{Home, Homes, place};
use super::run::Frame;
use super::task::{Task, Work};
use crate::error::{Error, Place, Result};
use crate::graph::{Graph, Ref, SlotId, Stage, log_stage};
use crate::kernels::lanes::Lanes;
use crate::kernels::{BlockId, Kernel, Operand, Prepared, Steps, Use, bytes};
use crate::types::Spec;
use crate::value::{Access, Layout, Value};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::Arc;

/// A program that runs: made once for a graph at known sizes, run from any number of threads.
pub struct Plan {
    pub(super) name: Arc<str>,
    pub(super) steps: Steps,
    pub(super) blocks: Vec<Source>,
    pub(super) phases: Vec<Phase>,
    pub(super) constants: Vec<Value>,
    pub(super) slots: Vec<Slot>,
    pub(super) outputs: Vec<Delivered>,
    /// The next values of variables.
    pub(super) finals: Vec<(SlotId, Delivered)>,
    /// The specs of what `Source::Output` and `Source::State` number.
    pub(super) made: Vec<Spec>,
    pub(super) arena: usize,
    /// The name and line of what can fail in each step.
    pub(super) failing: Vec<Option<(Arc<str>, Place)>>,
    /// The text of each step, for people.
    pub(super) texts: Vec<String>,
    /// The memory of earlier runs, for the next.
    pub(super) frames: Frames<Frame>,
}

/// What a block is at a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Arena,
    Input(usize),
    Constant(usize),
    /// The present value of a variable.
    Variable(SlotId),
    /// A new value: a result or the next value of a variable.
    Made(usize),
}

/// What a run does after the other.
pub(super) enum Phase {
    /// Steps, from one to before the other.
    Steps(usize, usize),
    /// A closure of the user's.
    Custom {
        kernel: Arc<dyn Kernel>,
        inputs: Vec<Operand>,
        outputs: Vec<Operand>,
        failing: Option<(Arc<str>, Place)>,
    },
}

/// A variable as a plan uses it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub access: Access,
    /// The new value that may be written over the present one.
    pub in_place: Option<usize>,
}

/// Where a result comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Delivered {
    Made(usize),
    Input(usize),
    Constant(usize),
    Variable(SlotId),
}

impl Plan {
    /// Plans a graph whose sizes are all known.
    ///
    /// # Errors
    /// What a kernel refuses at these sizes.
    pub fn new(graph: &Graph) -> Result<Plan> {
        let fused = fuse(graph)?;
        let homes = place(graph, &fused);
        let plan = build(graph, &fused, &homes)?;
        log_stage(Stage::Plan, &plan.name, &plan);
        Ok(plan)
    }
}

/// Makes the kernels of tasks ready, for values that have their homes.
///
/// # Errors
/// What a kernel refuses at these sizes.
pub(super) fn build(graph: &Graph, fused: &Fused, homes: &Homes) -> Result<Plan> {
    let mut planning = Planning::new(graph, homes);
    for task in &fused.tasks {
        planning.task(task)?;
    }
    Ok(planning.finish())
}

struct Planning<'g> {
    graph: &'g Graph,
    homes: &'g Homes,
    plan: Plan,
    block_of: HashMap<SourceKey, BlockId>,
    made_of: HashMap<Home, usize>,
}

type SourceKey = (u8, usize);

impl<'g> Planning<'g> {
    fn new(graph: &'g Graph, homes: &'g Homes) -> Planning<'g> {
        let plan = Plan {
            name: graph.name.clone(),
            steps: Steps::default(),
            blocks: Vec::new(),
            phases: Vec::new(),
            constants: graph.constants.iter().map(Value::to_row_major).collect(),
            slots: vec![Slot { access: Access::Read, in_place: None }; graph.slots.len()],
            outputs: Vec::new(),
            finals: Vec::new(),
            made: Vec::new(),
            arena: homes.arena,
            failing: Vec::new(),
            texts: Vec::new(),
            frames: Frames::new(),
        };
        Planning { graph, homes, plan, block_of: HashMap::new(), made_of: HashMap::new() }
    }

    fn task(&mut self, task: &Task) -> Result<()> {
        let inputs: Vec<Operand> = task
            .inputs
            .iter()
            .map(|input| self.operand(input.source, input.offset, input.layout.clone()))
            .collect();
        let outputs: Vec<Operand> = task
            .outputs
            .iter()
            .map(|value| self.operand(*value, 0, Layout::row_major(self.graph.spec(*value))))
            .collect();
        let layouts: SmallVec<[Layout; 4]> = inputs.iter().map(|it| it.layout.clone()).collect();
        let specs: SmallVec<[Spec; 2]> = outputs.iter().map(|it| it.layout.spec).collect();
        let failing =
            task.failing.map(|id| (self.graph.node(id).name.clone(), self.graph.node(id).place));
        let kernel = match &task.work {
            Work::Custom(kernel) => {
                self.plan.phases.push(Phase::Custom {
                    kernel: kernel.clone(),
                    inputs,
                    outputs,
                    failing,
                });
                self.plan
                    .texts
                    .push(format!("custom {kernel:?}{}", described(self.graph, task, &[])));
                return Ok(());
            }
            Work::Lanes(cluster) => {
                Ok(Prepared::Lanes(Lanes::new(&cluster.program, cluster.domain.sizes(), &layouts)))
            }
            Work::Reduce { kind, axes, producer, domain } => {
                Ok(Prepared::reduce(*kind, axes, producer, domain.sizes(), &layouts))
            }
            Work::Kernel(lowering) => Prepared::new(lowering, &layouts, &specs),
        };
        let kernel = kernel.map_err(|error| self.placed(error, task))?;
        let from = self.plan.steps.len();
        self.plan.steps.push(kernel, &inputs, &outputs);
        self.plan.texts.push(described(self.graph, task, &outputs));
        self.plan.failing.push(failing);
        match self.plan.phases.last_mut() {
            Some(Phase::Steps(_, to)) => *to += 1,
            _ => self.plan.phases.push(Phase::Steps(from, from + 1)),
        }
        Ok(())
    }

    fn placed(&self, error: Error, task: &Task) -> Error {
        match task.nodes.last() {
            Some(id) => error.at(self.graph.node(*id).place).at_node(&self.graph.node(*id).name),
            None => error,
        }
    }

    fn operand(&mut self, value: Ref, offset: isize, layout: Layout) -> Operand {
        let (source, start) = match value {
            Ref::Input(id) => (Source::Input(id.index()), 0),
            Ref::Constant(id) => (Source::Constant(id.index()), 0),
            Ref::Variable(id) => (Source::Variable(id), 0),
            Ref::Node(..) => match self.homes.homes[&value] {
                Home::Arena(start) => (Source::Arena, start),
                home => (Source::Made(self.made(home, self.graph.spec(value))), 0),
            },
        };
        let size =
            if source == Source::Arena { self.homes.arena } else { bytes(self.graph.spec(value)) };
        let block = self.block(source, size);
        let offset = start.checked_add_signed(offset).expect("a view begins within its source");
        Operand { block, offset, layout }
    }

    fn made(&mut self, home: Home, spec: Spec) -> usize {
        *self.made_of.entry(home).or_insert_with(|| {
            self.plan.made.push(spec);
            self.plan.made.len() - 1
        })
    }

    fn block(&mut self, source: Source, size: usize) -> BlockId {
        let key = match source {
            Source::Arena => (0, 0),
            Source::Input(at) => (1, at),
            Source::Constant(at) => (2, at),
            Source::Variable(slot) => (3, slot.index()),
            Source::Made(at) => (4, at),
        };
        *self.block_of.entry(key).or_insert_with(|| {
            let usage = if matches!(source, Source::Arena | Source::Made(_)) {
                Use::Write
            } else {
                Use::Read
            };
            self.plan.blocks.push(source);
            self.plan.steps.add_block(size, usage)
        })
    }

    fn result(&mut self, value: Ref) -> Delivered {
        match value {
            Ref::Input(id) => Delivered::Input(id.index()),
            Ref::Constant(id) => Delivered::Constant(id.index()),
            Ref::Variable(id) => Delivered::Variable(id),
            Ref::Node(..) => {
                Delivered::Made(self.made(self.homes.homes[&value], self.graph.spec(value)))
            }
        }
    }

    /// The variables whose present values are used.
    fn looked_at(&self) -> Vec<SlotId> {
        let read = self.plan.blocks.iter().filter_map(|block| match block {
            Source::Variable(slot) => Some(*slot),
            _ => None,
        });
        let finals = self.plan.finals.iter().map(|(_, it)| it);
        let given = self.plan.outputs.iter().chain(finals).filter_map(|it| match it {
            Delivered::Variable(slot) => Some(*slot),
            _ => None,
        });
        let in_place = self.homes.in_place.iter().copied();
        read.chain(given).chain(in_place).collect()
    }

    fn finish(mut self) -> Plan {
        for output in &self.graph.outputs {
            let result = self.result(output.value);
            self.plan.outputs.push(result);
        }
        for (slot, value) in &self.graph.finals {
            let result = self.result(*value);
            self.plan.finals.push((*slot, result));
            let in_place = match result {
                Delivered::Made(at) if self.homes.in_place.contains(slot) => Some(at),
                _ => None,
            };
            self.plan.slots[slot.index()] = Slot { access: Access::Overwrite, in_place };
        }
        self.looked_at().into_iter().for_each(|slot| {
            let access = &mut self.plan.slots[slot.index()].access;
            if *access == Access::Overwrite {
                *access = Access::Write;
            }
        });
        self.plan
    }
}

/// A step in words: its kernel, its nodes, the elements it walks.
fn described(graph: &Graph, task: &Task, outputs: &[Operand]) -> String {
    let names: Vec<&str> = task.nodes.iter().map(|id| &*graph.node(*id).name).collect();
    let names = match &names[..] {
        [] => "result".to_string(),
        [first, .., last] if names.len() > 6 => {
            format!("{first} .. {last} ({} nodes)", names.len())
        }
        names => names.join(", "),
    };
    let made: Vec<String> = outputs.iter().map(|it| it.layout.spec.to_string()).collect();
    let work = match &task.work {
        Work::Lanes(cluster) => format!("lanes ({} instructions)", cluster.program.instrs().len()),
        Work::Reduce { kind, axes, producer, domain } => {
            format!(
                "reduce {kind:?} over {:?} of {domain} ({} instructions)",
                axes.as_slice(),
                producer.instrs().len()
            )
        }
        Work::Kernel(lowering) => kernel_name(lowering),
        Work::Custom(_) => String::new(),
    };
    format!("{work} -> {}: {names}", made.join(", "))
}

fn kernel_name(lowering: &crate::kernels::Lowering) -> String {
    use crate::kernels::Lowering;
    match lowering {
        Lowering::View(_) => "copy".to_string(),
        Lowering::MatMul => "matmul".to_string(),
        other => {
            format!("{other:?}").split([' ', '(', '{']).next().unwrap_or_default().to_lowercase()
        }
    }
}
