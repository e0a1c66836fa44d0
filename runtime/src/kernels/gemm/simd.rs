//! Vectors of numbers as matrix products need them, one family for each instruction set.
//! Knows no loops. Within a family every width rounds alike, so a sum has the same bits at any width.

/// Some numbers side by side.
///
/// # Safety
/// The methods need the instruction set of the family, and pointers to `WIDTH` numbers.
pub(super) trait Simd: Copy {
    type Number: Number;
    const WIDTH: usize;

    unsafe fn splat(number: Self::Number) -> Self;
    unsafe fn load(at: *const Self::Number) -> Self;
    unsafe fn store(self, at: *mut Self::Number);
    unsafe fn plus(self, other: Self) -> Self;
    /// `self * factor + sum`, fused if the family does so.
    unsafe fn times_plus(self, factor: Self, sum: Self) -> Self;
}

/// The vectors of one instruction set, from the widest to a single number.
pub(super) trait Family {
    type Number: Number;
    type Wide: Simd<Number = Self::Number>;
    type Half: Simd<Number = Self::Number>;
    type Quarter: Simd<Number = Self::Number>;
    type One: Simd<Number = Self::Number>;
}

/// An element that products are summed of. Integers wrap.
pub(super) trait Number: Copy + Send + Sync + 'static {
    const ZERO: Self;
    fn plus(self, other: Self) -> Self;
    fn times_plus(self, factor: Self, sum: Self) -> Self;
}

macro_rules! floats {
    ($($number:ty),*) => {$(
        impl Number for $number {
            const ZERO: Self = 0.0;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }

            #[inline(always)]
            fn times_plus(self, factor: Self, sum: Self) -> Self {
                // Where the instruction may be missing, `mul_add` is a slow call.
                if cfg!(target_arch = "aarch64") { self.mul_add(factor, sum) } else { self * factor + sum }
            }
        }
    )*};
}
floats!(f32, f64);

macro_rules! integers {
    ($($number:ty),*) => {$(
        impl Number for $number {
            const ZERO: Self = 0;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn times_plus(self, factor: Self, sum: Self) -> Self {
                self.wrapping_mul(factor).wrapping_add(sum)
            }
        }
    )*};
}
integers!(i32, i64, u8);

/// What every processor can do; LLVM makes vectors of the arrays where it may.
pub(super) struct Plain<T>(std::marker::PhantomData<T>);

impl<T: Number> Family for Plain<T> {
    type Number = T;
    type Wide = [T; 8];
    type Half = [T; 4];
    type Quarter = [T; 2];
    type One = [T; 1];
}

impl<T: Number, const N: usize> Simd for [T; N] {
    type Number = T;
    const WIDTH: usize = N;

    #[inline(always)]
    unsafe fn splat(number: T) -> Self {
        [number; N]
    }

    #[inline(always)]
    unsafe fn load(at: *const T) -> Self {
        // SAFETY: the caller's promise.
        unsafe { at.cast::<Self>().read() }
    }

