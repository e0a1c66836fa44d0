//! A loop compiled for AVX2 or AVX-512 gives the bits of the scalar with fused multiply-adds.
//! It does not know whether those bits are right.
#![cfg(target_arch = "x86_64")]

use super::measure::numbers;
use crate::kernels::Isa;
use crate::kernels::lanes::math::*;

/// Loops over one function, compiled for one instruction set.
macro_rules! loops {
    ($isa:ident, $features:literal) => {
        mod $isa {
            use super::*;

            #[target_feature(enable = $features)]
            pub(super) fn singles<F: Unary>(inputs: &[f32], outputs: &mut [f32]) {
                for (x, y) in inputs.iter().zip(outputs) {
                    *y = F::lane(Fused(*x)).0;
                }
            }

            #[target_feature(enable = $features)]
            pub(super) fn doubles<F: Unary>(inputs: &[f64], outputs: &mut [f64]) {
                for (x, y) in inputs.iter().zip(outputs) {
                    *y = F::lane(Fused(*x)).0;
                }
            }

            #[target_feature(enable = $features)]
            pub(super) fn single_pairs<F: Binary>(inputs: &[f32], outputs: &mut [f32]) {
                for ((x, z), y) in inputs.iter().zip(inputs.iter().rev()).zip(outputs) {
                    *y = F::lane(Fused(*x), Fused(*z)).0;
                }
            }

            #[target_feature(enable = $features)]
            pub(super) fn double_pairs<F: Binary>(inputs: &[f64], outputs: &mut [f64]) {
                for ((x, z), y) in inputs.iter().zip(inputs.iter().rev()).zip(outputs) {
                    *y = F::lane(Fused(*x), Fused(*z)).0;
                }
            }
        }
    };
}

loops!(avx2, "avx2,fma");
loops!(avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma");

/// Compares a loop with one call at a time; any NaN is as good as another.
macro_rules! compare {
    ($name:expr, $inputs:expr, $loop:expr, $scalar:expr) => {{
        let inputs = $inputs;
        let mut outputs = inputs.to_vec();
        // SAFETY: the caller has seen that the CPU has these features.
        unsafe { $loop(inputs, &mut outputs) };
        for (index, got) in outputs.iter().enumerate() {
            let wanted = $scalar(index);
            let same = got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan();
            assert!(same, "{} of {:e} is {got:e}, not {wanted:e}", $name, inputs[index]);
        }
    }};
}

macro_rules! check {
    ($isa:ident: $($function:ident),*; $($pair:ident),*) => {{
        // An odd length, so that the loop has a tail.
        let singles: Vec<f32> = numbers().map(|x| x as f32).collect();
        let doubles: Vec<f64> = numbers().collect();
        let mirrored = |index| singles.len() - 1 - index;
        $(
            let one = |i: usize| $function::lane(Fused(singles[i])).0;
            compare!($function::NAME, &singles[..], $isa::singles::<$function>, one);
            let one = |i: usize| $function::lane(Fused(doubles[i])).0;
            compare!($function::NAME, &doubles[..], $isa::doubles::<$function>, one);
        )*
        $(
            let one = |i: usize| $pair::lane(Fused(singles[i]), Fused(singles[mirrored(i)])).0;
            compare!($pair::NAME, &singles[..], $isa::single_pairs::<$pair>, one);
            let one = |i: usize| $pair::lane(Fused(doubles[i]), Fused(doubles[mirrored(i)])).0;
            compare!($pair::NAME, &doubles[..], $isa::double_pairs::<$pair>, one);
        )*
    }};
    ($isa:ident) => {
        check!(
            $isa: Exp, Exp2, Expm1, Log, Log2, Log1p, Sin, Cos, Tan, Sinh, Cosh, Tanh, Erf;
            Atan2, Pow
        )
    };
}

#[test]
fn avx2_loops_give_the_same_bits() {
    if Isa::best() >= Isa::Avx2 {
        check!(avx2);
    }
}

#[test]
fn avx512_loops_give_the_same_bits() {
    if Isa::best() >= Isa::Avx512 {
        check!(avx512);
    }
}
