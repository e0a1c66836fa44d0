//! The functions as types, so that a loop can be written once and instantiated for each.
//! It does not know the loops, nor when a lane is redone.

use super::coefficients::Coefficients;
use super::lane::{Double, Lane, Single};
use super::{atan, erf, exp, hyperbolic, log, power, trig};

/// A function of one lane.
///
/// ```
/// use graphfn::kernels::lanes::math::{Exp, Fused, Unary};
///
/// assert_eq!(Exp::lane(Fused(0.0_f32)).0, 1.0);
/// ```
pub trait Unary {
    /// The name in lower case, as the free function has it.
    const NAME: &'static str;
    /// The inputs for which `lane` is not good enough, and what to do with them.
    const REDO: Option<Redo>;

    /// The branch-free sequence.
    fn lane<L: Lane>(x: L) -> L;
}

/// A function of two lanes.
pub trait Binary {
    /// The name in lower case, as the free function has it.
    const NAME: &'static str;

    /// The branch-free sequence, right for all inputs.
    fn lane<L: Lane>(left: L, right: L) -> L;
}

/// What to do, in each format, with the inputs that a sequence is not made for.
#[derive(Clone, Copy, Debug)]
pub struct Redo {
    /// For `f32`.
    pub single: Beyond<f32>,
    /// For `f64`.
    pub double: Beyond<f64>,
}

/// A scalar routine for the inputs beyond a limit.
#[derive(Clone, Copy, Debug)]
pub struct Beyond<T> {
    /// The largest magnitude that needs no redoing.
    pub limit: T,
    /// The function for inputs of any magnitude, the same on every platform.
    pub scalar: fn(T) -> T,
}

impl<T: Copy + PartialOrd + std::ops::Neg<Output = T>> Beyond<T> {
    /// Whether this input is to be redone; NaN is not.
    #[inline(always)]
    pub fn flags(&self, x: T) -> bool {
        (self.limit < x) | (x < -self.limit)
    }
}

/// A number type that knows its part of a `Redo`.
pub trait Redone: Sized {
    /// The part that is for this type.
    fn beyond(redo: &Redo) -> &Beyond<Self>;
}

impl Redone for f32 {
    fn beyond(redo: &Redo) -> &Beyond<f32> {
        &redo.single
    }
}

impl Redone for f64 {
    fn beyond(redo: &Redo) -> &Beyond<f64> {
        &redo.double
    }
}

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident = $function:path, $text:literal, $redo:expr;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl Unary for $name {
                const NAME: &'static str = $text;
                const REDO: Option<Redo> = $redo;
                #[inline(always)]
                fn lane<L: Lane>(x: L) -> L {
                    $function(x)
                }
            }
        )*
    };
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $function:path, $text:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl Binary for $name {
                const NAME: &'static str = $text;
                #[inline(always)]
                fn lane<L: Lane>(left: L, right: L) -> L {
                    $function(left, right)
                }
            }
        )*
    };
}

unary! {
    /// `e^x`.
    Exp = exp::exp, "exp", None;
    /// `2^x`.
    Exp2 = exp::exp2, "exp2", None;
    /// `e^x - 1`.
    Expm1 = exp::expm1, "expm1", None;
    /// The natural logarithm.
    Log = log::log, "log", None;
    /// The logarithm to base 2.
    Log2 = log::log2, "log2", None;
    /// `log(1 + x)`.
    Log1p = log::log1p, "log1p", None;
    /// The sine.
    Sin = trig::sin, "sin", angles(libm::sinf, libm::sin);
    /// The cosine.
    Cos = trig::cos, "cos", angles(libm::cosf, libm::cos);
    /// The tangent.
    Tan = trig::tan, "tan", angles(libm::tanf, libm::tan);
    /// The hyperbolic sine.
    Sinh = hyperbolic::sinh, "sinh", None;
    /// The hyperbolic cosine.
    Cosh = hyperbolic::cosh, "cosh", None;
    /// The hyperbolic tangent.
    Tanh = hyperbolic::tanh, "tanh", None;
    /// The error function.
    Erf = erf::erf, "erf", None;
}

binary! {
    /// The angle of a point, `y` first.
    Atan2 = atan::atan2, "atan2";
    /// A power.
    Pow = power::pow, "pow";
}

/// Large angles want hundreds of bits of pi (Payne and Hanek 1983), which `libm` has.
const fn angles(single: fn(f32) -> f32, double: fn(f64) -> f64) -> Option<Redo> {
    Some(Redo {
        single: Beyond { limit: Single::ANGLE_LIMIT as f32, scalar: single },
        double: Beyond { limit: Double::ANGLE_LIMIT, scalar: double },
    })
}
