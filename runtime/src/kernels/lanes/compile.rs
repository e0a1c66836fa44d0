//! From a lane program and the feeds of its inputs to code: what is dead or the same for all elements, and where
//! each value stands. Knows nothing of how code runs.

use super::code::{
    Block, CONSTANTS, Code, Feed, Load, OPERANDS, Place, SCRATCH, Splat, Step, TILE,
};
use super::nest::Nest;
use super::tile::{self, Moving};
use super::{Instr, Program, Reg, Scalar};
use crate::kernels::Isa;
use crate::types::DType;
use smallvec::SmallVec;
use std::collections::HashMap;

/// How far outputs are apart from tile to tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kernels) enum Outputs {
    /// Each tile is written after the one before.
    Rows,
    /// Each tile is written over the one before.
    Tiles,
}

/// Makes a program ready, in time linear in its length.
pub(in crate::kernels) fn compile(
    program: &Program,
    feeds: &[Feed],
    outputs: Outputs,
    isa: Isa,
) -> Code {
    let values = Values::new(program, feeds);
    let mut maker = Maker::new(program, feeds, outputs, isa, values);
    for (i, (instr, dtype)) in program.instrs().iter().enumerate() {
        if maker.values.last_use[i].is_some() {
            maker.value(i, *instr, *dtype);
        }
    }
    maker.copy_outputs();
    maker.code
}

/// After all instructions.
const END: usize = usize::MAX;

/// What is known of the values of a program before they are given places.
struct Values {
    /// The first value that is the same input, else the value itself.
    first: Vec<usize>,
    /// The last instruction that reads it, [`END`] for outputs, `None` if it is dead.
    last_use: Vec<Option<usize>>,
    /// Whether it is the same for all elements.
    same: Vec<bool>,
    /// For each type the last instruction that reads a row of an input where it is: outputs written before it may
    /// not be written where they belong, since they may be that input.
    last_read: HashMap<DType, usize>,
    /// The first output that it is.
    output: Vec<Option<usize>>,
}

impl Values {
    fn new(program: &Program, feeds: &[Feed]) -> Values {
        let instrs = program.instrs();
        let (mut first, mut same) = (Vec::new(), Vec::new());
        let mut inputs = HashMap::new();
        for (i, (instr, _)) in instrs.iter().enumerate() {
            first.push(match instr {
                Instr::Input(input) => *inputs.entry(*input).or_insert(i),
                _ => i,
            });
            same.push(match instr {
                Instr::Input(input) => matches!(feeds[*input as usize], Feed::Same),
                _ => instr.operands().iter().all(|reg| same[reg.0 as usize]),
            });
        }
        let (mut last_use, mut output) = (vec![None; instrs.len()], vec![None; instrs.len()]);
        for (at, reg) in program.outputs().iter().enumerate().rev() {
            last_use[first[reg.0 as usize]] = Some(END);
            output[first[reg.0 as usize]] = Some(at);
        }
        let mut values = Values { first, same, last_use, last_read: HashMap::new(), output };
        for (i, (instr, _)) in instrs.iter().enumerate().rev() {
            if values.last_use[i].is_none() {
                continue;
            }
            for operand in instr.operands() {
                let operand = values.index(operand);
                values.last_use[operand].get_or_insert(i);
                values.note_read(operand, i, instrs[operand], feeds);
            }
            values.note_read(i, i, instrs[i], feeds);
        }
        values
    }

    /// Notes that an instruction reads an operand, if that is a row of an input.
    fn note_read(
        &mut self,
        operand: usize,
        by: usize,
        (instr, dtype): (Instr, DType),
        feeds: &[Feed],
    ) {
        if let Instr::Input(input) = instr
            && matches!(feeds[input as usize], Feed::Row)
        {
            // An input that is an output is copied where it stands in the program, and read there alone.
            let by = if self.output[operand].is_some() { operand } else { by };
            let latest = self.last_read.entry(dtype).or_default();
            *latest = by.max(*latest);
        }
    }

    fn index(&self, reg: Reg) -> usize {
        self.first[reg.0 as usize]
    }
}

/// Code in the making.
struct Maker<'a> {
    program: &'a Program,
    feeds: &'a [Feed],
    isa: Isa,
    values: Values,
    /// Where each value stands, once it has a place.
    places: Vec<Option<Place>>,
    constants: HashMap<Scalar, Place>,
    /// Tiles in the scratch that hold nothing any more, by the size of their elements.
    free: HashMap<usize, Vec<Place>>,
    code: Code,
}

