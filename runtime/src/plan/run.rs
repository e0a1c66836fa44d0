//! A run of a plan: memory for its blocks, locks on its variables, its kernels in order. Knows no graph.
//!
//! Lists that a run needs are built where they are used, on the stack: nothing is allocated, and nothing moved.

use super::program::{Delivered, Phase, Plan, Source};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Stage, log_stage};
use crate::kernels::{Memory, bytes};
use crate::value::{Access, Buffer, Claim, Held, Locks, Value, Variable, lend};
use smallvec::SmallVec;

/// A list of about as many as a model has variables.
type List<T> = SmallVec<[T; 24]>;

/// The memory of a run: kept by the plan from one run to the next.
pub struct Frame {
    arena: Buffer,
    scratch: Buffer,
    /// What was made last time: a buffer that nobody holds any more is written again.
    made: Vec<Option<Value>>,
}

/// What a run is given.
struct Given<'r, 'v> {
    inputs: &'r [&'v Value],
    variables: &'r [&'v Variable],
    /// The claim of each slot.
    order: &'r [usize],
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
            let copies: List<Value> = inputs.iter().map(|it| it.to_row_major()).collect();
            let inputs: List<&Value> = copies.iter().collect();
            return self.run(&inputs, variables, outputs);
        }
        let mut claims: List<Claim<'_>> = SmallVec::new();
        let mut order: List<usize> = SmallVec::new();
        self.claim(variables, &mut claims, &mut order);
        let mut locks = Locks::acquire(&claims)?;
        let mut held: List<Held<'_>> = SmallVec::new();
        locks.held(&mut held)?;
        let mut frame = self.frames.take().unwrap_or_else(|| self.new_frame());
        let result = self.run_in(
            &mut frame,
            &Given { inputs, variables, order: &order },
            &mut held,
            outputs,
        );
        self.frames.keep(frame);
        result
    }

    /// The claims on variables in the order of their ids, and the claim of each slot.
    fn claim<'v>(
        &self,
        variables: &[&'v Variable],
        claims: &mut List<Claim<'v>>,
        order: &mut List<usize>,
    ) {
        for (at, (&variable, slot)) in variables.iter().zip(&self.slots).enumerate() {
            claims.push(Claim { variable, access: slot.access });
            order.push(at);
        }
        if claims.is_sorted_by_key(|claim| claim.variable.id()) {
            return;
        }
        claims.sort_by_key(|claim| claim.variable.id());
        for (slot, at) in order.iter_mut().enumerate() {
            let id = variables[slot].id();
            *at = claims
                .binary_search_by_key(&id, |claim| claim.variable.id())
                .expect("it is one of them");
        }
    }

    fn run_in(
        &self,
        frame: &mut Frame,
        given: &Given<'_, '_>,
        held: &mut [Held<'_>],
        outputs: &mut SmallVec<[Value; 2]>,
    ) -> Result<()> {
        let mut in_place: List<bool> = SmallVec::from_elem(false, self.made.len());
        for (slot, at) in self.slots.iter().zip(given.order) {
            if let (Some(made), Held::Write(value)) = (slot.in_place, &held[*at]) {
                in_place[made] = value.buffer().is_unshared();
            }
        }
        for (at, spec) in self.made.iter().enumerate() {
            let value = &mut frame.made[at];
            if !in_place[at] && value.as_ref().is_none_or(|it| !it.buffer().is_unshared()) {
                *value = Some(Value::uninit(*spec));
            }
        }
        self.compute(frame, given, held, &in_place)?;
        for output in &self.outputs {
            outputs.push(self.result(*output, frame, given, held));
        }
        if !self.finals.is_empty() {
            self.commit(frame, given, held, &in_place);
        }
        Ok(())
    }

    /// Gives variables their next values.
    fn commit(
        &self,
        frame: &mut Frame,
        given: &Given<'_, '_>,
        held: &mut [Held<'_>],
        in_place: &[bool],
    ) {
        let mut finals: List<Option<Value>> = SmallVec::new();
        for (_, result) in &self.finals {
            let is_written = matches!(result, Delivered::Made(at) if in_place[*at]);
            finals.push((!is_written).then(|| self.result(*result, frame, given, held)));
        }
        for ((slot, result), value) in self.finals.iter().zip(finals) {
            let Held::Write(present) = &mut held[given.order[slot.index()]] else {
                unreachable!("what ends with a new value is held for writing")
            };
            let Some(value) = value else { continue };
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
        in_place: &[bool],
    ) -> Result<()> {
        let Frame { arena, scratch, made } = frame;
        let lent = self.lent(given, held);
        let arena = Memory::write(arena).expect("a frame's arena is its own");
        let mut made_memory: List<Option<Memory<'_>>> = SmallVec::new();
        for (value, in_place) in made.iter_mut().zip(in_place) {
            made_memory.push(match value {
                Some(value) if !in_place => Memory::write(value.buffer_mut()),
                _ => None,
            });
        }
        let mut slot_memory: List<Option<Memory<'_>>> = SmallVec::from_elem(None, self.slots.len());
        let mut slot_of: List<usize> = SmallVec::from_elem(0, self.slots.len());
        given.order.iter().enumerate().for_each(|(slot, claim)| slot_of[*claim] = slot);
        for (claim, held) in held.iter_mut().enumerate() {
            let in_place = self.slots[slot_of[claim]].in_place.filter(|made| in_place[*made]);
            let memory = match (held, in_place) {
                (Held::Write(value), Some(made)) => {
                    let memory = Memory::write(value.buffer_mut())
                        .expect("it was unshared just now, and is locked");
                    made_memory[made] = Some(memory);
                    memory
                }
                (Held::Write(value), None) => Memory::read(value),
                (Held::Read(value), _) => Memory::read(value),
            };
            slot_memory[slot_of[claim]] = Some(memory);
        }
        let mut memory: SmallVec<[Memory<'_>; 64]> = SmallVec::new();
        for block in &self.blocks {
            memory.push(match block {
                Source::Arena => arena,
                Source::Input(at) => Memory::read(given.inputs[*at]),
                Source::Constant(at) => Memory::read(&self.constants[*at]),
                Source::Variable(slot) => slot_memory[slot.index()].expect("each slot has a claim"),
                Source::Made(at) => made_memory[*at]
                    .expect("what is made has memory of its own or that of its variable"),
            });
        }
        self.phases.iter().try_for_each(|phase| self.phase(phase, &memory, scratch, &lent))
    }

    /// The values of variables for closures of the user's, which may read what the run has locked; none without one.
    fn lent(&self, given: &Given<'_, '_>, held: &[Held<'_>]) -> Vec<(u64, Value)> {
        if !self.phases.iter().any(|phase| matches!(phase, Phase::Custom { .. })) {
            return Vec::new();
        }
        let value = |claim: usize| match &held[claim] {
            Held::Read(value) => (*value).clone(),
            Held::Write(value) => (**value).clone(),
        };
        given
            .variables
            .iter()
            .zip(given.order)
            .map(|(variable, claim)| (variable.id(), value(*claim)))
            .collect()
    }

    fn phase(
        &self,
        phase: &Phase,
        memory: &[Memory<'_>],
        scratch: &mut Buffer,
        lent: &[(u64, Value)],
    ) -> Result<()> {
        match phase {
            Phase::Steps(from, to) => {
                let done = self.steps.run(*from..*to, memory, scratch);
                done.map_err(|(step, error)| placed(error, self.failing[step].as_ref()))
            }
            Phase::Custom { kernel, inputs, outputs, failing } => {
                let values: Vec<Value> =
                    inputs.iter().map(|it| self.steps.load(it, memory)).collect();
                let made = lend(lent.iter().cloned(), || kernel.run(&values));
                let stored = made.and_then(|made| {
                    if made.len() != outputs.len() {
                        return Err(wrong_count(made.len(), outputs.len()));
                    }
                    let mut pairs = made.iter().zip(outputs);
                    pairs.try_for_each(|(value, operand)| self.steps.store(value, operand, memory))
                });
                stored.map_err(|error| placed(error, failing.as_ref()))
            }
        }
    }

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
            Delivered::Variable(slot) => match &held[given.order[slot.index()]] {
                Held::Read(value) => (*value).clone(),
                Held::Write(value) => (**value).clone(),
            },
        }
    }

    fn new_frame(&self) -> Box<Frame> {
        let made = self.made.iter().map(|_| None).collect();
        let (arena, scratch) = (Buffer::uninit(self.arena), Buffer::uninit(self.steps.scratch()));
        Box::new(Frame { arena, scratch, made })
    }

    /// The bytes that a frame takes besides what it makes.
    pub(super) fn frame_bytes(&self) -> (usize, usize) {
        (self.arena, self.made.iter().map(|spec| bytes(*spec)).sum())
    }

    /// How many variables a run writes.
    pub(super) fn written(&self) -> usize {
        self.slots.iter().filter(|slot| slot.access == Access::Write).count()
    }
}

fn placed(error: Error, failing: Option<&(std::sync::Arc<str>, crate::error::Place)>) -> Error {
    match failing {
        Some((name, place)) => error.at(*place).at_node(name),
        None => error,
    }
}

fn wrong_count(found: usize, wanted: usize) -> Error {
    Error::new(
        ErrorKind::Value,
        format!("a kernel gave {found} outputs, and its op inferred {wanted}"),
    )
    .with_help("return from `Kernel::run` what `Op::infer` promises")
}
