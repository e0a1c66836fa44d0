//! What IEEE 754 and C99 Annex F say of zeros, infinities, NaN and subnormal numbers.
//! It knows exact results only; errors are measured elsewhere.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::cases::{cases, pair_cases};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// `same` as IEEE 754 sees it, but for the sign of zero, which counts.
fn same(got: f64, wanted: f64) -> bool {
    got.is_nan() && wanted.is_nan() || got.to_bits() == wanted.to_bits()
}

/// Checks inputs and outputs that are exact, or nearest, in both formats.
fn check(name: &str, rows: &[(f64, f64)]) {
    let case = cases().into_iter().find(|case| case.name == name).unwrap();
    for &(x, wanted) in rows {
        for (single, double) in case.single.into_iter().zip(case.double) {
            let got = double(x);
            assert!(same(got, wanted), "{name}({x:e}) is {got:e}, not {wanted:e}");
            let got = single(x as f32);
            assert!(same(got.into(), (wanted as f32).into()), "{name}({x:e}_f32) is {got:e}");
        }
    }
}

/// Checks inputs and outputs of a function of two numbers, in both formats.
fn check_pairs(name: &str, rows: &[(f64, f64, f64)]) {
    let case = pair_cases().into_iter().find(|case| case.name == name).unwrap();
    for &(x, y, wanted) in rows {
        for (single, double) in case.single.into_iter().zip(case.double) {
            let got = double(x, y);
            assert!(same(got, wanted), "{name}({x:e}, {y:e}) is {got:e}, not {wanted:e}");
            let got = single(x as f32, y as f32);
            assert!(same(got.into(), (wanted as f32).into()), "{name}({x:e}, {y:e}) is {got:e}");
        }
    }
}

#[test]
fn exponentials() {
    let at_zero = [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN)];
    let far = [(1e4, INF), (-1e4, 0.0), (1e300, INF), (-1e300, 0.0)];
    check("exp", &at_zero);
    check("exp", &far);
    check("exp2", &at_zero);
    check("exp2", &far);
    check("exp2", &[(1.0, 2.0), (-1.0, 0.5), (10.0, 1024.0), (-120.0, 2_f64.powi(-120))]);
    check("expm1", &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0), (NAN, NAN)]);
    check("expm1", &[(1e4, INF), (-1e4, -1.0), (1e-30, 1e-30), (-1e-30, -1e-30)]);
}

#[test]
fn logarithms() {
    for name in ["log", "log2"] {
        check(name, &[(1.0, 0.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (NAN, NAN)]);
        check(name, &[(-1.0, NAN), (-INF, NAN), (-1e-30, NAN)]);
    }
    check("log2", &[(2.0, 1.0), (0.25, -2.0), (2_f64.powi(-126), -126.0)]);
    check("log1p", &[(0.0, 0.0), (-0.0, -0.0), (-1.0, -INF), (INF, INF), (NAN, NAN)]);
    check("log1p", &[(-1.5, NAN), (-INF, NAN), (1e-30, 1e-30), (-1e-30, -1e-30)]);
}

#[test]
fn angles() {
    for name in ["sin", "tan"] {
        check(name, &[(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN)]);
        check(name, &[(1e-30, 1e-30), (-1e-30, -1e-30)]);
    }
    check("cos", &[(0.0, 1.0), (-0.0, 1.0), (1e-30, 1.0), (INF, NAN), (-INF, NAN), (NAN, NAN)]);
}

#[test]
fn hyperbolic_and_error_functions() {
    check("sinh", &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN)]);
    check("sinh", &[(1e4, INF), (-1e4, -INF), (1e-30, 1e-30)]);
    check("cosh", &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (NAN, NAN), (-1e4, INF)]);
    check("tanh", &[(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN)]);
    check("tanh", &[(30.0, 1.0), (-30.0, -1.0), (1e-30, 1e-30), (-1e300, -1.0)]);
    check("erf", &[(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN)]);
    check("erf", &[(7.0, 1.0), (-7.0, -1.0), (-1e300, -1.0)]);
}

#[test]
fn subnormal_numbers() {
    for case in cases() {
        for (single, double) in case.single.into_iter().zip(case.double) {
            let smallest = match case.name {
                "sin" | "tan" | "sinh" | "tanh" | "expm1" | "log1p" | "erf" => 5e-324,
                _ => continue,
            };
            assert_eq!(double(smallest), smallest, "{}", case.name);
            assert_eq!(double(-smallest), -smallest, "{}", case.name);
            assert_eq!(single(1e-45), 1e-45, "{}", case.name);
            assert_eq!(single(-1e-45), -1e-45, "{}", case.name);
        }
    }
    let of = |name: &str| cases().into_iter().find(|case| case.name == name).unwrap();
    assert_eq!(of("exp").single.map(|exp| exp(-100.0)), [3.7835e-44; 2]);
    assert_eq!(of("exp2").single.map(|exp2| exp2(-149.0)), [1e-45; 2]);
    assert_eq!(of("exp2").double.map(|exp2| exp2(-1074.0)), [5e-324; 2]);
    assert_eq!(of("log2").single.map(|log2| log2(1e-45)), [-149.0; 2]);
    assert_eq!(of("log2").double.map(|log2| log2(5e-324)), [-1074.0; 2]);
}

