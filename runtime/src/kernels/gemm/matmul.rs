//! Batches of matrix products over strided operands. Knows which matrices to multiply and where they lie; how a single
//! product is computed, `kernel` knows.

use super::cut::Cut;
use super::direct::Product;
use super::kernel::{Method, Multiply};
use crate::error::Result;
use crate::kernels::moves::Transfer;
use crate::kernels::pool;
use crate::kernels::walk::{Axes, axes};
use crate::types::{DType, Spec};
use crate::value::Layout;
use smallvec::SmallVec;

/// `[.., m, k] x [.., k, n]`, with leading axes broadcast.
///
/// Transposed operands are multiplied where they lie. The bits are the same for any strides and number of threads.
#[derive(Clone, Debug)]
pub struct MatMul {
    dtype: DType,
    method: Method,
    /// Rows, sums and columns of one product.
    sizes: [usize; 3],
    left: Operand,
    right: Operand,
    /// Whether a matrix times a column is computed as that column, lying down, times the transposed matrix.
    is_turned: bool,
    batches: usize,
    /// From one product to the next in the left and the right operand.
    steps: Axes<2>,
    cut: Cut,
    scratch: usize,
}

/// One side of the products.
#[derive(Clone, Debug)]
struct Operand {
    /// The copy that is multiplied, if the input lies in a way that is not; and where in the scratch it stands.
    copy: Option<(Transfer, usize)>,
    /// What is multiplied: the input or its copy.
    layout: Layout,
    /// The steps along the two axes of a matrix.
    steps: [isize; 2],
}

// Copies begin on cache lines of their own.
const ALIGN: usize = 64;

impl MatMul {
    /// Prepares the products of two inputs of rank 2 or more.
    ///
    /// # Panics
    /// If the sizes do not fit together or the elements are `bool`.
    pub fn new(inputs: &[Layout], output: Spec) -> MatMul {
        match output.dtype() {
            DType::F32 => MatMul::of::<f32>(inputs, output),
            DType::F64 => MatMul::of::<f64>(inputs, output),
            DType::I32 => MatMul::of::<i32>(inputs, output),
            DType::I64 => MatMul::of::<i64>(inputs, output),
            DType::U8 => MatMul::of::<u8>(inputs, output),
            DType::Bool => panic!("bool has no product"),
        }
    }

    /// How many bytes the copies of operands need, aligned to 64.
    pub fn scratch(&self) -> usize {
        self.scratch
    }

    /// Multiplies.
    ///
    /// # Safety
    /// The two inputs lie as prepared, aligned to their elements; the only output is row-major, likewise aligned;
    /// `scratch` has as many bytes as asked for, aligned to 64. Output and scratch overlap nothing.
    ///
    /// # Errors
    /// None; the result is that of every kernel.
    pub unsafe fn run(
        &self,
        inputs: &[*const u8],
        outputs: &[*mut u8],
        scratch: *mut u8,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            let left = self.left.ready(inputs[0], scratch);
            let right = self.right.ready(inputs[1], scratch);
            match self.dtype {
                DType::F32 => self.multiply::<f32>(left, right, outputs[0]),
                DType::F64 => self.multiply::<f64>(left, right, outputs[0]),
                DType::I32 => self.multiply::<i32>(left, right, outputs[0]),
                DType::I64 => self.multiply::<i64>(left, right, outputs[0]),
                DType::U8 => self.multiply::<u8>(left, right, outputs[0]),
                DType::Bool => unreachable!("refused by `new`"),
            }
        }
        Ok(())
    }

    fn of<T: Multiply>(inputs: &[Layout], output: Spec) -> MatMul {
        let [a, b] = inputs else { panic!("matmul has 2 inputs") };
        let (batch, [rows, n]) =
            output.sizes().split_last_chunk().expect("matmul has rank 2 or more");
        let k = a.sizes()[a.sizes().len() - 1];
        assert_eq!(b.sizes()[b.sizes().len() - 2..], [k, *n], "the inner sizes agree");
        // With one right matrix for all, the left ones are one tall matrix.
        let is_tall = b.sizes()[..b.sizes().len() - 2].iter().all(|size| *size == 1);
        let batches: usize = batch.iter().product();
        let (m, batches, batch) =
            if is_tall { (batches * rows, 1, [].as_slice()) } else { (*rows, batches, batch) };
        let method = Method::new::<T>(m, k, *n);
        let is_turned = method == Method::Vector && m != 1;
        let mut scratch = 0;
        let left_steps =
            |it: &Layout| if is_tall { tall_steps(it) } else { Some(matrix_steps(it)) };
        let left = Operand::new(a, left_steps, &mut scratch, |[row, along]| match method {
            Method::Vector if is_turned => row == 1 || along == 1,
            Method::Vector => along == 1,
            Method::Direct | Method::Blocked => true,
        });
        let right_steps = |it: &Layout| Some(matrix_steps(it));
        let right = Operand::new(b, right_steps, &mut scratch, |[along, column]| match method {
            Method::Vector if is_turned => along == 1,
            Method::Vector => along == 1 || column == 1,
            Method::Direct => column == 1,
            Method::Blocked => along >= 0,
        });
        let steps = axes(batch, [&left.batch_strides(batch), &right.batch_strides(batch)]);
        let cut = if is_turned { Cut::new(method, 1, k, m) } else { Cut::new(method, m, k, *n) };
        let (dtype, sizes) = (T::DTYPE, [m, k, *n]);
        MatMul { dtype, method, sizes, left, right, is_turned, batches, steps, cut, scratch }
    }

    unsafe fn multiply<T: Multiply>(&self, left: *const u8, right: *const u8, output: *mut u8) {
        let whole = Shared(self.first_product::<T>(left.cast(), right.cast(), output.cast()));
        let kernel = T::kernel(self.method);
        let products = self.batches * self.cut.parts;
        let each_ns = self.part_ns();
        // Small products are handed out by the dozen.
        let together = (CHUNK_NS / each_ns.max(1)).max(1) as usize;
        pool::for_chunks(products.div_ceil(together), each_ns * products as u64, |chunk| {
            let begin = chunk * together;
            for at in begin..products.min(begin + together) {
                let (batch, part) = (at / self.cut.parts, at % self.cut.parts);
                let product = self.cut.part(self.product(whole.get(), batch), part);
                // SAFETY: the product lies within the operands and the output, its operands lie as its method wants,
                // and no two products write the same elements.
                unsafe { kernel(product) };
            }
        });
    }

    fn first_product<T>(&self, left: *const T, right: *const T, output: *mut T) -> Product<T> {
        let [m, k, n] = self.sizes;
        let [row, along] = self.left.steps;
        if self.is_turned {
            let a_steps = [1, self.right.steps[0]];
            let (a, b, b_steps) = (right, left, [along, row]);
            return Product { m: 1, k, n: m, a, a_steps, b, b_steps, c: output, c_row: 1 };
        }
        let (a_steps, b_steps, c_row) = ([row, along], self.right.steps, n.cast_signed());
        Product { m, k, n, a: left, a_steps, b: right, b_steps, c: output, c_row }
    }

    /// The product of a batch, from that of the first.
    fn product<T>(&self, first: Product<T>, batch: usize) -> Product<T> {
        let (mut left, mut right, mut rest) = (0, 0, batch);
        for axis in self.steps.iter().rev() {
            let at = (rest % axis.size.max(1)).cast_signed();
            left += at * axis.strides[0];
            right += at * axis.strides[1];
            rest /= axis.size.max(1);
        }
        let (a, b) = if self.is_turned { (right, left) } else { (left, right) };
        Product {
            a: first.a.wrapping_offset(a),
            b: first.b.wrapping_offset(b),
            c: first.c.wrapping_add(batch * self.sizes[0] * self.sizes[2]),
            ..first
        }
    }

    /// About how long a part of a product takes on one thread.
    fn part_ns(&self) -> u64 {
        let products_per_ns = match self.method {
            Method::Vector => 4,
            Method::Direct => 16,
            Method::Blocked => 40,
        };
        let work: usize = self.sizes.iter().product();
        // A call takes some time even for nothing.
        10 + (work / self.cut.parts / products_per_ns) as u64
    }
}

