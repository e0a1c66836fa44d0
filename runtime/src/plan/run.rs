//! A run of a plan: memory for its blocks, locks on its variables, its kernels in order. Knows no graph.
//!
//! Lists that a run needs are built where they are used, on the stack: nothing is allocated, and nothing moved.

use super::program::{Delivered, Phase, Plan, Source};
use crate::error::{Error, Result};
use crate::graph::{Stage, log_stage};
use crate::kernels::{Memory, bytes, run_custom};
use crate::types::Spec;
use crate::value::{Access, Buffer, Claim, Held, Locks, Order, Value, Variable, lend};
use smallvec::SmallVec;

/// A list of about as many as a model has variables.
type List<T> = SmallVec<[T; 24]>;

/// The memory of a run: kept by the plan from one run to the next.
pub struct Frame {
    arena: Buffer,
    scratch: Buffer,
    /// What was made last time: a buffer that nobody holds any more is written again.
    made: Vec<Option<Value>>,
    /// Which of what is made is written over a variable's present value, in this run.
    in_place: Vec<bool>,
    /// The next values of variables, on their way.
    next: Vec<Option<Value>>,
}

/// What a run is given.
struct Given<'r, 'v> {
    inputs: &'r [&'v Value],
    variables: &'r [&'v Variable],
}

impl Plan {
    /// Runs the plan on its inputs and the variables of its slots; the results are pushed to `outputs`.
    ///
    /// Variables are locked from the start to the end, and written at the end: a run that fails changes none.
    ///
    /// # Errors
    /// What the data make fail, with the node's name and line; a variable without a value.
    pub fn run(
        &self,
        inputs: &[&Value],
        variables: &[&Variable],
        outputs: &mut SmallVec<[Value; 2]>,
    ) -> Result<()> {
        log_stage(Stage::Run, &self.name, &"");
        if inputs.iter().any(|it| !it.is_row_major()) {
            return self.run_on_copies(inputs, variables, outputs);
        }
        let given = Given { inputs, variables };
        if variables.is_empty() {
            self.run_held(&given, &mut [], outputs)
        } else {
            self.run_locked(&given, outputs)
        }
    }

    /// Runs with the variables locked.
    fn run_locked(&self, given: &Given<'_, '_>, outputs: &mut SmallVec<[Value; 2]>) -> Result<()> {
        let mut claims: List<Claim<'_>> = SmallVec::new();
        for (&variable, slot) in given.variables.iter().zip(&self.slots) {
            claims.push(Claim { variable, access: slot.access });
        }
        let mut order = Order::new();
        let mut locks = Locks::acquire(&claims, &mut order)?;
        let mut held: List<Held<'_>> = SmallVec::new();
        locks.held(&mut held)?;
        self.run_held(given, &mut held, outputs)
    }