impl<'a> Maker<'a> {
    fn new(
        program: &'a Program,
        feeds: &'a [Feed],
        outputs: Outputs,
        isa: Isa,
        values: Values,
    ) -> Maker<'a> {
        let input_widths = program.inputs().iter().zip(feeds).map(|(dtype, feed)| match feed {
            Feed::Row => dtype.size(),
            Feed::Same | Feed::Spread(_) => 0,
        });
        let output_widths = program.outputs().iter().map(|reg| match outputs {
            Outputs::Rows => program.dtype(*reg).size(),
            Outputs::Tiles => 0,
        });
        let widths: Vec<usize> = input_widths.chain(output_widths).collect();
        let table = size_of::<*mut u8>() * (OPERANDS + widths.len());
        Maker {
            program,
            feeds,
            isa,
            places: vec![None; program.instrs().len()],
            values,
            constants: HashMap::new(),
            free: HashMap::new(),
            code: Code {
                constants: Vec::new(),
                splats: Vec::new(),
                same: Vec::new(),
                loads: Vec::new(),
                steps: Vec::new(),
                widths,
                scratch: table.next_multiple_of(64),
            },
        }
    }

    /// Gives a value its place, and adds what computes it.
    fn value(&mut self, i: usize, instr: Instr, dtype: DType) {
        match instr {
            Instr::Input(_) if self.values.first[i] != i => {}
            Instr::Input(input) => self.input(i, input as usize, instr, dtype),
            Instr::Const(scalar) => self.places[i] = Some(self.constant(scalar)),
            _ => self.computed(i, instr, dtype),
        }
    }

    fn input(&mut self, i: usize, input: usize, instr: Instr, dtype: DType) {
        let is_output = self.values.last_use[i] == Some(END);
        match &self.feeds[input] {
            Feed::Same => {
                let dst = self.allocate(Block::BYTES);
                self.code.splats.push(Splat { input, dtype, dst });
                self.places[i] = Some(dst);
            }
            Feed::Row => {
                let row = operand_place(input);
                self.places[i] = Some(row);
                if is_output {
                    let dst = self.destination(i, dtype);
                    self.code.steps.push(Step {
                        run: tile::copy(dtype, self.isa),
                        dst,
                        operands: [row; 3],
                        moving: Moving::ALL,
                        instr,
                    });
                    self.places[i] = Some(dst);
                }
            }
            // Copied together before its first use, so that tiles are not held longer than needed.
            Feed::Spread(_) if !is_output => {}
            Feed::Spread(nest) => {
                let nest = nest.clone();
                self.load(i, input, nest, dtype);
            }
        }
    }

    fn load(&mut self, i: usize, input: usize, nest: Nest, dtype: DType) -> Place {
        let dst = self.destination(i, dtype);
        self.code.loads.push(Load { before: self.code.steps.len(), input, nest, dtype, dst });
        self.places[i] = Some(dst);
        dst
    }

    fn constant(&mut self, scalar: Scalar) -> Place {
        let constants = &mut self.code.constants;
        *self.constants.entry(scalar).or_insert_with(|| {
            constants.push(Block::of(scalar.bits(), scalar.dtype().size()));
            place(CONSTANTS, (constants.len() - 1) * Block::BYTES)
        })
    }

    fn computed(&mut self, i: usize, instr: Instr, dtype: DType) {
        let instr = tile::ordered(instr);
        let regs = instr.operands();
        let operands: SmallVec<[Place; 3]> = regs.iter().map(|reg| self.operand(*reg)).collect();
        let last = *operands.last().expect("an instruction that computes has an operand");
        let from = self.program.dtype(*regs.last().expect("as above"));
        let mut moving = 0;
        for (bit, reg) in regs.iter().enumerate() {
            let operand = self.values.index(*reg);
            moving |= u8::from(!self.values.same[operand]) << bit;
            if self.values.last_use[operand] == Some(i) {
                // An operand that stands twice dies once.
                self.values.last_use[operand] = None;
                self.release(operand);
            }
        }
        let same = self.values.same[i];
        let dst = if same { self.allocate(Block::BYTES) } else { self.destination(i, dtype) };
        self.places[i] = Some(dst);
        let step = Step {
            run: tile::instruction(instr, from, dtype, self.isa),
            dst,
            operands: std::array::from_fn(|at| *operands.get(at).unwrap_or(&last)),
            moving: Moving(moving),
            instr,
        };
        if same { self.code.same.push(step) } else { self.code.steps.push(step) }
    }

    /// The place of an operand, which is copied together if it is spread and not yet so.
    fn operand(&mut self, reg: Reg) -> Place {
        let i = self.values.index(reg);
        if let Some(place) = self.places[i] {
            return place;
        }
        let (Instr::Input(input), dtype) = self.program.instrs()[i] else {
            unreachable!("operands come before what they are operands of");
        };
        let Feed::Spread(nest) = &self.feeds[input as usize] else {
            unreachable!("other inputs have their places");
        };
        self.load(i, input as usize, nest.clone(), dtype)
    }

    /// Where to write a value: to its output if that may be, else to a tile of the scratch.
    fn destination(&mut self, i: usize, dtype: DType) -> Place {
        let last_read = self.values.last_read.get(&dtype).copied().unwrap_or(0);
        match self.values.output[i] {
            Some(output) if last_read <= i => self.output_place(output),
            _ => match self.free.get_mut(&dtype.size()).and_then(Vec::pop) {
                Some(place) => place,
                None => self.allocate(TILE * dtype.size()),
            },
        }
    }

    fn release(&mut self, i: usize) {
        let size = self.program.instrs()[i].1.size();
        if let Some(place) = self.places[i]
            && place.base as usize == SCRATCH
            && !self.values.same[i]
        {
            self.free.entry(size).or_default().push(place);
        }
    }

    fn allocate(&mut self, bytes: usize) -> Place {
        let at = self.code.scratch;
        self.code.scratch += bytes;
        place(SCRATCH, at)
    }

    fn output_place(&self, output: usize) -> Place {
        operand_place(self.program.inputs().len() + output)
    }

    /// Copies to each output what was not computed there.
    fn copy_outputs(&mut self) {
        for (output, reg) in self.program.outputs().iter().enumerate() {
            let i = self.values.index(*reg);
            let (src, dst) = (self.operand(*reg), self.output_place(output));
            if src != dst {
                let (instr, dtype) = self.program.instrs()[i];
                self.code.steps.push(Step {
                    run: tile::copy(dtype, self.isa),
                    dst,
                    operands: [src; 3],
                    moving: Moving(u8::from(!self.values.same[i])),
                    instr,
                });
            }
        }
    }
}

fn operand_place(operand: usize) -> Place {
    place(OPERANDS + operand, 0)
}

fn place(base: usize, offset: usize) -> Place {
    Place {
        base: u32::try_from(base).expect("a program has few operands"),
        offset: u32::try_from(offset)
            .expect("the values of a program that live at once fit in 4 GiB"),
    }
}
