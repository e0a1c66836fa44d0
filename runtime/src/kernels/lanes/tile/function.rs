//! The loops of the mathematical functions, over lanes with or without a fused multiply-add.
//! Knows which functions there are; what they compute is in `math`.

use super::kernel::{Map, TileFn, compiled_as};
use crate::kernels::Isa;
#[cfg(target_arch = "x86_64")]
use crate::kernels::lanes::math::Split;
use crate::kernels::lanes::math::{self, Fused, Lane, Redone};
use crate::kernels::lanes::{BinaryOp, UnaryOp};
use crate::types::DType;
use std::marker::PhantomData;

/// The loop of a function of one float; `None` for other types and other instructions.
pub(super) fn unary(op: UnaryOp, dtype: DType, isa: Isa) -> Option<TileFn> {
    match op {
        UnaryOp::Exp => one::<math::Exp>(dtype, isa),
        UnaryOp::Exp2 => one::<math::Exp2>(dtype, isa),
        UnaryOp::Expm1 => one::<math::Expm1>(dtype, isa),
        UnaryOp::Log => one::<math::Log>(dtype, isa),
        UnaryOp::Log2 => one::<math::Log2>(dtype, isa),
        UnaryOp::Log1p => one::<math::Log1p>(dtype, isa),
        UnaryOp::Sin => one::<math::Sin>(dtype, isa),
        UnaryOp::Cos => one::<math::Cos>(dtype, isa),
        UnaryOp::Tan => one::<math::Tan>(dtype, isa),
        UnaryOp::Sinh => one::<math::Sinh>(dtype, isa),
        UnaryOp::Cosh => one::<math::Cosh>(dtype, isa),
        UnaryOp::Tanh => one::<math::Tanh>(dtype, isa),
        UnaryOp::Erf => one::<math::Erf>(dtype, isa),
        _ => None,
    }
}

/// The loop of a function of two floats; `None` for other types and other instructions.
pub(super) fn binary(op: BinaryOp, dtype: DType, isa: Isa) -> Option<TileFn> {
    match op {
        BinaryOp::Pow => two::<math::Pow>(dtype, isa),
        BinaryOp::Atan2 => two::<math::Atan2>(dtype, isa),
        _ => None,
    }
}

/// The lanes of the baseline, which has no fused multiply-add on x86.
#[cfg(target_arch = "x86_64")]
type Baseline<T> = Split<T>;
#[cfg(not(target_arch = "x86_64"))]
type Baseline<T> = Fused<T>;

fn one<F: math::Unary>(dtype: DType, isa: Isa) -> Option<TileFn> {
    match dtype {
        DType::F32 => Some(compiled_as::<One<F, Baseline<f32>>, One<F, Fused<f32>>>(isa)),
        DType::F64 => Some(compiled_as::<One<F, Baseline<f64>>, One<F, Fused<f64>>>(isa)),
        _ => None,
    }
}

fn two<F: math::Binary>(dtype: DType, isa: Isa) -> Option<TileFn> {
    match dtype {
        DType::F32 => Some(compiled_as::<Two<F, Baseline<f32>>, Two<F, Fused<f32>>>(isa)),
        DType::F64 => Some(compiled_as::<Two<F, Baseline<f64>>, Two<F, Fused<f64>>>(isa)),
        _ => None,
    }
}

/// A lane that is a number in a loop.
trait Machine: Lane {
    type Number: Copy + Default + PartialOrd + std::ops::Neg<Output = Self::Number> + Redone;

    fn of(number: Self::Number) -> Self;
    fn number(self) -> Self::Number;
}

macro_rules! machines {
    ($($lane:ident<$number:ident>)*) => {$(
        impl Machine for $lane<$number> {
            type Number = $number;

            #[inline(always)]
            fn of(number: $number) -> $lane<$number> {
                $lane(number)
            }
            #[inline(always)]
            fn number(self) -> $number {
                self.0
            }
        }
    )*};
}
machines!(Fused<f32> Fused<f64>);
#[cfg(target_arch = "x86_64")]
machines!(Split<f32> Split<f64>);

struct One<F, L>(PhantomData<(F, L)>);

impl<F: math::Unary, L: Machine> Map for One<F, L> {
    type A = L::Number;
    type B = ();
    type C = ();
    type R = L::Number;
    const REDOES: bool = F::REDO.is_some();

    #[inline(always)]
    fn map(x: L::Number, _: (), _: ()) -> L::Number {
        F::lane(L::of(x)).number()
    }

    #[inline(always)]
    fn redo(x: L::Number) -> Option<fn(L::Number) -> L::Number> {
        let beyond = L::Number::beyond(F::REDO.as_ref()?);
        beyond.flags(x).then_some(beyond.scalar)
    }
}

struct Two<F, L>(PhantomData<(F, L)>);

impl<F: math::Binary, L: Machine> Map for Two<F, L> {
    type A = L::Number;
    type B = L::Number;
    type C = ();
    type R = L::Number;

    #[inline(always)]
    fn map(x: L::Number, y: L::Number, _: ()) -> L::Number {
        F::lane(L::of(x), L::of(y)).number()
    }
}
