//! The numbers against what their distributions promise. Knows no internals of the generator.

use super::{Random, Real, draw};
use crate::error::ErrorKind;
use crate::kernels::{Distribution, lowering};
use crate::types::{DType, Spec};
use crate::value::Layout;

const UNIFORM: Distribution = Distribution::Uniform { low: -1.0, high: 3.0 };
const NORMAL: Distribution = Distribution::Normal { mean: 1.5, std: 2.0 };
const TRUNCATED: Distribution = Distribution::TruncatedNormal { mean: -1.0, std: 0.5 };

fn drawn<T: Real>(distribution: Distribution, state: [i64; 2], count: usize) -> Vec<T> {
    draw(lowering::Random { distribution }, state, count).unwrap().0
}

/// Compares the first four central moments of a million numbers with the expected ones, within five standard errors.
fn check_moments<T: Real + Into<f64>>(distribution: Distribution, expected: [f64; 4]) {
    const COUNT: usize = 1_000_000;
    let numbers: Vec<f64> =
        drawn::<T>(distribution, [42, 0], COUNT).into_iter().map(Into::into).collect();
    let mean_of = |f: &dyn Fn(f64) -> f64| {
        let mean = numbers.iter().map(|it| f(*it)).sum::<f64>() / COUNT as f64;
        let square = numbers.iter().map(|it| (f(*it) - mean).powi(2)).sum::<f64>() / COUNT as f64;
        (mean, (square / COUNT as f64).sqrt())
    };
    let centre = expected[0];
    for (order, expected) in (1..).zip(expected) {
        let (found, error) = match order {
            1 => mean_of(&|it| it),
            _ => mean_of(&|it| (it - centre).powi(order)),
        };
        assert!(
            (found - expected).abs() < 5.0 * error,
            "{distribution:?}: moment {order} is {found} +- {error}, wanted {expected}"
        );
    }
}

#[test]
fn moments_are_those_of_the_distribution() {
    // The variance of a standard normal cut at two: 1 - 4 * density(2) / P(|z| < 2); the fourth moment likewise.
    let density = (-2.0f64).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let inside = libm::erf(std::f64::consts::SQRT_2);
    let second = 1.0 - 4.0 * density / inside;
    let fourth = 3.0 * second - 16.0 * density / inside;
    for (distribution, moments) in [
        (UNIFORM, [1.0, 16.0 / 12.0, 0.0, 256.0 / 80.0]),
        (NORMAL, [1.5, 4.0, 0.0, 48.0]),
        (TRUNCATED, [-1.0, 0.25 * second, 0.0, 0.0625 * fourth]),
    ] {
        check_moments::<f32>(distribution, moments);
        check_moments::<f64>(distribution, moments);
    }
}

#[test]
fn neighbours_do_not_depend_on_each_other() {
    let numbers: Vec<f64> = drawn(Distribution::Normal { mean: 0.0, std: 1.0 }, [3, 9], 1_000_000);
    for lag in [1, 2, 3, 4, 32] {
        let products = numbers.windows(lag + 1).map(|it| it[0] * it[lag]);
        let correlation = products.sum::<f64>() / numbers.len() as f64;
        assert!(correlation.abs() < 5.0 / 1000.0, "lag {lag}: {correlation}");
    }
}

#[test]
fn a_range_is_kept_and_its_upper_end_not_reached() {
    // Few elements lie in these ranges, so rounding would reach the end often.
    let narrow = Distribution::Uniform { low: 1.0, high: 1.0 + 4.0 * f64::from(f32::EPSILON) };
    let numbers = drawn::<f32>(narrow, [1, 1], 100_000);
    let mut seen: Vec<f32> = numbers;
    seen.sort_by(f32::total_cmp);
    seen.dedup();
    assert_eq!(seen, (0..4u8).map(|at| 1.0 + f32::from(at) * f32::EPSILON).collect::<Vec<_>>());
    let tenth = drawn::<f32>(Distribution::Uniform { low: -0.1, high: 0.1 }, [1, 1], 1_000_000);
    assert!(tenth.iter().all(|it| (-0.1..0.1).contains(&f64::from(*it))));
    let wide = drawn::<f64>(Distribution::Uniform { low: f64::MIN, high: f64::MAX }, [1, 1], 1000);
    assert!(wide.iter().all(|it| it.is_finite() && *it < f64::MAX));
    let cut = drawn::<f64>(TRUNCATED, [5, 5], 1_000_000);
    assert!(cut.iter().all(|it| (-2.0..=0.0).contains(it)));
    assert!(cut.iter().any(|it| *it < -1.99) && cut.iter().any(|it| *it > -0.01));
}

