//! Lanes that are plain numbers, with a fused multiply-add and without one.
//! It does not know which CPU runs it: the loop around the lane is compiled for that.

use std::num::Wrapping;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::lane::{Double, Lane, Single};

/// A number on a CPU with a fused multiply-add: every x86 with AVX2, every aarch64.
///
/// Inside a function with `#[target_feature(enable = "fma")]` the multiply-add is one instruction;
/// elsewhere it is a library call that gives the same bits, slowly.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Fused<T>(pub T);

/// A number on a CPU without a fused multiply-add, where each of these is two roundings.
///
/// A CPU without FMA may therefore differ from all others in the last place.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Split<T>(pub T);

/// The four operators of one lane type, each the operation of the number inside.
macro_rules! operators {
    ($lane:ident) => {
        operators!($lane, Add::add, Sub::sub, Mul::mul, Div::div);

        impl<T: Neg<Output = T>> Neg for $lane<T> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(-self.0)
            }
        }
    };
    ($lane:ident, $($operator:ident::$method:ident),*) => {
        $(impl<T: $operator<Output = T>> $operator for $lane<T> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0.$method(other.0))
            }
        })*
    };
}

operators!(Fused);
operators!(Split);

/// All of `Lane` but for the multiply-adds, which are given.
macro_rules! lane {
    ($lane:ident, $number:ident, $format:ident, $bits:ident, $mul_add:path, $exact:path) => {
        impl Lane for $lane<$number> {
            type Format = $format;
            type Bits = Wrapping<$bits>;
            type Mask = bool;

            #[inline(always)]
            fn constant(value: f64) -> Self {
                Self(value as $number)
            }
            #[inline(always)]
            fn integer(value: u64) -> Self::Bits {
                Wrapping(value as $bits)
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, addend: Self) -> Self {
                Self($mul_add(self.0, factor.0, addend.0))
            }
            #[inline(always)]
            fn mul_add_exact(self, factor: Self, addend: Self) -> Self {
                Self($exact(self.0, factor.0, addend.0))
            }
            #[inline(always)]
            fn to_bits(self) -> Self::Bits {
                Wrapping(self.0.to_bits())
            }
            #[inline(always)]
            fn from_bits(bits: Self::Bits) -> Self {
                Self($number::from_bits(bits.0))
            }
            #[inline(always)]
            fn less(self, other: Self) -> bool {
                self.0 < other.0
            }
            #[inline(always)]
            fn equal(self, other: Self) -> bool {
                self.0 == other.0
            }
            #[inline(always)]
            fn same_bits(left: Self::Bits, right: Self::Bits) -> bool {
                left == right
            }
            #[inline(always)]
            fn select(mask: bool, yes: Self, no: Self) -> Self {
                if mask { yes } else { no }
            }
        }
    };
}

lane!(Fused, f32, Single, u32, f32::mul_add, f32::mul_add);
lane!(Fused, f64, Double, u64, f64::mul_add, f64::mul_add);
lane!(Split, f32, Single, u32, rounded_twice, in_double);
lane!(Split, f64, Double, u64, rounded_twice, in_two_parts);

#[inline(always)]
fn rounded_twice<T: Mul<Output = T> + Add<Output = T>>(a: T, b: T, c: T) -> T {
    a * b + c
}

/// The product of two `f32` is exact in `f64`.
#[inline(always)]
fn in_double(a: f32, b: f32, c: f32) -> f32 {
    (f64::from(a) * f64::from(b) + f64::from(c)) as f32
}

/// The product as the sum of two `f64` (Dekker 1971), added to `c` with its error (Knuth).
///
/// The factors have to be below 2^996, or cutting them in two overflows.
#[inline(always)]
fn in_two_parts(a: f64, b: f64, c: f64) -> f64 {
    let (a_high, a_low) = halves(a);
    let (b_high, b_low) = halves(b);
    let product = a * b;
    let error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    let sum = product + c;
    let rest = sum - product;
    sum + (error + ((product - (sum - rest)) + (c - rest)))
}

/// A number as the sum of two of 26 bits (Veltkamp 1968).
#[inline(always)]
fn halves(a: f64) -> (f64, f64) {
    let spread = a * 134_217_729.0; // 2^27 + 1
    let high = spread - (spread - a);
    (high, a - high)
}
