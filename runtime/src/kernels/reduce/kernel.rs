//! Reductions made ready: the order of the walk, where its elements come from, and the loops that take them.
//! Knows no threads and no allocation; its caller brings the memory.

use super::arg::{Search, search};
use super::fold::{FoldFn, LANES, fold};
use super::order::Order;
use super::run::Run;
use super::tree::{Loops, Pairs};
use crate::error::{Error, Result};
use crate::kernels::lanes::tile;
use crate::kernels::lanes::{
    BinaryOp, Block, Code, Fault, Feed, Instr, Outputs, Program, Reg, Scalar, TILE, compile,
};
use crate::kernels::{Isa, ReduceKind};
use crate::types::DType;
use crate::value::Layout;
use smallvec::SmallVec;
use std::ops::Range;

/// A reduction made ready for operands of given layouts.
///
/// Its producer, a lane program of one output, is evaluated over the domain, to which its inputs are broadcast. The
/// output is in row-major order of the kept axes.
pub struct Reduce {
    pub(super) source: Source,
    pub(super) order: Order,
    /// The sizes of the domain.
    sizes: SmallVec<[usize; 6]>,
    pub(super) method: Method,
    /// The bytes of one of the producer's elements, after a cast where those are summed as another type.
    pub(super) size: usize,
    pub(super) scratch: Scratch,
}

/// Where the elements come from.
pub(super) enum Source {
    /// An input has them in the order of the walk.
    Memory(usize),
    /// They are computed, a tile at a time.
    Code(Code),
}

/// How elements are reduced.
pub(super) enum Method {
    Tree {
        fold: FoldFn,
        loops: Loops,
    },
    Search(Search),
    /// There are none to reduce.
    Fill {
        value: Box<Block>,
        loops: Loops,
    },
}

/// Where in the scratch things are, after what the code needs.
pub(super) struct Scratch {
    pub tile: usize,
    pub lanes: usize,
    pub pairs: usize,
    pub bytes: usize,
}

/// The most results that are made side by side. Their lanes leave the first cache, which costs less than more calls.
pub(super) const WIDTH: usize = TILE;
/// The rows that are searched by one call: there is room for their best elements where lanes are.
pub(super) const ROWS: usize = 1024;

impl Reduce {
    /// Makes the reduction of some axes of a domain of these sizes ready, for inputs of these layouts.
    ///
    /// # Panics
    /// If an input does not broadcast to the sizes, the producer has not one output, or the kind does not take its type
    /// or its number of elements.
    pub fn new(
        kind: ReduceKind,
        axes: &[usize],
        producer: &Program,
        sizes: &[usize],
        inputs: &[Layout],
    ) -> Reduce {
        Reduce::with_isa(kind, axes, producer, sizes, inputs, Isa::best())
    }

    /// As [`Reduce::new`], for an instruction set that the processor has.
    pub(in crate::kernels) fn with_isa(
        kind: ReduceKind,
        axes: &[usize],
        producer: &Program,
        sizes: &[usize],
        inputs: &[Layout],
        isa: Isa,
    ) -> Reduce {
        assert!(isa <= Isa::best(), "{isa:?} is not there");
        let (producer, dtype) = with_sum_type(kind, producer);
        let strides: Vec<_> = inputs.iter().map(|input| input.broadcast_to(sizes)).collect();
        let order = Order::new(sizes, axes, &strides);
        let walk = order.walked(sizes);
        let feeds: Vec<Feed> =
            strides.iter().map(|strides| Feed::new(&walk, &order.walked(strides))).collect();
        let source = Source::new(&producer, &feeds, isa);
        let size = dtype.size();
        let scratch = Scratch::new(&source, &order, size);
        // Without results it does not matter that some kinds have none for no elements.
        let reduced = if order.outer * order.inner == 0 { 1 } else { order.reduced };
        let method = Method::new(kind, dtype, reduced, isa);
        Reduce { source, order, sizes: sizes.into(), method, size, scratch }
    }

    /// The bytes of scratch that each thread of a run needs.
    pub fn scratch(&self) -> usize {
        self.scratch.bytes
    }

    /// The number of results.
    pub fn len(&self) -> usize {
        self.order.outer * self.order.inner
    }

    /// Whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Computes all results.
    ///
    /// # Errors
    /// A fault of the producer, as [`Lanes::run`](crate::kernels::lanes::Lanes::run) has it; outputs may be half written.
    ///
    /// # Safety
    /// The pointers stand at the first elements of operands of the layouts that the kernel was made for, aligned for
    /// their elements; inputs are readable and hold elements of their types. There is one output, and it overlaps
    /// nothing. `scratch` is aligned to 64 and writable for [`Reduce::scratch`] bytes.
    #[inline]
    pub unsafe fn run(
        &self,
        inputs: &[*const u8],
        outputs: &[*mut u8],
        scratch: *mut u8,
    ) -> Result<()> {
        // SAFETY: as promised.
        unsafe { self.run_range(0..self.len(), inputs, outputs, scratch) }
    }