/// Draws in one go and piece by piece, where each piece continues with the state the last one left.
fn check_pieces<T: Real>(distribution: Distribution) {
    let whole = drawn::<T>(distribution, [-5, i64::MAX - 3], 40_000);
    let mut state = [-5, i64::MAX - 3];
    let mut pieces = Vec::new();
    for count in [4, 0, 64, 32, 8192, 20_000, 11_708] {
        let (piece, next) = draw::<T>(lowering::Random { distribution }, state, count).unwrap();
        pieces.extend(piece);
        state = next;
    }
    assert_eq!(pieces, whole, "{distribution:?}");
    let shorter = drawn::<T>(distribution, [-5, i64::MAX - 3], 39_999);
    assert_eq!(shorter, whole[..39_999], "the count does not change what comes before");
}

#[test]
fn pieces_are_the_same_as_the_whole() {
    for distribution in [UNIFORM, NORMAL, TRUNCATED] {
        check_pieces::<f32>(distribution);
        check_pieces::<f64>(distribution);
    }
}

#[test]
fn the_first_numbers_are_these_on_every_machine() {
    let unit = Distribution::Uniform { low: 0.0, high: 1.0 };
    // The known answer for counter and key 0, shifted to 24 bits: 0x6627e8, 0xe169c5, 0xbc57ac, 0x9b00db.
    let expected =
        [0x66_27e8, 0xe1_69c5, 0xbc_57ac, 0x9b_00db_u32].map(|it| it as f32 / 16_777_216.0);
    assert_eq!(drawn::<f32>(unit, [0, 0], 4), expected);
    let expected = [0xe169_c58d_6627_e8d5, 0x9b00_dbd8_bc57_ac4c_u64];
    assert_eq!(drawn::<f64>(unit, [0, 0], 2), expected.map(|it| (it >> 11) as f64 / 2f64.powi(53)));
    let normal = drawn::<f64>(Distribution::Normal { mean: 0.0, std: 1.0 }, [0, 0], 2);
    // As Python's `statistics.NormalDist().inv_cdf`, which is the same algorithm, gives for these bits.
    assert_eq!(normal, [-0.3041148472286654, -1.2509198861888606]);
}

#[test]
fn runs_from_a_strided_state_and_leaves_the_next() {
    let state =
        Layout { spec: Spec::new(DType::I64, [2]), strides: [-2isize].into_iter().collect() };
    let output = Spec::new(DType::F64, [3, 3]);
    let kernel = Random::new(lowering::Random { distribution: NORMAL }, &state, output).unwrap();
    let stored = [10i64, 0, 77];
    let mut numbers = [0.0f64; 9];
    let mut next = [0i64; 2];
    let outputs = [numbers.as_mut_ptr().cast(), next.as_mut_ptr().cast()];
    // SAFETY: the seed stands last, the counter two before it; nine numbers and a state have room.
    unsafe { kernel.run(&[stored.as_ptr().add(2).cast()], &outputs).unwrap() };
    assert_eq!(numbers.as_slice(), drawn::<f64>(NORMAL, [77, 10], 9));
    assert_eq!(next, [77, 15]);
}

#[test]
fn what_makes_no_distribution_is_refused() {
    let refused =
        |distribution| draw::<f32>(lowering::Random { distribution }, [0, 0], 1).unwrap_err();
    let error = refused(Distribution::Uniform { low: 1.0, high: 1.0 });
    assert_eq!(error.kind(), ErrorKind::Value);
    assert_eq!(
        error.to_string(),
        "uniform random numbers need finite `low < high` with a float32 between them, found [1, 1)\n  \
         help: give the lower end first; the upper end is never reached"
    );
    refused(Distribution::Uniform { low: 1.0 + 1e-12, high: 1.0 + 2e-12 });
    refused(Distribution::Uniform { low: f64::NAN, high: 1.0 });
    let error = refused(Distribution::Normal { mean: 0.0, std: -1.0 });
    assert_eq!(
        error.to_string(),
        "normal random numbers need a finite mean and a finite standard deviation of at least 0, \
         found mean 0 and standard deviation -1\n  \
         help: if this is a variance that was computed, look where it became negative or NaN"
    );
    assert_eq!(drawn::<f32>(Distribution::Normal { mean: 2.0, std: 0.0 }, [0, 0], 3), [2.0; 3]);
}