// A chunk of small products takes about this long, so that asking for one costs nothing beside it.
const CHUNK_NS: u64 = 2_000;

impl Operand {
    /// The input itself if its matrices have steps, and steps that fit; else a row-major copy, whose steps always do.
    fn new(
        input: &Layout,
        steps: impl Fn(&Layout) -> Option<[isize; 2]>,
        scratch: &mut usize,
        fits: impl Fn([isize; 2]) -> bool,
    ) -> Operand {
        if let Some(steps) = steps(input).filter(|steps| fits(*steps)) {
            return Operand { copy: None, layout: input.clone(), steps };
        }
        let layout = Layout::row_major(input.spec);
        let steps = steps(&layout).expect("row-major matrices are one tall matrix");
        let element = input.dtype().size();
        let transfer = Transfer::new(element, input.sizes(), &input.strides, &layout.strides);
        let at = *scratch;
        let bytes = input.sizes().iter().product::<usize>() * element;
        *scratch += bytes.next_multiple_of(ALIGN);
        Operand { copy: Some((transfer, at)), layout, steps }
    }

    /// The distances from matrix to matrix along the axes of a batch.
    fn batch_strides(&self, batch: &[usize]) -> SmallVec<[isize; 6]> {
        if batch.is_empty() {
            // With one product, that of a tall matrix too, there is nowhere to go.
            return SmallVec::new();
        }
        let matrix = &self.layout.sizes()[self.layout.sizes().len() - 2..];
        let mut strides = self.layout.broadcast_to(&[batch, matrix].concat());
        strides.truncate(batch.len());
        strides
    }

    /// Where to multiply from: the input, or its copy, made now.
    unsafe fn ready(&self, input: *const u8, scratch: *mut u8) -> *const u8 {
        let Some((transfer, at)) = &self.copy else { return input };
        let target = scratch.wrapping_add(*at);
        // SAFETY: the caller's promise; the copy has its own bytes of the scratch.
        unsafe { transfer.run(input, target) };
        target
    }
}

/// The steps of the last two axes; 1 along an axis that is not stepped along.
fn matrix_steps(layout: &Layout) -> [isize; 2] {
    let sizes = layout.sizes().last_chunk::<2>().expect("matmul has rank 2 or more");
    let steps = layout.strides.last_chunk::<2>().expect("a stride for each size");
    std::array::from_fn(|axis| if sizes[axis] > 1 { steps[axis] } else { 1 })
}

/// The steps of all matrices seen as one, if the rows of each follow those of the one before.
fn tall_steps(layout: &Layout) -> Option<[isize; 2]> {
    let last = layout.sizes().len() - 1;
    let rows = axes(&layout.sizes()[..last], [&layout.strides[..last]]);
    (rows.len() == 1).then(|| [rows[0].strides[0], matrix_steps(layout)[1]])
}

/// A product whose parts several threads compute.
struct Shared<T>(Product<T>);

// SAFETY: operands are only read, and parts of the output that different threads write do not overlap.
unsafe impl<T: Sync + Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// The product; a method, so that closures hold the whole and not its pointers, which are not shared.
    fn get(&self) -> Product<T>
    where
        T: Copy,
    {
        self.0
    }
}
