//! Every function against published vectors, precomputed points and a dense sweep.
//! It does not know the functions one by one.

use std::fs;
use std::path::Path;

use super::cases::{Case, PairCase, cases, pair_cases};
use super::measure::{Worst, all_magnitudes, double_error, single_error};

const MACHINES: [&str; 2] = ["", " without FMA"];
const SWEEP: usize = 200_000;

/// The lines of `vectors/{folder}/{name}.txt`, if there is such a file, each cut into words.
fn read(folder: &str, name: &str) -> Option<Vec<Vec<String>>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/kernels/lanes/math/vectors");
    let text = fs::read_to_string(root.join(folder).join(name).with_extension("txt")).ok()?;
    Some(text.lines().map(|line| line.split(' ').map(String::from).collect()).collect())
}

fn double(word: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(word, 16).unwrap())
}

fn single(word: &str) -> f32 {
    f32::from_bits(u32::from_str_radix(word, 16).unwrap())
}

/// Input and output as NumPy publishes them, correctly rounded.
#[test]
fn published_vectors_hold() {
    let mut files = 0;
    for Case { name, single: singles, double: doubles, bound, .. } in cases() {
        let Some(lines) = read("numpy", name) else { continue };
        files += 1;
        for (machine, (s, d)) in MACHINES.iter().zip(singles.into_iter().zip(doubles)) {
            let mut worst = Worst::default();
            for line in &lines {
                let [x, y] = &line[..] else { panic!("{name}: {line:?}") };
                let error = match x.len() {
                    8 => single_error(s(single(x)), single(y).into()),
                    _ => double_error(d(double(x)), double(y), 0.0),
                };
                worst.see(error, || x.clone());
            }
            worst.check(&format!("{name}{machine}"), bound);
        }
    }
    assert_eq!(files, 12);
}

/// Input, output and the rest of the output in 1/256 ulp, computed with 300 bits and more.
#[test]
fn precomputed_points_hold() {
    let check = |name: &str, machine: &str, bound: f64, call: &dyn Fn(&[f64]) -> f64| {
        let mut worst = Worst::default();
        for line in read("points", name).unwrap() {
            let (fraction, numbers) = line.split_last().unwrap();
            let numbers: Vec<f64> = numbers.iter().map(|word| double(word)).collect();
            let (wanted, inputs) = numbers.split_last().unwrap();
            let fraction = fraction.parse::<f64>().unwrap() / 256.0;
            worst.see(double_error(call(inputs), *wanted, fraction), || format!("{inputs:?}"));
        }
        worst.check(&format!("{name}{machine}"), bound);
    };
    for Case { name, double, bound, .. } in cases() {
        for (machine, function) in MACHINES.iter().zip(double) {
            check(name, machine, bound, &|x| function(x[0]));
        }
    }
    for PairCase { name, double, bound, .. } in pair_cases() {
        for (machine, function) in MACHINES.iter().zip(double) {
            check(name, machine, bound, &|x| function(x[0], x[1]));
        }
    }
}

#[test]
fn singles_of_every_magnitude_hold() {
    for Case { name, single, reference, bound, .. } in cases() {
        for (machine, function) in MACHINES.iter().zip(single) {
            let mut worst = Worst::default();
            for x in all_magnitudes(SWEEP, 1).chain(moderate(SWEEP, 2)) {
                let error = single_error(function(x), reference(x.into()));
                worst.see(error, || format!("{x:e}"));
            }
            worst.check(&format!("{name}{machine}"), bound);
        }
    }
}

#[test]
fn pairs_of_singles_of_every_magnitude_hold() {
    for PairCase { name, single, reference, bound, .. } in pair_cases() {
        for (machine, function) in MACHINES.iter().zip(single) {
            let mut worst = Worst::default();
            let any = all_magnitudes(SWEEP, 3).zip(all_magnitudes(SWEEP, 4));
            for (x, y) in any.chain(moderate(SWEEP, 5).zip(moderate(SWEEP, 6))) {
                let error = single_error(function(x, y), reference(x.into(), y.into()));
                worst.see(error, || format!("{x:e}, {y:e}"));
            }
            worst.check(&format!("{name}{machine}"), bound);
        }
    }
}

/// The magnitudes that functions are mostly used at, 2^-12 to 2^7.
fn moderate(count: usize, seed: u64) -> impl Iterator<Item = f32> {
    all_magnitudes(count, seed).enumerate().map(|(index, x)| {
        let exponent = 115 + (index % 20) as u32;
        f32::from_bits(x.to_bits() & 0x807f_ffff | exponent << 23)
    })
}