#[test]
fn angles_of_points() {
    let three_quarters = 3.0 * FRAC_PI_4;
    check_pairs(
        "atan2",
        &[
            (0.0, 0.0, 0.0),
            (-0.0, 0.0, -0.0),
            (0.0, -0.0, PI),
            (-0.0, -0.0, -PI),
            (0.0, 1.0, 0.0),
            (-0.0, 1.0, -0.0),
            (0.0, -1.0, PI),
            (-0.0, -1.0, -PI),
            (1.0, 0.0, FRAC_PI_2),
            (1.0, -0.0, FRAC_PI_2),
            (-1.0, 0.0, -FRAC_PI_2),
            (-1.0, -0.0, -FRAC_PI_2),
        ],
    );
    check_pairs(
        "atan2",
        &[
            (1.0, INF, 0.0),
            (-1.0, INF, -0.0),
            (1.0, -INF, PI),
            (-1.0, -INF, -PI),
            (INF, 1.0, FRAC_PI_2),
            (-INF, -1.0, -FRAC_PI_2),
            (INF, INF, FRAC_PI_4),
            (-INF, INF, -FRAC_PI_4),
            (INF, -INF, three_quarters),
            (-INF, -INF, -three_quarters),
            (NAN, 1.0, NAN),
            (1.0, NAN, NAN),
            (NAN, INF, NAN),
            (0.0, NAN, NAN),
        ],
    );
}

#[test]
fn powers_of_one_and_to_zero() {
    for any in [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, INF, -INF, NAN] {
        check_pairs("pow", &[(any, 0.0, 1.0), (any, -0.0, 1.0), (1.0, any, 1.0)]);
    }
    check_pairs("pow", &[(-1.0, INF, 1.0), (-1.0, -INF, 1.0)]);
    check_pairs("pow", &[(NAN, 1.0, NAN), (2.0, NAN, NAN), (NAN, NAN, NAN), (0.0, NAN, NAN)]);
}

#[test]
fn powers_of_zero_and_infinity() {
    check_pairs(
        "pow",
        &[
            (0.0, 3.0, 0.0),
            (-0.0, 3.0, -0.0),
            (0.0, -3.0, INF),
            (-0.0, -3.0, -INF),
            (0.0, 2.0, 0.0),
            (-0.0, 2.0, 0.0),
            (-0.0, -2.0, INF),
            (0.0, 0.5, 0.0),
            (-0.0, 0.5, 0.0),
            (-0.0, -0.5, INF),
            (0.0, INF, 0.0),
            (-0.0, -INF, INF),
        ],
    );
    check_pairs(
        "pow",
        &[
            (INF, 2.0, INF),
            (INF, -2.0, 0.0),
            (-INF, 3.0, -INF),
            (-INF, 2.0, INF),
            (-INF, 0.5, INF),
            (-INF, -3.0, -0.0),
            (-INF, -2.0, 0.0),
            (-INF, -0.5, 0.0),
            (-INF, INF, INF),
            (INF, -INF, 0.0),
        ],
    );
}

#[test]
fn powers_of_negative_numbers_and_to_infinity() {
    check_pairs(
        "pow",
        &[
            (-2.0, 2.0, 4.0),
            (-2.0, 3.0, -8.0),
            (-2.0, -1.0, -0.5),
            (-2.0, 0.5, NAN),
            (-0.5, -1.5, NAN),
            (-1.0, 8_388_607.0, -1.0),
            (-1.0, 16_777_216.0, 1.0),
            (-1.0, 1e30, 1.0),
            (-2.0, 1e30, INF),
            (-2.0, -1e30, 0.0),
        ],
    );
    check_pairs(
        "pow",
        &[
            (2.0, INF, INF),
            (2.0, -INF, 0.0),
            (0.5, INF, 0.0),
            (0.5, -INF, INF),
            (-2.0, INF, INF),
            (-0.5, INF, 0.0),
            (-0.5, -INF, INF),
            (3.0, 2.0, 9.0),
            (10.0, 10.0, 1e10),
        ],
    );
    // In f32, 2^24 - 1 is the largest odd number; in f64, 2^53 - 1.
    let pow = || pair_cases().into_iter().find(|case| case.name == "pow").unwrap();
    assert_eq!(pow().single.map(|pow| pow(-1.0, 16_777_215.0)), [-1.0; 2]);
    assert_eq!(pow().double.map(|pow| pow(-1.0, 9_007_199_254_740_991.0)), [-1.0; 2]);
    assert_eq!(pow().double.map(|pow| pow(-1.0, 9_007_199_254_740_992.0)), [1.0; 2]);
}
