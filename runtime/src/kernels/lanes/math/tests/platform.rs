//! The functions give the same bits on every platform.
//! It does not know whether those bits are right.

use super::cases::{cases, pair_cases};
use super::measure::numbers;

/// All results with fused multiply-adds. A function that is made better changes them; a CPU, a
/// compiler or an optimisation may not.
const FINGERPRINTS: [u64; 2] = [0x9405_ac61_f4f5_6a01, 0xe48a_f218_d478_95fe];

#[test]
fn every_platform_gives_the_same_bits() {
    let numbers: Vec<f64> = numbers().collect();
    let pairs = || numbers.iter().copied().zip(numbers.iter().rev().copied());
    let mut found = [0xcbf2_9ce4_8422_2325; 2];
    for case in cases() {
        for &x in &numbers {
            let y = case.single[0](x as f32);
            mix(&mut found[0], if y.is_nan() { 0 } else { y.to_bits().into() });
            let y = case.double[0](x);
            mix(&mut found[1], if y.is_nan() { 0 } else { y.to_bits() });
        }
    }
    for case in pair_cases() {
        for (x, y) in pairs() {
            let z = case.single[0](x as f32, y as f32);
            mix(&mut found[0], if z.is_nan() { 0 } else { z.to_bits().into() });
            let z = case.double[0](x, y);
            mix(&mut found[1], if z.is_nan() { 0 } else { z.to_bits() });
        }
    }
    assert_eq!(found, FINGERPRINTS, "found {found:#018x?}");
}

/// One step of the hash FNV-1a, by 64 bits at a time.
fn mix(hash: &mut u64, bits: u64) {
    *hash = (*hash ^ bits).wrapping_mul(0x0000_0100_0000_01b3);
}
