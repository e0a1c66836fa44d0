//! Whether a kernel makes what its op inferred. Knows what each kernel makes of what, and no bytes.
//!
//! Kernels write as much as their operands say: what an op asks for is checked here before any kernel is made.

use super::gather::picked_sizes;
use super::lanes::{BinaryOp, Instr, Program, Reg, tile};
use super::lowering::{Gather, Lowering, Meet, Pad, PadMode, ReduceKind, View};
use super::view::stays_within;
use crate::types::{DType, Spec};
use smallvec::{SmallVec, smallvec};
use std::fmt;

type Sizes = SmallVec<[usize; 6]>;

/// What a kernel makes.
#[derive(PartialEq)]
struct Made(DType, Sizes);

impl Made {
    fn of(spec: Spec) -> Made {
        Made(spec.dtype(), spec.sizes().into())
    }
}

/// As a spec prints.
impl fmt::Debug for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.0.rust_name(), self.1)
    }
}

type Answer = Result<SmallVec<[Made; 1]>, String>;

impl Lowering {
    /// Checks that the kernel takes these inputs and makes these outputs, all of known sizes. What a custom kernel makes,
    /// only its runs tell.
    ///
    /// # Errors
    /// What it does instead: the end of a sentence about the op.
    pub fn check(&self, inputs: &[Spec], outputs: &[Spec]) -> Result<(), String> {
        if let Some(huge) = outputs.iter().find(|it| it.bytes().is_none()) {
            return Err(format!("makes {huge}, which has more bytes than there are addresses"));
        }
        if matches!(self, Lowering::Custom(_)) {
            return Ok(());
        }
        let reads = self.reads(inputs.len());
        let made = match inputs.get(..reads) {
            Some(read) => self.made(read, outputs),
            None => Err(format!("a kernel of {reads} inputs")),
        };
        let made = made.map_err(|what| format!("lowers to {what}, and is given {inputs:?}"))?;
        if made.len() == outputs.len() && made.iter().zip(outputs).all(|(a, b)| *a == Made::of(*b))
        {
            return Ok(());
        }
        Err(format!("infers {outputs:?}, and lowers to a kernel that makes {made:?}"))
    }

    /// What the kernel makes of inputs; where it is made in any sizes, in those of the outputs.
    fn made(&self, inputs: &[Spec], outputs: &[Spec]) -> Answer {
        let first = *outputs.first().ok_or("a kernel, which has an output")?;
        let one = match (self, inputs) {
            (Lowering::Lanes(program), _) => return lanes(program, inputs, first),
            (Lowering::Random(_), [state]) => return random(*state, first),
            (Lowering::Reduce { kind, axes }, [input]) => reduced(*kind, axes, *input, first)?,
            (Lowering::View(view), [input]) => viewed(view, *input, first)?,
            (Lowering::MatMul, [a, b]) => product(*a, *b)?,
            (Lowering::Concat { axis }, _) => joined(*axis, inputs)?,
            (Lowering::Pad(pad), [input]) => padded(pad, *input)?,
            (Lowering::Gather(gather), [table, indices]) => {
                picked(*gather, *table, *indices, first)?
            }
            (Lowering::Scatter { gather, meet }, [base, indices, updates]) => {
                put(*gather, *meet, *base, *indices, *updates)?
            }
            (Lowering::Iota { axis }, _) if *axis < first.rank() => Made::of(first),
            (Lowering::Iota { axis }, _) => return Err(format!("a count along axis {axis}")),
            _ => unreachable!("a kernel is given what it reads, and a custom one is not asked"),
        };
        Ok(smallvec![one])
    }
}

fn lanes(program: &Program, inputs: &[Spec], domain: Spec) -> Answer {
    program.check().map_err(|line| format!("a program with the unsound line `{line}`"))?;
    if !program.inputs().iter().copied().eq(inputs.iter().map(|it| it.dtype())) {
        return Err(format!("a program of {:?}", program.inputs()));
    }
    if let Some(input) = inputs.iter().find(|it| !broadcasts(it.sizes(), domain.sizes())) {
        return Err(format!(
            "a program over {:?}, to which {input:?} does not broadcast",
            domain.sizes()
        ));
    }
    let made = |reg: &Reg| Made(program.dtype(*reg), domain.sizes().into());
    Ok(program.outputs().iter().map(made).collect())
}

fn broadcasts(from: &[usize], to: &[usize]) -> bool {
    let aligned = from.iter().rev().zip(to.iter().rev());
    from.len() <= to.len() && aligned.into_iter().all(|(own, size)| own == size || *own == 1)
}

fn random(state: Spec, numbers: Spec) -> Answer {
    let wanted = Made(DType::I64, smallvec![2]);
    if Made::of(state) != wanted || !numbers.dtype().is_float() {
        return Err(format!("floats drawn from {wanted:?}"));
    }
    Ok(smallvec![Made::of(numbers), wanted])
}

fn reduced(kind: ReduceKind, axes: &[usize], input: Spec, output: Spec) -> Result<Made, String> {
    let sizes = input.sizes();
    let (dtype, is_taken) = reduced_type(kind, input.dtype());
    let len =
        |axes: &mut dyn Iterator<Item = usize>| axes.map(|axis| sizes[axis]).product::<usize>();
    let is_known = axes.is_sorted_by(|a, b| a < b) && axes.iter().all(|axis| *axis < sizes.len());
    let is_index = matches!(kind, ReduceKind::ArgMax | ReduceKind::ArgMin);
    if !is_taken || !is_known || is_index && axes.len() != 1 {
        return Err(format!("a reduction by {kind:?} over axes {axes:?}"));
    }
    let mut kept = (0..sizes.len()).filter(|axis| !axes.contains(axis));
    let left: Sizes = kept.clone().map(|axis| sizes[axis]).collect();
    let has_empty = match kind {
        ReduceKind::Max | ReduceKind::Min => dtype.is_float() || dtype == DType::Bool,
        _ => !is_index,
    };
    if !has_empty && len(&mut axes.iter().copied()) == 0 && len(&mut kept) > 0 {
        return Err(format!("a reduction by {kind:?} of no elements"));
    }
    // An axis that goes away may stay, with one element.
    let without_ones =
        |sizes: &[usize]| sizes.iter().copied().filter(|it| *it != 1).collect::<Sizes>();
    let is_left = without_ones(&left) == without_ones(output.sizes());
    Ok(Made(dtype, if is_left { output.sizes().into() } else { left }))
}

