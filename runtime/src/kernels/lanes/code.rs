//! A lane program made ready for tiles: loops to call one after the other, and the place of each of their operands.
//! Knows no loops over tiles, and of inputs only how they are fed.

use super::nest::Nest;
use super::tile::{BLOCK, Moving, TileFn};
use super::{BinaryOp, Instr};
use crate::error::{Error, ErrorKind};
use crate::types::DType;

/// The elements of a tile: enough to forget the cost of a call, few enough that some tiles stay in the first cache.
pub(in crate::kernels) const TILE: usize = 1024;

/// Where the elements of an input come from.
#[derive(Clone, Debug)]
pub(in crate::kernels) enum Feed {
    /// They follow each other; a tile of them is used where it is.
    Row,
    /// All are one element.
    Same,
    /// They are spread, and a tile of them is copied together.
    Spread(Nest),
}

impl Feed {
    /// The feed of an input of these strides over these sizes.
    pub fn new(sizes: &[usize], strides: &[isize]) -> Feed {
        let nest = Nest::new(sizes, strides);
        match nest.stride() {
            Some(1) => Feed::Row,
            Some(0) => Feed::Same,
            _ => Feed::Spread(nest),
        }
    }
}

/// A program made ready, by [`super::compile::compile`].
pub(in crate::kernels) struct Code {
    /// One block of copies for each constant.
    pub(super) constants: Vec<Block>,
    /// What is the same for all elements: inputs first, then what is computed of them, each for one block.
    pub(super) splats: Vec<Splat>,
    pub(super) same: Vec<Step>,
    /// What is done for each tile; the loads in the order of the steps that they come before.
    pub(super) loads: Vec<Load>,
    pub(super) steps: Vec<Step>,
    /// For each input and then each output, how many bytes an element moves it on.
    pub(super) widths: Vec<usize>,
    /// The bytes of the table of bases, of blocks and of tiles.
    pub(super) scratch: usize,
}

/// A place: an offset in bytes from a base. The bases are these two, the inputs, and the outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub base: u32,
    pub offset: u32,
}

pub(super) const SCRATCH: usize = 0;
pub(super) const CONSTANTS: usize = 1;
pub(super) const OPERANDS: usize = 2;

/// One call of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub run: TileFn,
    pub dst: Place,
    pub operands: [Place; 3],
    pub moving: Moving,
    /// What it does, for complaints.
    pub instr: Instr,
}

/// The copy of a tile of spread elements.
#[derive(Clone, Debug)]
pub(super) struct Load {
    /// The step that it comes before.
    pub before: usize,
    pub input: usize,
    pub nest: Nest,
    pub dtype: DType,
    pub dst: Place,
}

/// The copy of the one element of an input into a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Splat {
    pub input: usize,
    pub dtype: DType,
    pub dst: Place,
}

/// Copies of one element.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(in crate::kernels) struct Block([u64; BLOCK]);

impl Block {
    /// The bytes of a block of the widest elements.
    pub const BYTES: usize = BLOCK * 8;

    /// A block of copies of the low bits of an element of this size.
    pub fn of(bits: u64, size: usize) -> Block {
        Block([repeated(bits, size); BLOCK])
    }
}

/// A word of one, two or eight copies of the low bits, an element of this size.
#[inline]
fn repeated(bits: u64, size: usize) -> u64 {
    match size {
        1 => (bits & 0xff) * 0x0101_0101_0101_0101,
        4 => bits & 0xffff_ffff | bits << 32,
        _ => bits,
    }
}

impl Code {
    /// The bytes that a run needs for itself, aligned to 64.
    pub fn scratch(&self) -> usize {
        self.scratch
    }

    /// Computes what is the same for all elements. Comes before the first tile that uses this scratch.
    ///
    /// # Errors
    /// The first fault.
    ///
    /// # Safety
    /// As [`Code::tile`] for one element.
    #[inline]
    pub unsafe fn prepare(
        &self,
        inputs: &[*const u8],
        outputs: &[*mut u8],
        scratch: *mut u8,
    ) -> Result<(), Fault> {
        if self.splats.is_empty() && self.same.is_empty() {
            return Ok(());
        }
        // SAFETY: as promised; a splat writes a block of its own in the scratch.
        unsafe {
            let bases = self.bases(inputs, outputs, scratch, 0);
            for splat in &self.splats {
                let element = inputs[splat.input];
                let size = splat.dtype.size();
                let bits = match size {
                    1 => u64::from(element.read()),
                    4 => u64::from(element.cast::<u32>().read()),
                    _ => element.cast::<u64>().read(),
                };
                let (word, dst) = (repeated(bits, size), at(bases, splat.dst).cast::<u64>());
                (0..BLOCK * size / 8).for_each(|i| dst.add(i).write(word));
            }
            steps(&self.same, bases, 0, BLOCK)
        }
    }

