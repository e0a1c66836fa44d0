//! The quantiles of the standard normal distribution: algorithm AS 241 (PPND16) of Wichura, "The percentage points of
//! the normal distribution", Applied Statistics 37 (1988). Knows IEEE arithmetic and `libm`, so it is the same anywhere.

/// The numbers that have these probabilities, each in `(0, 0.5]`, above them; each result is at least 0.
#[inline(always)]
pub(super) fn quantiles<const N: usize>(tails: &[f64; N]) -> [f64; N] {
    let mut quantiles = [0.0; N];
    // The centre needs no branch, so it is computed for all, which LLVM makes vectors of.
    for (quantile, tail) in quantiles.iter_mut().zip(tails) {
        let distance = 0.5 - tail;
        let at = 0.180625 - distance * distance;
        *quantile = distance * (polynomial(&CENTRE_ABOVE, at) / polynomial(&CENTRE_BELOW, at));
    }
    for (quantile, tail) in quantiles.iter_mut().zip(tails) {
        if 0.5 - tail > 0.425 {
            *quantile = outer(*tail);
        }
    }
    quantiles
}

/// The quantile outside the centre, where the tail has less than 0.075.
fn outer(tail: f64) -> f64 {
    let depth = (-libm::log(tail)).sqrt();
    if depth <= 5.0 {
        polynomial(&TAIL_ABOVE, depth - 1.6) / polynomial(&TAIL_BELOW, depth - 1.6)
    } else {
        polynomial(&FAR_ABOVE, depth - 5.0) / polynomial(&FAR_BELOW, depth - 5.0)
    }
}

/// Horner's rule, with the coefficient of the highest power first.
#[inline(always)]
fn polynomial(coefficients: &[f64; 8], at: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * at + coefficient)
}

const CENTRE_ABOVE: [f64; 8] = [
    2509.0809287301227,
    33430.57558358813,
    67265.7709270087,
    45921.95393154987,
    13731.69376550946,
    1971.5909503065513,
    133.14166789178438,
    3.3871328727963665,
];
const CENTRE_BELOW: [f64; 8] = [
    5226.495278852854,
    28729.085735721943,
    39307.89580009271,
    21213.794301586597,
    5394.196021424751,
    687.1870074920579,
    42.31333070160091,
    1.0,
];
const TAIL_ABOVE: [f64; 8] = [
    0.0007745450142783414,
    0.022723844989269184,
    0.2417807251774506,
    1.2704582524523684,
    3.6478483247632045,
    5.769497221460691,
    4.630337846156546,
    1.4234371107496835,
];
const TAIL_BELOW: [f64; 8] = [
    1.0507500716444169e-09,
    0.0005475938084995345,
    0.015198666563616457,
    0.14810397642748008,
    0.6897673349851,
    1.6763848301838038,
    2.053191626637759,
    1.0,
];
const FAR_ABOVE: [f64; 8] = [
    2.0103343992922881e-07,
    2.7115555687434876e-05,
    0.0012426609473880784,
    0.026532189526576124,
    0.29656057182850487,
    1.7848265399172913,
    5.463784911164114,
    6.657904643501103,
];
const FAR_BELOW: [f64; 8] = [
    2.0442631033899397e-15,
    1.421511758316446e-07,
    1.8463183175100548e-05,
    0.0007868691311456133,
    0.014875361290850615,
    0.1369298809227358,
    0.599832206555888,
    1.0,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The tail above a number, by the complementary error function.
    fn tail(quantile: f64) -> f64 {
        0.5 * libm::erfc(quantile / std::f64::consts::SQRT_2)
    }

    #[test]
    fn agrees_with_known_quantiles() {
        let found = quantiles(&[0.25, 0.001, 1e-20]);
        let known = [0.674_489_750_196_081_7, 3.090_232_306_167_814, 9.262_340_089_798_408];
        for (found, known) in found.iter().zip(known) {
            assert!((found - known).abs() <= 4e-16 * known, "{found} and {known}");
        }
    }

    #[test]
    fn is_the_inverse_of_the_tail() {
        for at in 1..=880 {
            let wanted = at as f64 / 100.0;
            let [found] = quantiles(&[tail(wanted)]);
            // Near the middle the tail keeps fewer digits of the quantile.
            assert!((found - wanted).abs() < 2e-14, "{found} and {wanted}");
        }
        assert_eq!(quantiles(&[0.5]), [0.0]);
    }
}
