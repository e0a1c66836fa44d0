//! Grows random programs of calls like the samples of ops. Knows what ops infer and make, and no particular op.
//!
//! Calls are run as they are added, so that a program rarely fails, and then at its last call.

use super::data::{self, LARGEST};
use super::dice::Dice;
use super::layouts::laid_otherwise;
use super::program::Program;
use crate::error::Place;
use crate::graph::{
    Graph, Kind, Node, NodeId, NodeKind, OpRef, Ref, Sample, Slot, SlotId, Specs, Tensor,
};
use crate::graph::{InputId, run_eagerly};
use crate::types::Spec;
use crate::value::Value;
use smallvec::smallvec;
use std::collections::{BTreeMap, HashSet};

/// The samples of the ops that give the same whenever they are run, by name.
pub struct Catalogue(BTreeMap<&'static str, Vec<Sample>>);

impl Catalogue {
    /// All samples that there are.
    pub fn new() -> Catalogue {
        let mut by_name: BTreeMap<&'static str, Vec<Sample>> = BTreeMap::new();
        for sample in crate::ops::samples() {
            if !matches!(sample.op.kind(), Kind::Random | Kind::Host) {
                by_name.entry(sample.op.name()).or_default().push(sample);
            }
        }
        Catalogue(by_name)
    }

    /// The names of the ops.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &'static str> + '_ {
        self.0.keys().copied()
    }

    /// A call of some op.
    fn draw(&self, dice: &mut Dice) -> &Sample {
        // What passes rewrite is worth more tries.
        const REWRITTEN: &[&str] = &["BroadcastTo", "Cast", "LogicalNot", "Neg", "Reshape"];
        let ops: Vec<&Vec<Sample>> = self.0.values().collect();
        let samples = if dice.one_in(8) { &self.0[dice.of(REWRITTEN)] } else { dice.of(&ops) };
        &samples[dice.below(samples.len())]
    }
}

/// The program of a seed.
pub fn program(seed: u64, catalogue: &Catalogue) -> Program {
    let mut dice = Dice::new(seed);
    let sizes = data::sizes(&mut dice);
    let graph = Graph { name: format!("seed_{seed}").into(), ..Graph::default() };
    let program = Program { graph, inputs: vec![], variables: vec![] };
    let mut growing =
        Growing { dice, catalogue, sizes, program, pool: vec![], state: vec![], has_failed: false };
    let calls = 4 + growing.dice.below(32);
    for _ in 0..calls {
        growing.step();
        if growing.has_failed {
            break;
        }
    }
    if growing.dice.one_in(4) && !growing.has_failed {
        growing.divide_by_zero();
    }
    growing.finish()
}

struct Growing<'c> {
    dice: Dice,
    catalogue: &'c Catalogue,
    /// The sizes that most fresh values have.
    sizes: Vec<usize>,
    program: Program,
    /// What calls may be given, and what it is.
    pool: Vec<(Ref, Value)>,
    /// What variables hold at this point of the program.
    state: Vec<Value>,
    has_failed: bool,
}

/// What a call may be given.
#[derive(Clone)]
enum Given {
    Pooled(Ref, Value),
    Fresh(Value),
}

impl Given {
    fn value(&self) -> &Value {
        match self {
            Given::Pooled(_, value) | Given::Fresh(value) => value,
        }
    }
}