    /// Computes some results, in row-major order: the share of a thread.
    ///
    /// # Errors
    /// As [`Reduce::run`].
    ///
    /// # Safety
    /// As [`Reduce::run`]; the range lies in `0..len`, and no other thread uses this scratch or computes these results.
    #[inline]
    pub unsafe fn run_range(
        &self,
        range: Range<usize>,
        inputs: &[*const u8],
        outputs: &[*mut u8],
        scratch: *mut u8,
    ) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let run = Run { reduce: self, inputs, output: outputs[0], scratch };
        // SAFETY: as promised.
        unsafe { run.results(range) }.map_err(|fault| self.complaint(fault))
    }

    #[cold]
    fn complaint(&self, fault: Fault) -> Error {
        let mut rest = fault.element;
        let mut index: SmallVec<[usize; 6]> = SmallVec::from_elem(0, self.sizes.len());
        for axis in self.order.axes.iter().rev() {
            index[*axis] = rest % self.sizes[*axis];
            rest /= self.sizes[*axis];
        }
        fault.error(&index)
    }
}

/// The producer with the cast of elements that are summed as another type, and the type of its output.
fn with_sum_type(kind: ReduceKind, producer: &Program) -> (Program, DType) {
    let &[output] = producer.outputs() else {
        panic!("a producer has one output, not {producer:?}")
    };
    let dtype = producer.dtype(output);
    if kind != ReduceKind::Sum || !matches!(dtype, DType::Bool | DType::U8) {
        return (producer.clone(), dtype);
    }
    let mut wide = Program::default();
    let inputs: Vec<Reg> = producer.inputs().iter().map(|dtype| wide.add_input(*dtype)).collect();
    let narrow = wide.inline(producer, &inputs)[0];
    let sum = wide.add(Instr::Cast(narrow), DType::I64);
    wide.add_output(sum);
    (wide, DType::I64)
}

impl Source {
    fn new(producer: &Program, feeds: &[Feed], isa: Isa) -> Source {
        let Reg(output) = producer.outputs()[0];
        match producer.instrs()[output as usize].0 {
            Instr::Input(input) if matches!(feeds[input as usize], Feed::Row) => {
                Source::Memory(input as usize)
            }
            _ => Source::Code(compile(producer, feeds, Outputs::Tiles, isa)),
        }
    }

    /// How many elements there can be at once.
    pub fn reach(&self) -> usize {
        match self {
            Source::Memory(_) => usize::MAX,
            Source::Code(_) => TILE,
        }
    }
}

impl Method {
    fn new(kind: ReduceKind, dtype: DType, reduced: usize, isa: Isa) -> Method {
        let (op, empty) = match kind {
            ReduceKind::Sum => (BinaryOp::Add, Some(0.0)),
            ReduceKind::Prod => (BinaryOp::Mul, Some(1.0)),
            // Integers have no number beyond all others.
            ReduceKind::Max => (BinaryOp::Max, dtype.is_float().then_some(f64::NEG_INFINITY)),
            ReduceKind::Min => (BinaryOp::Min, dtype.is_float().then_some(f64::INFINITY)),
            ReduceKind::Any => (BinaryOp::Or, Some(0.0)),
            ReduceKind::All => (BinaryOp::And, Some(1.0)),
            ReduceKind::ArgMax | ReduceKind::ArgMin => {
                assert_ne!(reduced, 0, "{kind:?} of no elements");
                return Method::Search(search(kind, dtype, isa));
            }
        };
        let combine = Instr::Binary(op, Reg(0), Reg(1));
        let loops = Loops {
            combine: tile::instruction(combine, dtype, dtype, isa),
            copy: tile::copy(dtype, isa),
            size: dtype.size(),
        };
        if reduced == 0 {
            let empty = empty.unwrap_or_else(|| panic!("{kind:?} of no elements"));
            let value = Block::of(Scalar::from_f64(empty, dtype).bits(), dtype.size());
            return Method::Fill { value: Box::new(value), loops };
        }
        Method::Tree { fold: fold(kind, dtype, isa), loops }
    }
}

impl Scratch {
    fn new(source: &Source, order: &Order, size: usize) -> Scratch {
        let (code, tile_size) = match source {
            Source::Memory(_) => (0, 0),
            Source::Code(code) => (code.scratch().next_multiple_of(64), TILE * size),
        };
        let width = WIDTH.min(order.inner);
        let lanes = code + tile_size;
        let pairs = lanes + (LANES * width).max(ROWS) * size;
        Scratch {
            tile: code,
            lanes,
            pairs,
            bytes: pairs + Pairs::levels(order.reduced) * width * size,
        }
    }
}
