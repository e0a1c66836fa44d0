//! The mathematical functions, each defined once as a sequence of IEEE 754 operations on lanes.
//! It knows neither the loops around a lane nor the instructions that a lane becomes.
//!
//! A function is generic over [`Lane`], free of branches, and made of correctly rounded operations
//! only, so every CPU with a fused multiply-add computes the same bits: in a scalar, in a loop for
//! AVX2, AVX-512 or NEON, and in code assembled at run time. A CPU without FMA may differ in the
//! last place. `exp` and `log` are right to 1 ulp and the others to 4; NaN, infinities, signed
//! zeros and subnormal numbers are as IEEE 754 and C99 Annex F have them.
//!
//! `sin`, `cos` and `tan` hold that up to a limit; [`Unary::REDO`] names it, and the scalar
//! routine for the rare lane beyond.

mod atan;
mod coefficients;
mod erf;
mod exp;
mod function;
mod hyperbolic;
mod lane;
mod log;
mod machine;
mod pair;
mod parts;
mod power;
mod trig;

#[cfg(test)]
mod tests;

pub use atan::atan2;
pub use coefficients::Coefficients;
pub use erf::erf;
pub use exp::{exp, exp2, expm1};
pub use function::{
    Atan2, Beyond, Binary, Cos, Cosh, Erf, Exp, Exp2, Expm1, Log, Log1p, Log2, Pow, Redo, Redone,
    Sin, Sinh, Tan, Tanh, Unary,
};
pub use hyperbolic::{cosh, sinh, tanh};
pub use lane::{Bits, Double, Format, Lane, Single};
pub use log::{log, log1p, log2};
pub use machine::{Fused, Split};
pub use power::pow;
pub use trig::{cos, sin, tan};