    /// Computes the `n` elements, at most [`TILE`], from `start` on.
    ///
    /// # Errors
    /// The first fault; what was computed before it may have been written.
    ///
    /// # Safety
    /// The pointers stand at the first elements of operands that are as the code was compiled for; inputs have at
    /// least `start + n` elements, and so have outputs (or `n`, if the code was compiled to write tiles). An output
    /// may be an input that is a row of the same type; in no other way do outputs overlap anything.
    /// `scratch` is aligned to 64, is writable for [`Code::scratch`] bytes, and holds what [`Code::prepare`] left.
    #[inline]
    pub unsafe fn tile(
        &self,
        inputs: &[*const u8],
        outputs: &[*mut u8],
        scratch: *mut u8,
        start: usize,
        n: usize,
    ) -> Result<(), Fault> {
        // SAFETY: as promised.
        unsafe {
            let bases = self.bases(inputs, outputs, scratch, start);
            let mut done = 0;
            for load in &self.loads {
                steps(&self.steps[done..load.before], bases, start, n)?;
                done = load.before;
                load.nest.copy(inputs[load.input], at(bases, load.dst), start, n, load.dtype);
            }
            steps(&self.steps[done..], bases, start, n)
        }
    }

    /// Writes the table of bases to the start of the scratch.
    ///
    /// # Safety
    /// `scratch` is aligned and large enough.
    #[inline]
    unsafe fn bases(
        &self,
        inputs: &[*const u8],
        outputs: &[*mut u8],
        scratch: *mut u8,
        start: usize,
    ) -> *const *mut u8 {
        assert_eq!(
            inputs.len() + outputs.len(),
            self.widths.len(),
            "the program has these operands"
        );
        let bases = scratch.cast::<*mut u8>();
        let operands = inputs.iter().map(|it| it.cast_mut()).chain(outputs.iter().copied());
        // SAFETY: the scratch begins with a word for each base.
        unsafe {
            bases.add(SCRATCH).write(scratch);
            bases.add(CONSTANTS).write(self.constants.as_ptr().cast_mut().cast());
            for ((i, operand), width) in operands.enumerate().zip(&self.widths) {
                bases.add(OPERANDS + i).write(operand.wrapping_add(start * width));
            }
        }
        bases
    }
}

/// # Safety
/// The table has this base, and the place lies in what it points at.
#[inline(always)]
unsafe fn at(bases: *const *mut u8, place: Place) -> *mut u8 {
    // SAFETY: as promised.
    unsafe { (*bases.add(place.base as usize)).add(place.offset as usize) }
}

/// # Safety
/// The places of all steps lie in what the bases point at, for `n` elements.
#[inline(always)]
unsafe fn steps(
    steps: &[Step],
    bases: *const *mut u8,
    start: usize,
    n: usize,
) -> Result<(), Fault> {
    for step in steps {
        let [a, b, c] = step.operands;
        // SAFETY: as promised; the compiler gave each loop places for operands of its types.
        let done = unsafe {
            (step.run)(
                at(bases, step.dst),
                at(bases, a),
                at(bases, b),
                at(bases, c),
                n,
                step.moving,
            )
        };
        if done != n {
            return Err(Fault { instr: step.instr, element: start + done });
        }
    }
    Ok(())
}

/// An element whose operands an instruction refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kernels) struct Fault {
    /// The instruction.
    pub instr: Instr,
    /// The element, in the order of the walk.
    pub element: usize,
}

impl Fault {
    /// The complaint about the element at an index.
    #[cold]
    pub fn error(self, index: &[usize]) -> Error {
        let (what, help) = match self.instr {
            Instr::Binary(BinaryOp::Pow, ..) => {
                ("integer power with a negative exponent", "cast the base to a float type first")
            }
            _ => (
                "integer division by zero",
                "replace the zeros of the divisor first, for example by `select`",
            ),
        };
        Error::new(ErrorKind::Value, format!("{what}, at element {index:?}")).with_help(help)
    }
}
