//! The numbers that the functions are made of, for both formats.
//! It does not know the sequences that use them.
//!
//! Each polynomial was computed for this project: a Remez exchange in 200 bits of precision gives
//! the minimax polynomial for the stated function, interval and weight; its coefficients are
//! rounded to the format, and those after a rounded one are fitted again where that helps. The
//! stated error is that of the rounded polynomial, evaluated exactly. Coefficients stand lowest
//! first.

use super::lane::{Double, Single};
use super::parts::two_to;

/// The constants and polynomial coefficients that suit one format's precision.
pub trait Coefficients {
    /// The leading bits of ln 2, few enough that the product with any exponent is exact.
    const LN2_HIGH: f64;
    /// The rest of ln 2.
    const LN2_LOW: f64;
    /// pi/2 as a sum of three, each the format's nearest to what is left.
    const HALF_PI: [f64; 3];
    /// 2/3 as a sum of two.
    const TWO_THIRDS: [f64; 2];

    /// Below this `exp` rounds to zero.
    const EXP_LOW: f64;
    /// Above this `exp` overflows.
    const EXP_HIGH: f64;
    /// From here on `tanh` rounds to 1.
    const TANH_ONE: f64;
    /// From here on `erf` rounds to 1.
    const ERF_ONE: f64;
    /// The largest angle that is reduced with three parts of pi/2.
    const ANGLE_LIMIT: f64;

    /// `(e^r - 1 - r) / r^2` on `|r| <= ln 2 / 2`.
    const EXP: &'static [f64];
    /// `(2^r - 1) / r` on `|r| <= 1/2`.
    const EXP2: &'static [f64];
    /// `(sinh r / r - 1) / r^2`, in `r^2`, on `|r| <= ln 2 / 2`.
    const SINH: &'static [f64];
    /// `(cosh r - 1) / r^2`, in `r^2`, on `|r| <= ln 2 / 2`.
    const COSH: &'static [f64];
    /// `2 atanh(s) / s - 2`, over `s^2` and in `s^2`, on `|s| <= 3 - 2 sqrt(2)`.
    const LOG: &'static [f64];
    /// As `LOG`, without the first term 2/3 and again over `s^2`.
    const LOG_TAIL: &'static [f64];
    /// `(sin r / r - 1) / r^2`, in `r^2`, on `|r| <= pi/4`.
    const SIN: &'static [f64];
    /// `(cos r - 1 + r^2 / 2) / r^4`, in `r^2`, on `|r| <= pi/4`.
    const COS: &'static [f64];
    /// `(atan t / t - 1) / t^2`, in `t^2`, on `|t| <= tan(pi/8)`.
    const ATAN: &'static [f64];
    /// `erf(x) / x - 1`, in `x^2`, on `|x| <= 1`.
    const ERF_INNER: &'static [f64];
    /// `log(1 - erf(1 + u))` from `u = 0` to `ERF_ONE - 1`.
    const ERF_OUTER: &'static [f64];
}

impl Coefficients for Single {
    const LN2_HIGH: f64 = 0.693145751953125;
    const LN2_LOW: f64 = 1.4286068e-06;
    const HALF_PI: [f64; 3] = [1.5707964, -4.371139e-08, -1.7151245e-15];
    const TWO_THIRDS: [f64; 2] = [0.6666667, -1.9868216e-08];

    const EXP_LOW: f64 = -104.0;
    const EXP_HIGH: f64 = 89.0;
    const TANH_ONE: f64 = 10.0;
    const ERF_ONE: f64 = 4.0;
    const ANGLE_LIMIT: f64 = two_to(15);

    // 2^-31.0 of e^r - 1.
    const EXP: &'static [f64] =
        &[0.5, 0.16666667, 0.041666478, 0.008333193, 0.0013933701, 0.00019957453];
    // 2^-29.0 of 2^r - 1.
    const EXP2: &'static [f64] = &[
        std::f32::consts::LN_2 as f64,
        0.2402265,
        0.055504046,
        0.009618057,
        0.0013338367,
        0.0001546137,
        1.4185828e-05,
    ];
    // 2^-34.1 of sinh r.
    const SINH: &'static [f64] = &[0.16666667, 0.008333191, 0.00019959027];
    // 2^-33.2 of 1.
    const COSH: &'static [f64] = &[0.5, 0.041666456, 0.0013935807];
    // 2^-30.2 of the logarithm.
    const LOG: &'static [f64] = &[0.66666776, 0.3997759, 0.29870558];
    // 2^-36.8 of the logarithm.
    const LOG_TAIL: &'static [f64] = &[0.40000153, 0.285471, 0.23419273];
    // 2^-27.9 of r.
    const SIN: &'static [f64] = &[-0.16666655, 0.008332184, -0.00019516994];
    // 2^-33.1 of 1.
    const COS: &'static [f64] = &[0.041666646, -0.0013887307, 2.4431805e-05];
    // 2^-30.5 of t.
    const ATAN: &'static [f64] = &[-0.33333316, 0.1999853, -0.1424443, 0.1059949, -0.060909156];
    // 2^-29.3 of erf.
    const ERF_INNER: &'static [f64] = &[
        0.12837917,
        -0.37612626,
        0.112835854,
        -0.026853835,
        0.0051883995,
        -0.00080110243,
        7.857114e-05,
    ];
    // 2^-26.7 of erf.
    const ERF_OUTER: &'static [f64] = &[
        -1.8496056,
        -2.6389654,
        -0.84312934,
        -0.04146551,
        0.009839891,
        -0.0017928765,
        0.00017769236,
    ];
}

