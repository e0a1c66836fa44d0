//! The gradients of normalisations where others fail or have none: masks, rows of NaN, equal elements, sizes whose third
//! power overflows.

use crate::support::{gradients_of, has_gradient as check};
use graphfn::prelude::*;

const INF: f64 = f64::INFINITY;

/// A weight for each of three columns.
fn weights(a: f64, b: f64, c: f64) -> Tensor {
    Tensor::from([a, b, c])
}

/// x = [[1, 2]] times the weights of the case, and their gradient: by JAX in float64.
#[test]
fn d1_softmax_and_layer_norm_have_gradients() {
    let x = Tensor::from([[1.0, 2.0]]);
    let w = [[0.2, -0.5, 0.3], [0.7, 0.1, -0.4]];
    check(
        |w| x.matmul(w).softmax(-1) * weights(1.0, 2.0, 3.0),
        w,
        &[
            -0.243_800_890_733_911_42,
            0.081_118_114_501_531_43,
            0.162_682_776_232_379_9,
            -0.487_601_781_467_822_85,
            0.162_236_229_003_062_87,
            0.325_365_552_464_759_8,
        ],
    );
    check(
        |w| x.matmul(w).layer_norm(1.0, 0.0, -1, 1e-5) * weights(1.0, 2.0, 4.0),
        w,
        &[
            0.094_378_164_304_099_51,
            -0.991_139_847_591_159_5,
            0.896_761_683_287_059_1,
            0.188_756_328_608_199_02,
            -1.982_279_695_182_319,
            1.793_523_366_574_118_1,
        ],
    );
}

/// JAX in float64.
#[test]
fn gradients_are_jax_s() {
    check(
        |x| x.log_softmax(-1) * weights(1.0, 2.0, 4.0),
        [[0.3, -1.2, 2.0], [1.5, 0.25, -0.75]],
        &[
            -0.045_232_035_283_738_19,
            1.766_777_208_574_870_3,
            -1.721_545_173_291_131_5,
            -4.029_082_388_057_454,
            0.559_143_772_016_439_4,
            3.469_938_616_041_015_5,
        ],
    );
    check(
        |x| x.rms_norm(weights(1.0, 2.0, 4.0), -1, 1e-6),
        [[0.3, -1.2, 2.0]],
        &[0.500_795_904_354_038_1, 2.416_072_729_132_842_8, 1.374_525_430_560_699_8],
    );
    check(
        |x| x.l2_normalize(-1, 1e-12) * weights(1.0, 2.0, 4.0),
        [[0.3, -1.2, 2.0], [0.0, 0.0, 0.0]],
        &[
            0.289_134_654_776_715_07,
            1.394_920_914_268_513_3,
            0.793_582_350_344_600_7,
            1e6,
            2e6,
            4e6,
        ],
    );
}

#[test]
fn i5_masked_elements_get_no_gradient() {
    let second = || weights(0.0, 1.0, 0.0);
    check(|x| times_chosen(&x.softmax(0), &second()), [-INF, 0.0, 0.0], &[0.0, 0.25, -0.25]);
    check(|x| times_chosen(&x.log_softmax(0), &second()), [-INF, 0.0, 0.0], &[0.0, 0.5, -0.5]);
    // d2 s[1] / dx dx of softmax, times 1, 1.875, 1.375: 0 where masked, for s'' = s (1 - s) (1 - 2 s) is 0 at a half.
    let [_, bend] = gradients_of(|x| times_chosen(&x.softmax(0), &second()), &mask());
    assert_eq!(bend, [0.0, 0.0, 0.0]);
}

fn mask() -> Tensor {
    Tensor::from([-INF, 0.0, 0.0])
}

/// What a mask of ones and zeros leaves; what it does not choose has no say.
fn times_chosen(x: &Tensor, mask: &Tensor) -> Tensor {
    mask.equal(1.0).select(x, 0.0)
}

#[test]
fn rows_that_nobody_uses_get_no_gradient() {
    let x = [[-INF, -INF], [0.0, 0.0]];
    let used = Tensor::from([[false], [true]]);
    check(|x| used.select(x.softmax(-1), 0.0).square(), x, &[0.0; 4]);
    check(|x| used.select(x.log_softmax(-1), 0.0), x, &[0.0; 4]);
    check(
        |x| used.select(x.layer_norm(1.0, 0.0, -1, 0.0), 0.0),
        [[3.0, 3.0], [1.0, 2.0]],
        &[0.0; 4],
    );
}

#[test]
fn equal_elements_have_no_gradient_of_their_own() {
    check(|x| x.layer_norm(weights(1.0, 1.0, 1.0), 0.5, -1, 1e-5), [7.0; 3], &[0.0; 3]);
    let root = 1.0 / 1e-5f64.sqrt();
    check(|x| x.rms_norm(1.0, -1, 1e-5), [0.0, 0.0], &[root, root]);
}

/// The first vector is [3, 4] times 1e-120: the third power of its reciprocal length is beyond all numbers.
#[test]
fn tiny_vectors_have_the_gradients_of_large_ones() {
    let tiny = 1e-120;
    let [a, b] = [0.128e120, -0.096e120];
    let first = || Tensor::from([1.0, 0.0]);
    check(
        |x| x.l2_normalize(0, 0.0) * first() * tiny,
        [3.0 * tiny, 4.0 * tiny],
        &[a * tiny, b * tiny],
    );
    let root_two = 2.0f64.sqrt();
    check(
        |x| x.rms_norm(1.0, 0, 0.0) * first() * tiny,
        [3.0 * tiny, 4.0 * tiny],
        &[a * tiny * root_two, b * tiny * root_two],
    );
}

#[test]
fn dropout_passes_the_gradient_of_what_it_keeps() {
    let x = Tensor::ones::<f64>([64]);
    let tape = GradientTape::new();
    tape.watch(&x);
    let y = x.dropout(0.5);
    // Ones: what is kept is 2 and has the slope 2, the rest is 0 and has none.
    let (kept, slopes) = (y.to_vec::<f64>(), tape.gradient(&y, &x).unwrap().to_vec::<f64>());
    assert_eq!(kept, slopes);
    assert!(kept.contains(&0.0) && kept.contains(&2.0), "{kept:?}");
}