    #[inline(always)]
    unsafe fn store(self, at: *mut T) {
        // SAFETY: the caller's promise.
        unsafe { at.cast::<Self>().write(self) };
    }

    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        std::array::from_fn(|at| self[at].plus(other[at]))
    }

    #[inline(always)]
    unsafe fn times_plus(self, factor: Self, sum: Self) -> Self {
        std::array::from_fn(|at| self[at].times_plus(factor[at], sum[at]))
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    //! The families of AVX-512 and of AVX2 with FMA. Knows that both fuse products and sums.

    use super::{Family, Simd};
    use std::arch::x86_64::{
        __m128, __m128d, __m256, __m256d, __m512, __m512d, _mm_add_pd, _mm_add_ps, _mm_fmadd_pd,
        _mm_fmadd_ps, _mm_loadu_pd, _mm_loadu_ps, _mm_set1_pd, _mm_set1_ps, _mm_storeu_pd,
        _mm_storeu_ps, _mm256_add_pd, _mm256_add_ps, _mm256_fmadd_pd, _mm256_fmadd_ps,
        _mm256_loadu_pd, _mm256_loadu_ps, _mm256_set1_pd, _mm256_set1_ps, _mm256_storeu_pd,
        _mm256_storeu_ps, _mm512_add_pd, _mm512_add_ps, _mm512_fmadd_pd, _mm512_fmadd_ps,
        _mm512_loadu_pd, _mm512_loadu_ps, _mm512_set1_pd, _mm512_set1_ps, _mm512_storeu_pd,
        _mm512_storeu_ps,
    };
    use std::marker::PhantomData;

    pub(in crate::kernels::gemm) struct Avx512<T>(PhantomData<T>);
    pub(in crate::kernels::gemm) struct Avx2<T>(PhantomData<T>);

    /// One number, with the rounding of the vectors.
    #[derive(Clone, Copy)]
    pub(in crate::kernels::gemm) struct Fused<T>(T);

    macro_rules! families {
        ($($family:ident<$number:ty>: $wide:ty, $half:ty, $quarter:ty;)*) => {$(
            impl Family for $family<$number> {
                type Number = $number;
                type Wide = $wide;
                type Half = $half;
                type Quarter = $quarter;
                type One = Fused<$number>;
            }
        )*};
    }
    families! {
        Avx512<f32>: __m512, __m256, __m128;
        Avx512<f64>: __m512d, __m256d, __m128d;
        Avx2<f32>: __m256, __m256, __m128;
        Avx2<f64>: __m256d, __m256d, __m128d;
    }

    macro_rules! vectors {
        ($($vector:ty = [$number:ty; $width:literal]: $splat:ident $load:ident $store:ident $add:ident $fused:ident;)*) => {$(
            impl Simd for $vector {
                type Number = $number;
                const WIDTH: usize = $width;

                #[inline(always)]
                unsafe fn splat(number: $number) -> Self {
                    // SAFETY: the caller has the instruction set.
                    unsafe { $splat(number) }
                }

                #[inline(always)]
                unsafe fn load(at: *const $number) -> Self {
                    // SAFETY: as above, and the pointer is good for the width.
                    unsafe { $load(at) }
                }

                #[inline(always)]
                unsafe fn store(self, at: *mut $number) {
                    // SAFETY: as above.
                    unsafe { $store(at, self) };
                }

                #[inline(always)]
                unsafe fn plus(self, other: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { $add(self, other) }
                }

                #[inline(always)]
                unsafe fn times_plus(self, factor: Self, sum: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { $fused(self, factor, sum) }
                }
            }
        )*};
    }
    vectors! {
        __m512 = [f32; 16]: _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_fmadd_ps;
        __m512d = [f64; 8]: _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_fmadd_pd;
        __m256 = [f32; 8]: _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_fmadd_ps;
        __m256d = [f64; 4]: _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_fmadd_pd;
        __m128 = [f32; 4]: _mm_set1_ps _mm_loadu_ps _mm_storeu_ps _mm_add_ps _mm_fmadd_ps;
        __m128d = [f64; 2]: _mm_set1_pd _mm_loadu_pd _mm_storeu_pd _mm_add_pd _mm_fmadd_pd;
    }

    macro_rules! fused {
        ($($number:ty),*) => {$(
            impl Simd for Fused<$number> {
                type Number = $number;
                const WIDTH: usize = 1;

                #[inline(always)]
                unsafe fn splat(number: $number) -> Self {
                    Fused(number)
                }

                #[inline(always)]
                unsafe fn load(at: *const $number) -> Self {
                    // SAFETY: the caller's promise.
                    Fused(unsafe { at.read() })
                }

                #[inline(always)]
                unsafe fn store(self, at: *mut $number) {
                    // SAFETY: the caller's promise.
                    unsafe { at.write(self.0) };
                }

                #[inline(always)]
                unsafe fn plus(self, other: Self) -> Self {
                    Fused(self.0 + other.0)
                }

                #[inline(always)]
                unsafe fn times_plus(self, factor: Self, sum: Self) -> Self {
                    Fused(self.0.mul_add(factor.0, sum.0))
                }
            }
        )*};
    }
    fused!(f32, f64);
}
