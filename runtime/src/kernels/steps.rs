//! A list of kernels over blocks of memory: the part of a plan that touches bytes. Knows no graph.
//!
//! What is checked when a step is added, and when a run is given its memory, makes running safe: every operand lies in
//! its block, and no output overlaps an input but where an element-wise kernel writes in place.

use super::Prepared;
use crate::error::Result;
use crate::types::Spec;
use crate::value::{Buffer, Layout, Value};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::slice;

/// A block of memory that a run is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockId(usize);

/// Elements in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The block.
    pub block: BlockId,
    /// Where the first element is, in bytes from the start of the block.
    pub offset: usize,
    /// How the elements lie from there.
    pub layout: Layout,
}

/// What a run may do with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Read it.
    Read,
    /// Read and write it.
    Write,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    bytes: usize,
    usage: Use,
}

struct Step {
    kernel: Prepared,
    /// Its operands: from here those that it reads, from there those that it writes, to the next step's.
    reads: usize,
    writes: usize,
}

/// Kernels in order, with their operands.
#[derive(Default)]
pub struct Steps {
    blocks: Vec<Block>,
    steps: Vec<Step>,
    /// The operands of all steps: a block, and where in it.
    operands: Vec<(usize, usize)>,
    scratch: usize,
}

/// Memory that a run is given for one block: two words, which stay in registers on their way into a list.
#[derive(Clone, Copy)]
pub struct Memory<'m> {
    at: NonNull<u8>,
    extent: Extent,
    lives: PhantomData<&'m [u8]>,
}

/// Twice the number of bytes, and one more if they may be written.
#[derive(Clone, Copy)]
struct Extent(usize);

impl Extent {
    fn new(bytes: usize, usage: Use) -> Extent {
        Extent(bytes * 2 + usize::from(usage == Use::Write))
    }

    fn bytes(self) -> usize {
        self.0 / 2
    }

    /// Whether this is enough for a block.
    fn serves(self, block: &Block) -> bool {
        self.bytes() >= block.bytes && (block.usage == Use::Read || self.0 % 2 == 1)
    }
}

impl<'m> Memory<'m> {
    /// A value in row-major order, to be read.
    pub fn read(value: &'m Value) -> Memory<'m> {
        debug_assert!(value.is_row_major());
        let bytes = value.len() * value.dtype().size();
        Memory::new(value.as_ptr().cast_mut(), Extent::new(bytes, Use::Read))
    }

    /// A buffer that nobody else holds, to be written; `None` if somebody does.
    ///
    /// Blocks of one run may be memory of the same value only if it is read in one and written in the other, in place:
    /// [`Steps::push`] checks what stands in one block, and the plan what stands in two.
    pub fn write(buffer: &'m mut Buffer) -> Option<Memory<'m>> {
        let extent = Extent::new(buffer.len(), Use::Write);
        Some(Memory::new(buffer.unshared_mut()?, extent))
    }

    fn new(at: *mut u8, extent: Extent) -> Memory<'m> {
        let at = NonNull::new(at).expect("bytes in memory have an address");
        Memory { at, extent, lives: PhantomData }
    }

    /// An address so many bytes from the start.
    fn at(&self, offset: usize) -> *mut u8 {
        self.at.as_ptr().wrapping_add(offset)
    }
}

impl Steps {
    /// Adds a block of this many bytes.
    pub fn add_block(&mut self, bytes: usize, usage: Use) -> BlockId {
        self.blocks.push(Block { bytes, usage });
        BlockId(self.blocks.len() - 1)
    }

