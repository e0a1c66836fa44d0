//! Numbers from a generator's state, and the state after them.
//! Knows the state as seed and counter: element `i` is a function of seed, counter and `i` alone.

use super::Real;
use super::law::Law;
use super::philox::LANES;
use crate::error::Result;
use crate::kernels::{lowering, pool};
use crate::types::{DType, Spec};
use crate::value::Layout;

/// Random numbers and the next state, from a generator's state.
///
/// The state is `i64[2]`: the seed, and the number of the first 128-bit block not yet used. A block gives four `f32`
/// or two `f64`, and a draw begins with a new block, so the next counter is larger by a quarter or a half of the
/// count, rounded up.
#[derive(Clone, Debug)]
pub struct Random {
    law: Prepared,
    count: usize,
    /// The distance from the seed to the counter.
    stride: isize,
}

#[derive(Clone, Debug)]
enum Prepared {
    F32(Law<f32>),
    F64(Law<f64>),
}

// A multiple of the elements made at once, large enough that asking for a chunk costs nothing beside it.
const CHUNK: usize = 64 * LANES * 4;

impl Random {
    /// Prepares numbers of the output's type, `f32` or `f64`, from a state that lies like this.
    ///
    /// # Errors
    /// If the parameters make no distribution, or none with a number of that type in it.
    ///
    /// # Panics
    /// If the output is neither, or the state is not `i64[2]`.
    pub fn new(random: lowering::Random, state: &Layout, output: Spec) -> Result<Random> {
        assert_eq!(state.spec, Spec::new(DType::I64, [2]), "the state is seed and counter");
        let law = match output.dtype() {
            DType::F32 => Prepared::F32(Law::new(random.distribution)?),
            DType::F64 => Prepared::F64(Law::new(random.distribution)?),
            other => panic!("random numbers are f32 or f64, found {other}"),
        };
        Ok(Random { law, count: output.sizes().iter().product(), stride: state.strides[0] })
    }

    /// Writes the numbers and the next state.
    ///
    /// # Safety
    /// The only input is a state that lies as prepared; the outputs are row-major numbers and a row-major state, all
    /// aligned to their elements, not overlapping the input or each other.
    ///
    /// # Errors
    /// None; the result is that of every kernel.
    pub unsafe fn run(&self, inputs: &[*const u8], outputs: &[*mut u8]) -> Result<()> {
        let (state, next) = (inputs[0].cast::<i64>(), outputs[1].cast::<i64>());
        // SAFETY: the state's two elements, and as many numbers as prepared, of their type.
        unsafe {
            let state = [state.read(), state.offset(self.stride).read()];
            let counter = match &self.law {
                Prepared::F32(law) => fill(law, state, outputs[0].cast(), self.count),
                Prepared::F64(law) => fill(law, state, outputs[0].cast(), self.count),
            };
            next.write(state[0]);
            next.add(1).write(counter);
        }
        Ok(())
    }
}

/// Some numbers from a state, and the next state, as [`Random`] gives them.
///
/// ```
/// use graphfn::kernels::{Distribution, Random, random::draw};
///
/// let random = Random { distribution: Distribution::Uniform { low: -1.0, high: 1.0 } };
/// let (numbers, next) = draw::<f32>(random, [7, 0], 10)?;
/// assert!(numbers.iter().all(|it| (-1.0..1.0).contains(it)));
/// assert_eq!((numbers.len(), next), (10, [7, 3]));
/// # Ok::<(), graphfn::Error>(())
/// ```
///
/// # Errors
/// If the parameters make no distribution, or none with a number of that type in it.
pub fn draw<T: Real>(
    random: lowering::Random,
    state: [i64; 2],
    count: usize,
) -> Result<(Vec<T>, [i64; 2])> {
    let law = Law::<T>::new(random.distribution)?;
    let mut numbers = vec![T::nearest(0.0); count];
    // SAFETY: the vector has `count` numbers.
    let counter = unsafe { fill(&law, state, numbers.as_mut_ptr(), count) };
    Ok((numbers, [state[0], counter]))
}

/// Writes `count` numbers and gives the next counter.
///
/// # Safety
/// `numbers` points at room for `count` of them.
unsafe fn fill<T: Real>(law: &Law<T>, state: [i64; 2], numbers: *mut T, count: usize) -> i64 {
    // What a number takes on one thread (benches/kernels.rs, `random`).
    let estimated_ns = count as u64
        * match law {
            Law::Uniform { .. } => 2,
            Law::Normal { .. } => 8,
        };
    let [seed, counter] = state.map(i64::cast_unsigned);
    let numbers = Shared(numbers);
    pool::for_chunks(count.div_ceil(CHUNK), estimated_ns, |chunk| {
        let begin = chunk * CHUNK;
        let len = CHUNK.min(count - begin);
        // SAFETY: chunks do not overlap, and each lies within the `count` numbers.
        let elements = unsafe { numbers.part(begin, len) };
        law.fill(seed, counter.wrapping_add((begin / T::PER_BLOCK) as u64), elements);
    });
    counter.wrapping_add(count.div_ceil(T::PER_BLOCK) as u64).cast_signed()
}

/// A place that several threads write different parts of.
#[derive(Clone, Copy)]
struct Shared<T>(*mut T);

// SAFETY: `part` leaves it to its caller that no two threads write the same part.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T: Real> Shared<T> {
    /// # Safety
    /// The part must lie within the place, and nobody else may use it while the slice lives.
    #[expect(clippy::mut_from_ref, reason = "parts do not overlap, as the caller promises")]
    unsafe fn part(&self, begin: usize, len: usize) -> &mut [T] {
        // SAFETY: the caller's promise; numbers of any bits are valid.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(begin), len) }
    }
}