impl Growing<'_> {
    fn step(&mut self) {
        match self.dice.below(14) {
            0 if !self.state.is_empty() => {
                let slot = SlotId::new(self.dice.below(self.state.len()));
                self.read(slot);
            }
            1 | 2 if !self.state.is_empty() => self.assign(),
            3 | 4 => self.call_again(),
            5 | 6 => self.call_on_constant(),
            _ => self.call(),
        }
    }

    fn add(&mut self, kind: NodeKind, inputs: &[Ref], outputs: Specs) -> Vec<Ref> {
        let graph = &mut self.program.graph;
        let name = format!("{}.{}", kind.name(), graph.nodes.len()).into();
        let made = outputs.len();
        let inputs = inputs.into();
        let id = graph.add_node(Node { kind, inputs, outputs, name, place: Place::caller() });
        (0..made).map(|output| Ref::Node(id, output as u16)).collect()
    }

    fn read(&mut self, slot: SlotId) -> Ref {
        let value = self.state[slot.index()].clone();
        let made = self.add(NodeKind::Read(slot), &[], smallvec![value.spec()])[0];
        self.pool.push((made, value));
        made
    }

    /// Gives a variable a value of its spec, if there is one.
    fn assign(&mut self) {
        let slot = self.dice.below(self.state.len());
        let spec = self.state[slot].spec();
        let fitting: Vec<usize> = self.pooled(|it| it.spec() == spec);
        if fitting.is_empty() {
            return;
        }
        let (from, value) = self.pool[self.dice.of(&fitting)].clone();
        self.add(NodeKind::Assign(SlotId::new(slot)), &[from], smallvec![]);
        self.state[slot] = value;
    }

    fn pooled(&self, fits: impl Fn(&Value) -> bool) -> Vec<usize> {
        (0..self.pool.len()).filter(|at| fits(&self.pool[*at].1)).collect()
    }

    /// Calls an op as a sample does, or on other sizes that it takes.
    fn call(&mut self) {
        let sample = self.catalogue.draw(&mut self.dice);
        for _ in 0..4 {
            let is_like_sample = self.dice.one_in(3);
            let given: Vec<Given> = sample
                .inputs
                .iter()
                .map(|it| if is_like_sample { self.like(it) } else { self.of_any_size(it) })
                .collect();
            if self.is_called(&sample.op, &given) {
                return;
            }
        }
    }

    /// Calls an op that was called before: on the same values in another order, or one of its name on what it made.
    fn call_again(&mut self) {
        for _ in 0..8 {
            let Some(last) = self.program.graph.nodes.len().checked_sub(1) else { return };
            let id = NodeId::new(self.dice.below(last + 1));
            let node = self.program.graph.node(id).clone();
            let Some(op) = node.kind.op() else { continue };
            let is_done = match node.inputs[..] {
                [from] => self.is_led_back(op, Ref::node(id), from),
                _ => self.is_called_in_turn(op, &node.inputs),
            };
            if is_done {
                return;
            }
        }
    }

    /// Calls an op on values in the same or the opposite order.
    fn is_called_in_turn(&mut self, op: &OpRef, inputs: &[Ref]) -> bool {
        let given: Option<Vec<Given>> = inputs.iter().map(|it| self.known(*it)).collect();
        given.is_some_and(|mut given| {
            if !self.dice.one_in(4) {
                given.reverse();
            }
            self.is_called(op, &given)
        })
    }

    /// Calls an op of the same name that makes of what was made a value of the spec that it was made from.
    fn is_led_back(&mut self, op: &OpRef, made: Ref, from: Ref) -> bool {
        let (catalogue, back) = (self.catalogue, self.program.graph.spec(from));
        let Some(made) = self.known(made) else { return false };
        let leads_back = |it: &&Sample| {
            it.op.infer(&[made.value().spec()]).is_ok_and(|specs| specs[..] == [back])
        };
        let calls: Vec<&Sample> = catalogue.0[op.name()].iter().filter(leads_back).collect();
        if calls.is_empty() {
            return false;
        }
        let call = self.dice.of(&calls);
        self.is_called(&call.op, &[made])
    }

    /// Calls an op on a number that passes know to leave the other operand as it is, or that looks like it.
    fn call_on_constant(&mut self) {
        const OPS: &[&str] = &["AddV2", "Sub", "Mul", "RealDiv", "LogicalAnd", "LogicalOr"];
        let catalogue = self.catalogue;
        let samples = &catalogue.0[self.dice.of(OPS)];
        let Sample { op, inputs } = &samples[self.dice.below(samples.len())];
        let other = match self.dice.one_in(2) {
            true => self.of_any_size(&inputs[0]),
            false => Given::Fresh(data::value(&mut self.dice, inputs[0].spec())),
        };
        let number = self.dice.of(&[0.0, -0.0, 1.0]);
        let value = data::scalar(other.value().dtype(), number);
        let constant = Given::Pooled(self.program.graph.add_constant(&value), value);
        let is_first = self.dice.one_in(3);
        self.is_called(op, &if is_first { [constant, other] } else { [other, constant] });
    }

    /// Ends the program by a call that fails.
    fn divide_by_zero(&mut self) {
        let divide = &self.catalogue.0["FloorDiv"][0].op;
        let integers = self.pooled(|it| it.dtype().is_integer() && !it.is_empty());
        if integers.is_empty() {
            return;
        }
        let other = self.pick(&integers);
        let zero = Given::Fresh(data::scalar(other.value().dtype(), 0.0));
        self.is_called(divide, &[other, zero]);
    }

    fn known(&self, value: Ref) -> Option<Given> {
        let (from, value) = self.pool.iter().find(|it| it.0 == value)?;
        Some(Given::Pooled(*from, value.clone()))
    }

    /// Calls an op, unless it does not take what it is given or would make too much.
    fn is_called(&mut self, op: &OpRef, given: &[Given]) -> bool {
        let specs: Vec<Spec> = given.iter().map(|it| it.value().spec()).collect();
        let Ok(outputs) = op.infer(&specs) else { return false };
        let is_small = outputs.iter().all(|it| it.len().is_some_and(|len| len <= LARGEST));
        if is_small {
            self.call_on(op, given, outputs);
        }
        is_small
    }

    /// A value of a sample's spec: one that is there, the sample's own, or another.
    fn like(&mut self, sample: &Value) -> Given {
        let fitting = self.pooled(|it| it.spec() == sample.spec());
        if !fitting.is_empty() && !self.dice.one_in(3) {
            return self.pick(&fitting);
        }
        if self.dice.one_in(3) {
            return Given::Fresh(data::value(&mut self.dice, sample.spec()));
        }
        Given::Fresh(sample.clone())
    }

    /// A value of a sample's element type.
    fn of_any_size(&mut self, sample: &Value) -> Given {
        let fitting = self.pooled(|it| it.dtype() == sample.dtype());
        if !fitting.is_empty() && !self.dice.one_in(4) {
            return self.pick(&fitting);
        }
        let sizes = data::sizes_like(&mut self.dice, &self.sizes);
        let spec = Spec::new(sample.dtype(), &sizes[..]);
        Given::Fresh(data::value(&mut self.dice, spec))
    }

    /// One of these; the latest more often, so that programs are deep.
    fn pick(&mut self, fitting: &[usize]) -> Given {
        let late = &fitting[fitting.len() / 2..];
        let at = if self.dice.one_in(2) { self.dice.of(late) } else { self.dice.of(fitting) };
        let (from, value) = self.pool[at].clone();
        Given::Pooled(from, value)
    }

    fn call_on(&mut self, op: &OpRef, given: &[Given], outputs: Specs) {
        let values: Vec<Tensor> = given.iter().map(|it| it.value().clone().into()).collect();
        let made = run_eagerly(op, &values.iter().collect::<Vec<_>>());
        if made.is_err() && !self.dice.one_in(2) {
            return;
        }
        let inputs: Vec<Ref> = given
            .iter()
            .map(|it| match it {
                Given::Pooled(from, _) => *from,
                Given::Fresh(value) => self.enter(value),
            })
            .collect();
        let refs = self.add(NodeKind::Op(op.clone()), &inputs, outputs);
        match made {
            Err(_) => self.has_failed = true,
            // Sums of products differ in their last bits: what is made of them could differ in all.
            Ok(_) if op.kind() == Kind::Contraction => {}
            Ok(made) => self.pool.extend(refs.into_iter().zip(made.iter().map(Tensor::value))),
        }
    }

    /// Brings a value into the program: as an input, a constant, or what a variable holds.
    fn enter(&mut self, value: &Value) -> Ref {
        let value = match self.dice.one_in(3) {
            true => laid_otherwise(&mut self.dice, value),
            false => value.clone(),
        };
        let at = match self.dice.below(6) {
            0 | 1 => self.program.graph.add_constant(&value),
            2 | 3 => {
                let spec = value.spec();
                let name = format!("v{}", self.state.len()).into();
                let slot = self.program.graph.add_slot(Slot { name, spec, trainable: true });
                self.program.variables.push(value.to_row_major());
                self.state.push(value.to_row_major());
                return self.read(slot);
            }
            _ => {
                let at = InputId::new(self.program.inputs.len());
                self.program.graph.add_input(at.to_string(), value.spec());
                self.program.inputs.push(value.clone());
                Ref::Input(at)
            }
        };
        self.pool.push((at, value));
        at
    }

    /// Chooses results: most values that nothing uses, and some of the others.
    fn finish(mut self) -> Program {
        let nodes = &self.program.graph.nodes;
        let used: HashSet<Ref> =
            nodes.iter().flat_map(|node| node.inputs.iter().copied()).collect();
        let made = self.program.graph.iter().flat_map(|(id, node)| {
            (0..node.outputs.len()).map(move |output| Ref::Node(id, output as u16))
        });
        for value in made.collect::<Vec<_>>() {
            let is_result =
                if used.contains(&value) { self.dice.one_in(6) } else { !self.dice.one_in(4) };
            if is_result {
                self.program.add_output(value);
            }
        }
        // Anything may be a result, and twice.
        if !self.pool.is_empty() && self.dice.one_in(4) {
            let (value, _) = self.pool[self.dice.below(self.pool.len())];
            self.program.add_output(value);
        }
        self.program
    }
}
