//! The functions under test, each with what it is compared to and the error it may have.
//! It does not know how errors are measured.

use crate::kernels::lanes::math::*;

/// A function of one number, on a CPU with FMA and on one without.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) single: [fn(f32) -> f32; 2],
    pub(super) double: [fn(f64) -> f64; 2],
    /// The function in `f64`, for results in `f32`.
    pub(super) reference: fn(f64) -> f64,
    /// The largest error in ulps.
    pub(super) bound: f64,
}

/// A function of two numbers, on a CPU with FMA and on one without.
pub(super) struct PairCase {
    pub(super) name: &'static str,
    pub(super) single: [fn(f32, f32) -> f32; 2],
    pub(super) double: [fn(f64, f64) -> f64; 2],
    /// The function in `f64`, for results in `f32`.
    pub(super) reference: fn(f64, f64) -> f64,
    /// The largest error in ulps.
    pub(super) bound: f64,
}

macro_rules! case {
    ($function:ident, $reference:path, $bound:literal) => {
        Case {
            name: $function::NAME,
            single: [
                |x| whole::<$function, _>(x, |x| $function::lane(Fused(x)).0),
                |x| whole::<$function, _>(x, |x| $function::lane(Split(x)).0),
            ],
            double: [
                |x| whole::<$function, _>(x, |x| $function::lane(Fused(x)).0),
                |x| whole::<$function, _>(x, |x| $function::lane(Split(x)).0),
            ],
            reference: $reference,
            bound: $bound,
        }
    };
}

macro_rules! pair_case {
    ($function:ident, $reference:path, $bound:literal) => {
        PairCase {
            name: $function::NAME,
            single: [
                |x, y| $function::lane(Fused(x), Fused(y)).0,
                |x, y| $function::lane(Split(x), Split(y)).0,
            ],
            double: [
                |x, y| $function::lane(Fused(x), Fused(y)).0,
                |x, y| $function::lane(Split(x), Split(y)).0,
            ],
            reference: $reference,
            bound: $bound,
        }
    };
}

/// All functions of one number, with the bounds that their documentation states.
pub(super) fn cases() -> [Case; 13] {
    [
        case!(Exp, libm::exp, 1.0),
        case!(Exp2, libm::exp2, 2.0),
        case!(Expm1, libm::expm1, 2.0),
        case!(Log, libm::log, 1.0),
        case!(Log2, libm::log2, 2.0),
        case!(Log1p, libm::log1p, 2.0),
        case!(Sin, libm::sin, 2.0),
        case!(Cos, libm::cos, 2.0),
        case!(Tan, libm::tan, 4.0),
        case!(Sinh, libm::sinh, 3.0),
        case!(Cosh, libm::cosh, 2.0),
        case!(Tanh, libm::tanh, 3.0),
        case!(Erf, libm::erf, 2.0),
    ]
}

/// All functions of two numbers, with the bounds that their documentation states.
pub(super) fn pair_cases() -> [PairCase; 2] {
    [pair_case!(Atan2, libm::atan2, 3.0), pair_case!(Pow, libm::pow, 1.0)]
}

/// The function as a user sees it: the sequence, or the scalar routine beyond the limit.
fn whole<F: Unary, T>(x: T, lane: fn(T) -> T) -> T
where
    T: Redone + Copy + PartialOrd + std::ops::Neg<Output = T>,
{
    match F::REDO.as_ref().map(T::beyond) {
        Some(beyond) if beyond.flags(x) => (beyond.scalar)(x),
        _ => lane(x),
    }
}