/// The type of what a reduction makes, and whether it takes such elements.
fn reduced_type(kind: ReduceKind, dtype: DType) -> (DType, bool) {
    let (op, of) = match kind {
        ReduceKind::ArgMax | ReduceKind::ArgMin => return (DType::I64, true),
        ReduceKind::Sum if matches!(dtype, DType::Bool | DType::U8) => (BinaryOp::Add, DType::I64),
        ReduceKind::Sum => (BinaryOp::Add, dtype),
        ReduceKind::Prod => (BinaryOp::Mul, dtype),
        ReduceKind::Max => (BinaryOp::Max, dtype),
        ReduceKind::Min => (BinaryOp::Min, dtype),
        ReduceKind::Any => (BinaryOp::Or, dtype),
        ReduceKind::All => (BinaryOp::And, dtype),
    };
    (of, tile::computes(Instr::Binary(op, Reg(0), Reg(1)), of, of))
}

fn viewed(view: &View, input: Spec, output: Spec) -> Result<Made, String> {
    let is_possible = match view {
        View::Reshape => input.len().is_some() && input.len() == output.len(),
        View::Strided { starts, axes } => stays_within(starts, axes, input.sizes(), output.sizes()),
    };
    if is_possible {
        return Ok(Made(input.dtype(), output.sizes().into()));
    }
    Err(format!("a view with elements of {:?} that it does not reach", output.sizes()))
}

fn product(a: Spec, b: Spec) -> Result<Made, String> {
    let refused = || "a matrix product".to_string();
    let (left, [m, k]) = a.sizes().split_last_chunk().ok_or_else(refused)?;
    let (right, [inner, n]) = b.sizes().split_last_chunk().ok_or_else(refused)?;
    if a.dtype() != b.dtype() || a.dtype() == DType::Bool || k != inner {
        return Err(refused());
    }
    let rank = left.len().max(right.len());
    let size = |of: &[usize], axis: usize| match (axis + of.len()).checked_sub(rank) {
        Some(axis) => of[axis],
        None => 1,
    };
    let mut sizes = Sizes::new();
    for axis in 0..rank {
        sizes.push(match (size(left, axis), size(right, axis)) {
            (a, b) if a == b || b == 1 => a,
            (1, b) => b,
            _ => return Err(refused()),
        });
    }
    sizes.extend([*m, *n]);
    Ok(Made(a.dtype(), sizes))
}

fn joined(axis: usize, inputs: &[Spec]) -> Result<Made, String> {
    let refused = || format!("a concatenation along axis {axis}");
    let first = *inputs.first().ok_or_else(refused)?;
    let mut sizes: Sizes = first.sizes().into();
    let mut total = 0usize;
    for input in inputs {
        let is_like = |at: usize| at == axis || input.sizes()[at] == sizes[at];
        let fits = input.dtype() == first.dtype()
            && input.rank() == sizes.len()
            && axis < sizes.len()
            && (0..sizes.len()).all(is_like);
        let longer = fits.then(|| total.checked_add(input.sizes()[axis])).flatten();
        total = longer.ok_or_else(refused)?;
    }
    sizes[axis] = total;
    Ok(Made(first.dtype(), sizes))
}

fn padded(pad: &Pad, input: Spec) -> Result<Made, String> {
    let refused = || format!("a border of {:?}", pad.widths.as_slice());
    let is_typed = match pad.mode {
        PadMode::Constant(constant) => constant.dtype() == input.dtype(),
        PadMode::Reflect | PadMode::Edge => true,
    };
    if !is_typed || pad.widths.len() != input.rank() {
        return Err(refused());
    }
    let sizes = pad.widths.iter().zip(input.sizes());
    let wider = |((before, after), size): (&(usize, usize), &usize)| {
        size.checked_add(*before)?.checked_add(*after)
    };
    Ok(Made(input.dtype(), sizes.map(wider).collect::<Option<_>>().ok_or_else(refused)?))
}

fn picked(gather: Gather, table: Spec, indices: Spec, output: Spec) -> Result<Made, String> {
    let sizes = picked_sizes(gather, table.sizes(), indices.sizes(), output.sizes());
    match sizes.filter(|_| are_indices(indices)) {
        Some(sizes) => Ok(Made(table.dtype(), sizes)),
        None => Err(format!("a choice by {gather:?}")),
    }
}

fn put(
    gather: Gather,
    meet: Meet,
    base: Spec,
    indices: Spec,
    updates: Spec,
) -> Result<Made, String> {
    let sizes = picked_sizes(gather, base.sizes(), indices.sizes(), updates.sizes());
    let fits = sizes.is_some_and(|sizes| sizes[..] == *updates.sizes())
        && are_indices(indices)
        && base.dtype() == updates.dtype()
        && (base.dtype(), meet) != (DType::Bool, Meet::Add);
    if fits { Ok(Made::of(base)) } else { Err(format!("updates by {gather:?}")) }
}

fn are_indices(spec: Spec) -> bool {
    matches!(spec.dtype(), DType::I32 | DType::I64)
}