    /// Runs with the present values of variables at hand.
    #[inline]
    fn run_held(
        &self,
        given: &Given<'_, '_>,
        held: &mut [Held<'_>],
        outputs: &mut SmallVec<[Value; 2]>,
    ) -> Result<()> {
        let mut frame = self.frames.take().unwrap_or_else(|| self.new_frame());
        let result = self.run_in(&mut frame, given, held, outputs);
        self.frames.keep(frame);
        result
    }

    #[cold]
    fn run_on_copies(
        &self,
        inputs: &[&Value],
        variables: &[&Variable],
        outputs: &mut SmallVec<[Value; 2]>,
    ) -> Result<()> {
        let copies: Vec<Value> = inputs.iter().map(|it| it.to_row_major()).collect();
        let inputs: Vec<&Value> = copies.iter().collect();
        self.run(&inputs, variables, outputs)
    }

    fn run_in(
        &self,
        frame: &mut Frame,
        given: &Given<'_, '_>,
        held: &mut [Held<'_>],
        outputs: &mut SmallVec<[Value; 2]>,
    ) -> Result<()> {
        for (slot, held) in self.slots.iter().zip(held.iter()) {
            if let (Some(made), Held::Write(value)) = (slot.in_place, held) {
                frame.in_place[made] = value.buffer().is_unshared();
            }
        }
        for (at, value) in frame.made.iter_mut().enumerate() {
            let is_free = value.as_ref().is_some_and(|it| it.buffer().is_unshared());
            if !is_free && !frame.in_place[at] {
                *value = Some(Value::uninit(self.made[at]));
            }
        }
        self.compute(frame, given, held)?;
        for output in &self.outputs {
            outputs.push(self.result(*output, frame, given, held));
        }
        self.commit(frame, given, held);
        Ok(())
    }

    /// Gives variables their next values. All are known before the first is written: one may be another's present one.
    fn commit(&self, frame: &mut Frame, given: &Given<'_, '_>, held: &mut [Held<'_>]) {
        for (at, (_, result)) in self.finals.iter().enumerate() {
            let is_written = matches!(result, Delivered::Made(at) if frame.in_place[*at]);
            if !is_written {
                frame.next[at] = Some(self.result(*result, frame, given, held));
            }
        }
        for (at, (slot, result)) in self.finals.iter().enumerate() {
            let Some(value) = frame.next[at].take() else { continue };
            let present = match &mut held[slot.index()] {
                Held::Write(present) => present,
                Held::Empty(slot) => {
                    **slot = Some(value.to_row_major());
                    continue;
                }
                Held::Read(_) => unreachable!("what ends with a new value is held for writing"),
            };
            let before = std::mem::replace(*present, value.to_row_major());
            // The old bytes serve the next run, if nobody holds them by then.
            if let Delivered::Made(at) = result
                && before.spec() == self.made[*at]
            {
                frame.made[*at] = Some(before);
            }
        }
    }

    fn compute(
        &self,
        frame: &mut Frame,
        given: &Given<'_, '_>,
        held: &mut [Held<'_>],
    ) -> Result<()> {
        let Frame { arena, scratch, made, in_place, next: _ } = frame;
        let lent = self.lent(given, held);
        let arena = Memory::write(arena).expect("a frame's arena is its own");
        let mut made_memory: List<Option<Memory<'_>>> = SmallVec::new();
        for (value, in_place) in made.iter_mut().zip(in_place.iter()) {
            made_memory.push(match value {
                Some(value) if !in_place => Memory::write(value.buffer_mut()),
                _ => None,
            });
        }
        let mut slot_memory: List<Memory<'_>> = SmallVec::new();
        for (slot, held) in self.slots.iter().zip(held) {
            slot_memory.push(match (held, slot.in_place.filter(|made| in_place[*made])) {
                (Held::Write(value), Some(made)) => {
                    let memory = Memory::write(value.buffer_mut())
                        .expect("it was unshared just now, and is locked");
                    made_memory[made] = Some(memory);
                    memory
                }
                (Held::Write(value), None) => Memory::read(value),
                (Held::Read(value), _) => Memory::read(value),
                // No kernel reads it.
                (Held::Empty(_), _) => arena,
            });
        }
        let mut memory: SmallVec<[Memory<'_>; 64]> = SmallVec::new();
        for block in &self.blocks {
            memory.push(match block {
                Source::Arena => arena,
                Source::Input(at) => Memory::read(given.inputs[*at]),
                Source::Constant(at) => Memory::read(&self.constants[*at]),
                Source::Variable(slot) => slot_memory[slot.index()],
                Source::Made(at) => made_memory[*at]
                    .expect("what is made has memory of its own or that of its variable"),
            });
        }
        self.phases.iter().try_for_each(|phase| self.phase(phase, &memory, scratch, &lent))
    }

    /// The values of variables for closures of the user's, which may read what the run has locked; none without one.
    fn lent(&self, given: &Given<'_, '_>, held: &[Held<'_>]) -> Vec<(u64, Option<Value>)> {
        if !self.phases.iter().any(|phase| matches!(phase, Phase::Custom { .. })) {
            return Vec::new();
        }
        let variables = given.variables.iter().zip(held);
        variables.map(|(variable, held)| (variable.id(), held.value().cloned())).collect()
    }

    fn phase(
        &self,
        phase: &Phase,
        memory: &[Memory<'_>],
        scratch: &mut Buffer,
        lent: &[(u64, Option<Value>)],
    ) -> Result<()> {
        match phase {
            Phase::Steps(from, to) => {
                let done = self.steps.run(*from..*to, memory, scratch);
                done.map_err(|(step, error)| placed(error, self.failing[step].as_ref()))
            }
            Phase::Custom { kernel, inputs, outputs, failing } => {
                let values: Vec<Value> =
                    inputs.iter().map(|it| self.steps.load(it, memory)).collect();
                let wanted: SmallVec<[Spec; 2]> = outputs.iter().map(|it| it.layout.spec).collect();
                let made = lend(lent.iter().cloned(), || run_custom(&**kernel, &values, &wanted))
                    .map_err(|error| placed(error, failing.as_ref()))?;
                for (value, operand) in made.iter().zip(outputs) {
                    self.steps.store(value, operand, memory);
                }
                Ok(())
            }
        }
    }

    #[inline]
    fn result(
        &self,
        result: Delivered,
        frame: &Frame,
        given: &Given<'_, '_>,
        held: &[Held<'_>],
    ) -> Value {
        match result {
            Delivered::Made(at) => {
                frame.made[at].clone().expect("what is made beside its variable has a value")
            }
            Delivered::Input(at) => given.inputs[at].clone(),
            Delivered::Constant(at) => self.constants[at].clone(),
            Delivered::Variable(slot) => {
                held[slot.index()].value().expect("what is read has a value").clone()
            }
        }
    }

    fn new_frame(&self) -> Box<Frame> {
        Box::new(Frame {
            arena: Buffer::uninit(self.arena),
            scratch: Buffer::uninit(self.steps.scratch()),
            made: vec![None; self.made.len()],
            in_place: vec![false; self.made.len()],
            next: vec![None; self.finals.len()],
        })
    }

    /// The bytes that a frame takes besides what it makes.
    pub(super) fn frame_bytes(&self) -> (usize, usize) {
        (self.arena, self.made.iter().map(|spec| bytes(*spec)).sum())
    }

    /// How many variables a run writes.
    pub(super) fn written(&self) -> usize {
        self.slots.iter().filter(|slot| slot.access != Access::Read).count()
    }
}

fn placed(error: Error, failing: Option<&(std::sync::Arc<str>, crate::error::Place)>) -> Error {
    match failing {
        Some((name, place)) => error.at(*place).at_node(name),
        None => error,
    }
}
