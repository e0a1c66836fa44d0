//! Errors in ulps, and the worst of many.
//! It knows no function.

/// How far `got` is from `wanted + fraction * ulp`, in steps between neighbouring `f64`.
pub(super) fn double_error(got: f64, wanted: f64, fraction: f64) -> f64 {
    let steps = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 { i64::MIN - bits } else { bits }
    };
    error(got, wanted, steps(got).wrapping_sub(steps(wanted)) as f64, fraction)
}

/// How far `got` is from `reference`, in steps between neighbouring `f32`.
pub(super) fn single_error(got: f32, reference: f64) -> f64 {
    let wanted = reference as f32;
    let steps = |x: f32| {
        let bits = x.to_bits() as i32;
        i64::from(if bits < 0 { i32::MIN - bits } else { bits })
    };
    let spacing = f64::from(wanted.abs().next_up()) - f64::from(wanted.abs());
    let fraction = (reference - f64::from(wanted)) / spacing;
    let fraction = if fraction.is_finite() { fraction } else { 0.0 };
    error(got.into(), wanted.into(), (steps(got) - steps(wanted)) as f64, fraction)
}

/// Zero has to have the right sign, and NaN to be NaN.
fn error(got: f64, wanted: f64, steps: f64, fraction: f64) -> f64 {
    if got.is_nan() || wanted.is_nan() {
        return if got.is_nan() && wanted.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got == 0.0 && wanted == 0.0 && got.is_sign_negative() != wanted.is_sign_negative() {
        return f64::INFINITY;
    }
    (steps - fraction).abs()
}

/// The worst error seen so far, and where.
#[derive(Default)]
pub(super) struct Worst {
    error: f64,
    place: String,
    count: usize,
}

impl Worst {
    /// Adds one measurement.
    pub(super) fn see(&mut self, error: f64, place: impl Fn() -> String) {
        self.count += 1;
        if error > self.error {
            (self.error, self.place) = (error, place());
        }
    }

    /// Fails if the worst error is above the bound, or if there was nothing to measure.
    pub(super) fn check(&self, what: &str, bound: f64) {
        println!("{what:<18} {:.3} of {bound} ulp at {}", self.error, self.place);
        assert!(self.count > 100, "{what}: only {} points", self.count);
        assert!(self.error <= bound, "{what}: {} ulp at {}", self.error, self.place);
    }
}

/// Numbers of every sign, exponent and significand, the same on each run.
pub(super) fn all_magnitudes(count: usize, seed: u64) -> impl Iterator<Item = f32> {
    let mut state = seed;
    (0..count).map(move |_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f32::from_bits((state >> 32) as u32)
    })
}

/// Every magnitude, some of them with all bits of an `f64` in use, and the usual range.
pub(super) fn numbers() -> impl Iterator<Item = f64> {
    let any = all_magnitudes(4001, 7).map(f64::from);
    let usual = all_magnitudes(8000, 8).map(|x| f64::from(x.to_bits()) / 3e8 - 5.0);
    any.chain(usual)
}
