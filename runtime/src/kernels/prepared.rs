//! A kernel of the closed set, made ready for operands of given layouts. Knows each kernel's constructor, and no memory.

use super::gather::{Gather, Scatter};
use super::gemm::MatMul;
use super::lanes::{Lanes, Program};
use super::moves::{Concat, Copy, Iota, Pad};
use super::random::Random;
use super::reduce::Reduce;
use super::{Kernel, Lowering, ReduceKind};
use crate::error::{Error, ErrorKind, Result};
use crate::types::{DType, Spec};
use crate::value::{Buffer, Layout, Value};
use smallvec::SmallVec;

/// A kernel that waits for memory only.
pub enum Prepared {
    /// An element-wise program.
    Lanes(Lanes),
    /// A copy in row-major order.
    Copy(Copy),
    /// A concatenation.
    Concat(Concat),
    /// A border.
    Pad(Pad),
    /// A count.
    Iota(Iota),
    /// A choice by indices.
    Gather(Gather),
    /// Updates by indices.
    Scatter(Scatter),
    /// A reduction, perhaps of what an element-wise program makes.
    Reduce(Reduce),
    /// A matrix product.
    MatMul(MatMul),
    /// Random numbers.
    Random(Random),
}

impl Prepared {
    /// Makes a kernel ready; a view is prepared as the copy of its elements, and the input's layout is that of the view.
    ///
    /// # Errors
    /// What only sizes tell, such as a reflected border wider than the input.
    ///
    /// # Panics
    /// If an op asks for a kernel that its inputs do not fit: a bug of that op. A custom kernel is not prepared.
    pub fn new(lowering: &Lowering, inputs: &[Layout], outputs: &[Spec]) -> Result<Prepared> {
        Ok(match lowering {
            Lowering::Lanes(program) => {
                Prepared::Lanes(Lanes::new(program, outputs[0].sizes(), inputs))
            }
            Lowering::Reduce { kind, axes } => {
                let producer = identity(inputs[0].dtype());
                Prepared::reduce(*kind, axes, &producer, inputs[0].sizes(), inputs)
            }
            Lowering::View(_) => Prepared::Copy(Copy::new(&inputs[0])),
            Lowering::MatMul => Prepared::MatMul(MatMul::new(inputs, outputs[0])),
            Lowering::Concat { axis } => Prepared::Concat(Concat::new(*axis, inputs, outputs[0])),
            Lowering::Pad(pad) => Prepared::Pad(Pad::new(pad, &inputs[0], outputs[0])?),
            Lowering::Gather(gather) => Prepared::Gather(Gather::new(*gather, inputs, outputs[0])),
            Lowering::Scatter { gather, meet } => {
                Prepared::Scatter(Scatter::new(*gather, *meet, inputs, outputs[0]))
            }
            Lowering::Iota { axis } => Prepared::Iota(Iota::new(*axis, outputs[0])),
            Lowering::Random(random) => {
                Prepared::Random(Random::new(*random, &inputs[0], outputs[0])?)
            }
            Lowering::Custom(kernel) => {
                panic!("{kernel:?} runs on whole values and is not prepared")
            }
        })
    }

    /// A reduction of what a program makes over a domain of these sizes.
    pub fn reduce(
        kind: ReduceKind,
        axes: &[usize],
        producer: &Program,
        sizes: &[usize],
        inputs: &[Layout],
    ) -> Prepared {
        Prepared::Reduce(Reduce::new(kind, axes, producer, sizes, inputs))
    }

    /// The bytes of scratch that a run needs.
    pub fn scratch(&self) -> usize {
        match self {
            Prepared::Lanes(it) => it.scratch(),
            Prepared::Reduce(it) => it.scratch(),
            Prepared::MatMul(it) => it.scratch(),
            _ => 0,
        }
    }

    /// Computes the outputs.
    ///
    /// # Errors
    /// What the data make fail.
    ///
    /// # Safety
    /// The pointers stand at the first elements of operands of the layouts that the kernel was made for, aligned for
    /// their elements; outputs are in row-major order, writable, and overlap nothing, but that an element-wise kernel
    /// may write where it reads the same elements. `scratch` is aligned to 64 and has the bytes asked for.
    #[inline]
    pub unsafe fn run(
        &self,
        inputs: &[*const u8],
        outputs: &[*mut u8],
        scratch: *mut u8,
    ) -> Result<()> {
        // SAFETY: as promised.
        unsafe {
            match self {
                Prepared::Lanes(it) => it.run(inputs, outputs, scratch),
                Prepared::Reduce(it) => it.run(inputs, outputs, scratch),
                Prepared::Copy(it) => it.run(inputs, outputs),
                Prepared::Concat(it) => it.run(inputs, outputs),
                Prepared::Pad(it) => it.run(inputs, outputs),
                Prepared::Iota(it) => it.run(inputs, outputs),
                Prepared::Gather(it) => it.run(inputs, outputs),
                Prepared::Scatter(it) => it.run(inputs, outputs),
                Prepared::MatMul(it) => it.run(inputs, outputs, scratch),
                Prepared::Random(it) => it.run(inputs, outputs),
            }
        }
    }
}