    /// Adds a step.
    ///
    /// # Panics
    /// If an operand reaches outside its block, an output is not in row-major order or not in a block to be written,
    /// or an output overlaps an operand that it must not.
    pub fn push(&mut self, kernel: Prepared, inputs: &[Operand], outputs: &[Operand]) {
        inputs.iter().chain(outputs).for_each(|it| self.check(it));
        for (i, output) in outputs.iter().enumerate() {
            assert_eq!(
                self.blocks[output.block.0].usage,
                Use::Write,
                "an output is in a block to be written"
            );
            assert!(output.layout.is_row_major(), "an output is in row-major order");
            let in_place = matches!(kernel, Prepared::Lanes(_));
            let clash = inputs
                .iter()
                .find(|input| overlap(input, output) && !(in_place && *input == output));
            assert!(clash.is_none(), "an output overlaps an input: {output:?} and {clash:?}");
            assert!(
                !outputs[..i].iter().any(|other| overlap(other, output)),
                "two outputs overlap"
            );
        }
        self.scratch = self.scratch.max(kernel.scratch());
        let reads = self.operands.len();
        let writes = reads + inputs.len();
        self.operands.extend(inputs.iter().chain(outputs).map(|it| (it.block.0, it.offset)));
        self.steps.push(Step { kernel, reads, writes });
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The bytes of scratch that a run needs: for the addresses of all operands, and then for the kernels.
    pub fn scratch(&self) -> usize {
        self.addresses() + self.scratch
    }

    /// The bytes that the addresses of all operands take, up to an aligned place.
    fn addresses(&self) -> usize {
        (self.operands.len() * size_of::<*mut u8>()).next_multiple_of(64)
    }

    /// Runs some of the steps in memory, one for each block, in order.
    ///
    /// # Errors
    /// What the data make a step fail, and which.
    ///
    /// # Panics
    /// If the memory is not what the blocks ask for.
    #[inline]
    pub fn run(
        &self,
        range: std::ops::Range<usize>,
        memory: &[Memory<'_>],
        scratch: &mut Buffer,
    ) -> Result<(), (usize, crate::error::Error)> {
        assert!(
            memory.len() == self.blocks.len() && scratch.len() >= self.scratch(),
            "a run is given memory for each block"
        );
        for (memory, block) in memory.iter().zip(&self.blocks) {
            assert!(memory.extent.serves(block), "a block is given what it asks for");
        }
        let scratch = scratch.unshared_mut().expect("a run's scratch is its own");
        let table = scratch.cast::<*mut u8>();
        let end = |step: usize| self.steps.get(step).map_or(self.operands.len(), |it| it.reads);
        for at in end(range.start)..end(range.end) {
            let (block, offset) = self.operands[at];
            // SAFETY: scratch is aligned, and has room for the addresses of all operands.
            unsafe { table.add(at).write(memory[block].at(offset)) };
        }
        // SAFETY: as above; what the kernels need follows the addresses.
        let scratch = unsafe { scratch.add(self.addresses()) };
        for at in range {
            let Step { kernel, reads, writes } = &self.steps[at];
            // SAFETY: the addresses of this step's operands were written above.
            let (reads, writes) = unsafe {
                (
                    slice::from_raw_parts(table.add(*reads).cast(), writes - reads),
                    slice::from_raw_parts(table.add(*writes), end(at + 1) - writes),
                )
            };
            // SAFETY: `push` checked that the operands lie in their blocks and overlap only in place, and the memory of
            // each block was checked above; scratch is a buffer of our own, aligned to 64 and large enough.
            unsafe { kernel.run(reads, writes, scratch) }.map_err(|error| (at, error))?;
        }
        Ok(())
    }

    fn check(&self, operand: &Operand) {
        let bytes = self.blocks[operand.block.0].bytes;
        let (low, high) = extent(operand);
        assert!(
            low >= 0 && high <= bytes.cast_signed(),
            "an operand reaches outside its block of {bytes} bytes: {operand:?}"
        );
        assert_eq!(operand.offset % operand.layout.dtype().size(), 0, "an operand is aligned");
    }
}

/// The first byte of an operand and the one after its last.
fn extent(operand: &Operand) -> (isize, isize) {
    let Layout { spec, strides } = &operand.layout;
    let offset = operand.offset.cast_signed();
    if spec.is_empty() {
        return (offset, offset);
    }
    let size = spec.dtype().size().cast_signed();
    let reach = spec
        .sizes()
        .iter()
        .zip(strides)
        .map(|(count, stride)| (count.cast_signed() - 1) * stride * size);
    let (back, forth) =
        reach.fold((0, 0), |(back, forth), reach| (back + reach.min(0), forth + reach.max(0)));
    (offset + back, offset + forth + size)
}

fn overlap(a: &Operand, b: &Operand) -> bool {
    let ((from, to), (start, end)) = (extent(a), extent(b));
    a.block == b.block && from < end && start < to
}

/// The bytes that row-major elements of a spec take.
///
/// # Panics
/// If a size is unknown, or the number does not fit.
pub fn bytes(spec: Spec) -> usize {
    spec.bytes().expect("the bytes of a value can be counted")
}

impl Steps {
    /// The value of an operand, as a copy.
    ///
    /// # Panics
    /// If the operand does not lie in its block's memory.
    pub fn load(&self, operand: &Operand, memory: &[Memory<'_>]) -> Value {
        self.check(operand);
        let value = Value::uninit(operand.layout.spec);
        let mut buffer = value.buffer().clone();
        drop(value);
        let (block, memory) = (&self.blocks[operand.block.0], memory[operand.block.0]);
        let at = memory.at(operand.offset).cast_const();
        let to = buffer.unshared_mut().expect("a new buffer is unshared");
        assert!(memory.extent.serves(block), "a block is given what it asks for");
        // SAFETY: the operand lies in its block, which has memory for it; the buffer is new and of the spec's size.
        unsafe { super::moves::Copy::new(&operand.layout).run(&[at], &[to]) }
            .expect("a copy does not fail");
        Value::from_buffer(operand.layout.spec, buffer)
    }

    /// Writes a value where an operand is.
    ///
    /// # Panics
    /// If the value is not of the operand's spec, the operand does not lie in its block's memory, or that may not be
    /// written.
    pub fn store(&self, value: &Value, operand: &Operand, memory: &[Memory<'_>]) {
        assert_eq!(value.spec(), operand.layout.spec, "a value is stored where its like is");
        self.check(operand);
        let block = Block { usage: Use::Write, ..self.blocks[operand.block.0] };
        let memory = memory[operand.block.0];
        assert!(memory.extent.serves(&block), "a block is given what it asks for");
        // SAFETY: the operand is in row-major order in its block, which has memory for it that may be written.
        unsafe {
            super::moves::Copy::new(&value.layout())
                .run(&[value.as_ptr()], &[memory.at(operand.offset)])
        }
        .expect("a copy does not fail");
    }
}
