//! Operands of tests: elements in memory under some layout, and a run over them compared with the reference.
//! Knows no instruction.

use super::reference;
use crate::kernels::Isa;
use crate::kernels::lanes::{Lanes, Program, Scalar};
use crate::types::{DType, Spec};
use crate::value::Layout;

/// Elements in memory, and how they are looked at.
pub struct Operand {
    /// Words, which are aligned for any element.
    words: Vec<u64>,
    pub layout: Layout,
    /// The place of the first element.
    first: usize,
}

impl Operand {
    /// The elements that a function of the place in memory gives, under strides that may be 0 or negative.
    pub fn new(
        dtype: DType,
        sizes: &[usize],
        strides: &[isize],
        element: impl Fn(usize) -> Scalar,
    ) -> Operand {
        let reach = |sign: isize| {
            let axes = sizes.iter().zip(strides).filter(|(size, _)| **size > 0);
            axes.map(|(size, stride)| (stride * sign).max(0) * (*size as isize - 1)).sum::<isize>()
                as usize
        };
        let (first, after) = (reach(-1), reach(1));
        let mut words = vec![0u64; ((first + after + 1) * dtype.size()).div_ceil(8)];
        let bytes = words.as_mut_ptr().cast::<u8>();
        for i in 0..=first + after {
            let bits = element(i).bits().to_ne_bytes();
            // SAFETY: the words hold as many elements.
            unsafe {
                bytes.add(i * dtype.size()).copy_from_nonoverlapping(bits.as_ptr(), dtype.size())
            };
        }
        Operand {
            words,
            layout: Layout { spec: Spec::new(dtype, sizes), strides: strides.into() },
            first,
        }
    }

    /// A row-major operand.
    pub fn row(dtype: DType, sizes: &[usize], element: impl Fn(usize) -> Scalar) -> Operand {
        let strides = Layout::row_major(Spec::new(dtype, sizes)).strides;
        Operand::new(dtype, sizes, &strides, element)
    }

    pub fn pointer(&self) -> *const u8 {
        self.words.as_ptr().cast::<u8>().wrapping_add(self.first * self.layout.dtype().size())
    }

    pub fn pointer_mut(&mut self) -> *mut u8 {
        self.words.as_mut_ptr().cast::<u8>().wrapping_add(self.first * self.layout.dtype().size())
    }

    /// The element at the `i`th index of a row-major walk over sizes that it is broadcast to.
    pub fn element(&self, sizes: &[usize], i: usize) -> Scalar {
        let (mut rest, mut offset) = (i, 0);
        for (size, stride) in sizes.iter().zip(self.layout.broadcast_to(sizes)).rev() {
            offset += stride * (rest % size) as isize;
            rest /= size;
        }
        // SAFETY: the layout reaches elements of this operand alone.
        unsafe {
            let at = self.pointer().offset(offset * self.layout.dtype().size() as isize);
            match self.layout.dtype() {
                DType::F32 => Scalar::F32(at.cast::<f32>().read()),
                DType::F64 => Scalar::F64(at.cast::<f64>().read()),
                DType::I32 => Scalar::I32(at.cast::<i32>().read()),
                DType::I64 => Scalar::I64(at.cast::<i64>().read()),
                DType::U8 => Scalar::U8(at.read()),
                DType::Bool => Scalar::Bool(at.read() != 0),
            }
        }
    }
}

/// Memory aligned to 64, full of rubbish.
pub struct Scratch(Vec<Line>);

#[derive(Clone)]
#[repr(align(64))]
struct Line {
    _rubbish: [u64; 8],
}

impl Scratch {
    pub fn new(bytes: usize) -> Scratch {
        Scratch(vec![Line { _rubbish: [0xdead_beef_7fc0_1234; 8] }; bytes.div_ceil(64)])
    }

    pub fn pointer(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

/// Runs a program on an instruction set, into new outputs.
pub fn run(
    program: &Program,
    sizes: &[usize],
    inputs: &[&Operand],
    isa: Isa,
) -> crate::Result<Vec<Operand>> {
    let layouts: Vec<Layout> = inputs.iter().map(|it| it.layout.clone()).collect();
    let lanes = Lanes::with_isa(program, sizes, &layouts, isa);
    let mut outputs: Vec<Operand> = program
        .outputs()
        .iter()
        .map(|reg| Operand::row(program.dtype(*reg), sizes, |_| Scalar::U8(1)))
        .collect();
    let sources: Vec<*const u8> = inputs.iter().map(|it| it.pointer()).collect();
    let targets: Vec<*mut u8> = outputs.iter_mut().map(Operand::pointer_mut).collect();
    // SAFETY: the operands have the layouts that the kernel was made for.
    unsafe { lanes.run(&sources, &targets, Scratch::new(lanes.scratch()).pointer()) }?;
    Ok(outputs)
}

/// Runs a program on all instruction sets, and compares each element with the reference.
pub fn check(program: &Program, sizes: &[usize], inputs: &[&Operand]) {
    for isa in Isa::available() {
        let outputs = run(program, sizes, inputs, isa).unwrap();
        compare(program, sizes, inputs, &outputs, &format!("{isa:?}"));
    }
}

/// Compares the elements of outputs with the reference; NaN equals NaN.
pub fn compare(
    program: &Program,
    sizes: &[usize],
    inputs: &[&Operand],
    outputs: &[Operand],
    what: &str,
) {
    for i in 0..sizes.iter().product() {
        let elements: Vec<Scalar> = inputs.iter().map(|it| it.element(sizes, i)).collect();
        for (wanted, output) in reference::evaluate(program, &elements).into_iter().zip(outputs) {
            let found = output.element(sizes, i);
            let equal = found == wanted || (is_nan(found) && is_nan(wanted));
            assert!(
                equal,
                "{what}, element {i} of {sizes:?}, {elements:?}: {found:?}, not {wanted:?}, in\n{program:?}"
            );
        }
    }
}

fn is_nan(scalar: Scalar) -> bool {
    match scalar {
        Scalar::F32(it) => it.is_nan(),
        Scalar::F64(it) => it.is_nan(),
        _ => false,
    }
}