/// The program that gives its input.
pub fn identity(dtype: DType) -> Program {
    Program::build(&[dtype], |x| vec![x[0]])
}

/// Runs what an op asks for on values, at once.
///
/// # Errors
/// What the data make fail.
pub fn run_lowering(
    lowering: &Lowering,
    inputs: &[&Value],
    outputs: &[Spec],
) -> Result<SmallVec<[Value; 1]>> {
    if let Lowering::View(view) = lowering
        && let Some(viewed) = inputs[0].viewed(view, outputs[0])
    {
        return Ok(SmallVec::from_iter([viewed]));
    }
    if let Lowering::Custom(kernel) = lowering {
        let inputs: Vec<Value> = inputs.iter().map(|&value| value.clone()).collect();
        let made = run_custom(&**kernel, &inputs, outputs)?;
        return Ok(made.into_iter().map(|it| it.to_row_major()).collect());
    }
    let layouts: SmallVec<[Layout; 4]> = inputs.iter().map(|value| value.layout()).collect();
    // SAFETY: the kernel is made for the layouts of these inputs.
    unsafe { run_on(&Prepared::new(lowering, &layouts, outputs)?, inputs, outputs) }
}

/// Runs a custom kernel, and checks that it gives what its op inferred.
///
/// # Errors
/// What the kernel refuses; if it gives anything else.
pub fn run_custom(kernel: &dyn Kernel, inputs: &[Value], outputs: &[Spec]) -> Result<Vec<Value>> {
    let made = kernel.run(inputs)?;
    let found: SmallVec<[Spec; 2]> = made.iter().map(Value::spec).collect();
    if found[..] == *outputs {
        return Ok(made);
    }
    let message = format!("a kernel gives {:?}, and its op infers {outputs:?}", &found[..]);
    Err(Error::new(ErrorKind::Value, message)
        .with_help("let `Kernel::run` give what `Op::infer` promises"))
}

/// A kernel for row-major values of some specs: made once, run on any of them.
pub struct Alone {
    kernel: Prepared,
    inputs: SmallVec<[Spec; 4]>,
    outputs: SmallVec<[Spec; 1]>,
}

impl Alone {
    /// Makes a kernel ready for row-major inputs.
    ///
    /// # Errors
    /// As [`Prepared::new`].
    pub fn new(lowering: &Lowering, inputs: &[Spec], outputs: &[Spec]) -> Result<Alone> {
        let layouts: SmallVec<[Layout; 4]> =
            inputs.iter().map(|spec| Layout::row_major(*spec)).collect();
        let kernel = Prepared::new(lowering, &layouts, outputs)?;
        Ok(Alone { kernel, inputs: inputs.into(), outputs: outputs.into() })
    }

    /// Runs on values, if they are all in row-major order.
    ///
    /// # Panics
    /// If they are not of the kernel's specs.
    #[inline]
    pub fn run(&self, inputs: &[&Value]) -> Option<Result<SmallVec<[Value; 1]>>> {
        assert!(
            inputs.iter().map(|it| it.spec()).eq(self.inputs.iter().copied()),
            "the kernel takes {:?}",
            self.inputs
        );
        if !inputs.iter().all(|it| it.is_row_major()) {
            return None;
        }
        // SAFETY: the inputs have the kernel's specs and are in row-major order.
        Some(unsafe { run_on(&self.kernel, inputs, &self.outputs) })
    }
}

/// Runs a kernel on values, into new ones.
///
/// # Safety
/// The inputs have the layouts that the kernel was made for, and it was made for these outputs.
unsafe fn run_on(
    kernel: &Prepared,
    inputs: &[&Value],
    outputs: &[Spec],
) -> Result<SmallVec<[Value; 1]>> {
    let mut made: SmallVec<[Value; 1]> = outputs.iter().map(|spec| Value::uninit(*spec)).collect();
    let reads: SmallVec<[*const u8; 4]> = inputs.iter().map(|value| value.as_ptr()).collect();
    let writes: SmallVec<[*mut u8; 1]> = made
        .iter_mut()
        .map(|value| value.buffer_mut().unshared_mut().expect("a new buffer is unshared"))
        .collect();
    SCRATCH.with_borrow_mut(|scratch| {
        let scratch = scratch.at_least(kernel.scratch());
        // SAFETY: reads stand at the first elements of values of the kernel's layouts; writes are new row-major buffers
        // of the outputs' sizes; the scratch is aligned to 64 and as large as asked.
        unsafe { kernel.run(&reads, &writes, scratch) }
    })?;
    Ok(made)
}

/// Memory for tiles, kept by a thread.
#[derive(Default)]
struct Scratch(Option<Buffer>);

impl Scratch {
    fn at_least(&mut self, bytes: usize) -> *mut u8 {
        if self.0.as_ref().is_none_or(|it| it.len() < bytes) {
            self.0 = Some(Buffer::uninit(bytes.next_power_of_two()));
        }
        self.0.as_mut().and_then(Buffer::unshared_mut).expect("the thread's scratch is its own")
    }
}

thread_local! {
    static SCRATCH: std::cell::RefCell<Scratch> = const { std::cell::RefCell::new(Scratch(None)) };
}
