//! The code for one product: chosen by its sizes, and by what this processor can do.
//! Knows nothing of batches, or of where operands come from.

use super::direct::{self, Product};
use super::simd::{Number, Plain};
use super::vector;
use crate::kernels::Isa;
use crate::types::Element;

/// A function that multiplies.
///
/// # Safety
/// As for `direct::multiply` or `vector::multiply`, whichever it does.
pub(super) type Kernel<T> = unsafe fn(Product<T>);

/// How a product is computed. A function of sizes alone, so that strides cannot change the order of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Of a vector and a matrix.
    Vector,
    /// In registers, without copies.
    Direct,
    /// By the crate `gemm`, in packed blocks that fit the caches.
    Blocked,
}

// Below these the crate `gemm` takes longer than `direct` (benches/kernels.rs, `matmul`). It also takes other paths
// by the strides of its operands, with other sums, where the output has up to 256 elements or one row or column.
const BLOCKED_WORK: usize = 1_500_000;
const BLOCKED_OUTPUT: usize = 256;
const BLOCKED_DEPTH: usize = 2;

/// A number that matrices are multiplied of.
pub(super) trait Multiply: Number + Element {
    /// Whether there is blocked code for it.
    const HAS_BLOCKED: bool;

    /// The code for a method.
    fn kernel(method: Method) -> Kernel<Self>;
}

impl Method {
    /// The method for these sizes.
    pub(super) fn new<T: Multiply>(m: usize, k: usize, n: usize) -> Method {
        if m == 1 || n == 1 {
            return Method::Vector;
        }
        let large = m * n > BLOCKED_OUTPUT && k > BLOCKED_DEPTH && m * k * n > BLOCKED_WORK;
        if T::HAS_BLOCKED && large { Method::Blocked } else { Method::Direct }
    }
}

macro_rules! floats {
    ($($number:ty),*) => {$(
        impl Multiply for $number {
            const HAS_BLOCKED: bool = true;

            fn kernel(method: Method) -> Kernel<Self> {
                match (method, Isa::best()) {
                    (Method::Blocked, _) => blocked::<$number>,
                    #[cfg(target_arch = "x86_64")]
                    (Method::Vector, Isa::Avx512) => x86::vector_avx512::<$number>,
                    #[cfg(target_arch = "x86_64")]
                    (Method::Direct, Isa::Avx512) => x86::direct_avx512::<$number>,
                    #[cfg(target_arch = "x86_64")]
                    (Method::Vector, Isa::Avx2) => x86::vector_avx2::<$number>,
                    #[cfg(target_arch = "x86_64")]
                    (Method::Direct, Isa::Avx2) => x86::direct_avx2::<$number>,
                    (Method::Vector, _) => vector::multiply::<Plain<$number>>,
                    (Method::Direct, _) => direct::multiply::<Plain<$number>>,
                }
            }
        }

        impl One for $number {
            const ONE: Self = 1.0;
        }
    )*};
}
floats!(f32, f64);

macro_rules! integers {
    ($($number:ty),*) => {$(
        impl Multiply for $number {
            const HAS_BLOCKED: bool = false;

            fn kernel(method: Method) -> Kernel<Self> {
                match method {
                    Method::Vector => vector::multiply::<Plain<$number>>,
                    Method::Direct => direct::multiply::<Plain<$number>>,
                    Method::Blocked => unreachable!("integers have no blocked code"),
                }
            }
        }
    )*};
}
integers!(i32, i64, u8);

/// The neutral factor of the scales that `gemm` takes.
trait One: Number {
    const ONE: Self;
}

/// Multiplies by the crate `gemm`. Steps may be anything, but that of `b` along `k` not negative: `gemm` would turn
/// the order of the sum round.
///
/// It takes its packing space from the allocator, the one place where running a plan allocates.
unsafe fn blocked<T: One>(product: Product<T>) {
    let Product { m, k, n, a, a_steps: [a_row, a_k], b, b_steps: [b_k, b_column], c, c_row } =
        product;
    debug_assert!(b_k >= 0);
    let serial = gemm::Parallelism::None;
    // SAFETY: the caller's promise; the output is not read (the `false` after it).
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c,
            1,
            c_row,
            false,
            a,
            a_k,
            a_row,
            b,
            b_column,
            b_k,
            T::ZERO,
            T::ONE,
            false,
            false,
            false,
            serial,
        );
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    //! The same code once more for each instruction set. Knows only how to ask the compiler for it.

    use super::super::simd::Family;
    use super::super::simd::x86::{Avx2, Avx512};
    use super::{Product, direct, vector};

    macro_rules! compiled {
        ($($name:ident = $module:ident for $family:ident: $features:literal;)*) => {$(
            #[target_feature(enable = $features)]
            pub(super) unsafe fn $name<T>(product: Product<T>)
            where
                $family<T>: Family<Number = T>,
            {
                // SAFETY: the caller's promise, and the caller found the instruction set.
                unsafe { $module::multiply::<$family<T>>(product) }
            }
        )*};
    }
    compiled! {
        vector_avx512 = vector for Avx512: "avx512f,avx2,fma";
        direct_avx512 = direct for Avx512: "avx512f,avx2,fma";
        vector_avx2 = vector for Avx2: "avx2,fma";
        direct_avx2 = direct for Avx2: "avx2,fma";
    }
}