impl Coefficients for Double {
    const LN2_HIGH: f64 = 0.6931471805598903;
    const LN2_LOW: f64 = 5.497923018708371e-14;
    const HALF_PI: [f64; 3] =
        [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33];
    const TWO_THIRDS: [f64; 2] = [0.6666666666666666, 3.700743415417188e-17];

    const EXP_LOW: f64 = -746.0;
    const EXP_HIGH: f64 = 710.0;
    const TANH_ONE: f64 = 20.0;
    const ERF_ONE: f64 = 6.0;
    const ANGLE_LIMIT: f64 = two_to(30);

    // 2^-61.6 of e^r - 1.
    const EXP: &'static [f64] = &[
        0.5,
        0.16666666666666677,
        0.04166666666666668,
        0.008333333333321454,
        0.0013888888888877768,
        0.0001984126988651208,
        2.4801587339292458e-05,
        2.755724386535575e-06,
        2.7557260903715707e-07,
        2.5109144718702062e-08,
        2.0918809578560183e-09,
    ];
    // 2^-55.3 of 2^r - 1, which is the rounding of the first coefficient.
    const EXP2: &'static [f64] = &[
        std::f64::consts::LN_2,
        0.24022650695910072,
        0.05550410866482347,
        0.009618129107627953,
        0.0013333558145993834,
        0.0001540353039432346,
        1.5252734218821038e-05,
        1.3215486054178318e-06,
        1.0177906183391058e-07,
        7.055168960238348e-09,
        4.4777674298161365e-10,
        2.536515730934061e-11,
    ];
    // 2^-61.7 of sinh r.
    const SINH: &'static [f64] = &[
        0.16666666666666677,
        0.008333333333321454,
        0.00019841269886520843,
        2.7557243847549097e-06,
        2.5109154314543865e-08,
    ];
    // 2^-70.0 of 1.
    const COSH: &'static [f64] = &[
        0.5,
        0.041666666666666685,
        0.0013888888888873312,
        2.4801587349094344e-05,
        2.755725195070261e-07,
        2.092171878839359e-09,
    ];
    // 2^-59.5 of the logarithm.
    const LOG: &'static [f64] = &[
        0.6666666666666734,
        0.3999999999941709,
        0.2857142874187704,
        0.22222198623550168,
        0.18183561797188022,
        0.15314113253036168,
        0.14795340466447024,
    ];
    // 2^-73.4 of the logarithm.
    const LOG_TAIL: &'static [f64] = &[
        0.3999999999999998,
        0.28571428571443797,
        0.22222222217805415,
        0.18181818841800443,
        0.15384558585353575,
        0.1333625841024946,
        0.11675903017674664,
        0.11980756397453986,
    ];
    // 2^-58.0 of r.
    const SIN: &'static [f64] = &[
        -0.16666666666666632,
        0.00833333333332249,
        -0.0001984126982985756,
        2.7557313706813933e-06,
        -2.505076019616742e-08,
        1.5896905757551165e-10,
    ];
    // 2^-64.2 of 1.
    const COS: &'static [f64] = &[
        0.0416666666666666,
        -0.0013888888888874483,
        2.4801587289679502e-05,
        -2.755731440367514e-07,
        2.0875729659816193e-09,
        -1.1359954055775224e-11,
    ];
    // 2^-59.4 of t.
    const ATAN: &'static [f64] = &[
        -0.333333333333332,
        0.1999999999995362,
        -0.14285714280191392,
        0.11111110783011399,
        -0.0909089774252703,
        0.0769205993312159,
        -0.06663100897748227,
        0.058478674708143566,
        -0.05039213128802041,
        0.03806243521051899,
        -0.017905119649398445,
    ];
    // 2^-56.0 of erf.
    const ERF_INNER: &'static [f64] = &[
        0.12837916709551256,
        -0.3761263890318352,
        0.11283791670944872,
        -0.02686617064323439,
        0.005223977607095752,
        -0.0008548325973199381,
        0.00012055294796548414,
        -1.4924734076638815e-05,
        1.6447381979539133e-06,
        -1.620810801141788e-07,
        1.3718270923543044e-08,
        -7.792302385211239e-10,
    ];
    // 2^-56.7 of erf.
    const ERF_OUTER: &'static [f64] = &[
        -1.8496055099332482,
        -2.6389675142347824,
        -0.8431072563591856,
        -0.04156109802856745,
        0.010033825208483149,
        -0.001977901367709077,
        0.00023731695310941895,
        2.629510488024669e-05,
        -2.7196918995687022e-05,
        9.66886631464659e-06,
        -2.129680601609386e-06,
        2.0330956264223217e-07,
        5.8746795460323384e-08,
        -3.3652253259656945e-08,
        8.584066144740028e-09,
        -1.3300059906934836e-09,
        1.2041573744680877e-10,
        -4.914311168810973e-12,
    ];
}
