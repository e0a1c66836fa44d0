//! Softmax, normalisations and dropout: numbers of TensorFlow, Keras and JAX, one trace for all sizes, and what is refused.

use crate::support::{holds, refused};
use graphfn::random::Generator;
use graphfn::{Tolerance, assert_close, prelude::*};
use ndarray::Array2;

const EXACT: Tolerance = Tolerance::EXACT;
const EXACT_OR_NAN: Tolerance = Tolerance::EXACT.with_nan();
const CLOSE: Tolerance = Tolerance::relative(1e-14);
const CLOSE_F32: Tolerance = Tolerance::relative(1e-6);
const INF: f64 = f64::INFINITY;

fn numbers() -> Tensor {
    Tensor::from([[0.3, -1.2, 2.0], [1.5, 0.25, -0.75]])
}

/// Checks a function of these numbers, in `f64` and in `f32`.
#[track_caller]
fn gives(f: impl Fn(&Tensor) -> Tensor, wanted: [[f64; 3]; 2]) {
    holds(|[x]| f(x), [numbers()], wanted, CLOSE);
    let wanted = Tensor::from(wanted).cast(DType::F32);
    holds(|[x]| f(x), [numbers().cast(DType::F32)], wanted, Tolerance::relative(4e-6));
}

/// `tf.nn.softmax`, and `jax.nn.softmax` for other axes.
#[test]
fn softmax_is_tensorflow_s_along_any_axes() {
    let rows = [
        [0.149_318_862_183_391_2, 0.033_317_541_632_161_39, 0.817_363_596_184_447_4],
        [0.718_440_341_151_064_9, 0.205_836_603_997_651_52, 0.075_723_054_851_283_51],
    ];
    gives(|x| x.softmax(-1), rows);
    gives(
        |x| x.softmax(0),
        [
            [0.231_475_216_500_982_35, 0.190_001_566_015_312_98, 0.939_913_349_825_992_4],
            [0.768_524_783_499_017_5, 0.809_998_433_984_687_1, 0.060_086_650_174_007_62],
        ],
    );
    let all = [
        [0.088_352_009_865_041_63, 0.019_713_998_110_622_39, 0.483_634_253_954_600_5],
        [0.293_339_003_110_711_15, 0.084_043_031_497_404_97, 0.030_917_703_461_619_26],
    ];
    gives(|x| x.softmax(()), all);
    gives(|x| x.softmax([1, 0]), all);
}

/// `tf.nn.log_softmax` and `jax.nn.log_softmax`.
#[test]
fn log_softmax_is_tensorflow_s() {
    gives(
        |x| x.log_softmax(-1),
        [
            [-1.901_671_244_952_790_6, -3.401_671_244_952_791, -0.201_671_244_952_790_57],
            [-0.330_672_609_407_224_1, -1.580_672_609_407_224, -2.580_672_609_407_224],
        ],
    );
    gives(
        |x| x.log_softmax(0),
        [
            [-1.463_282_467_338_031_4, -1.660_722_964_669_759_7, -0.061_967_589_003_198_63],
            [-0.263_282_467_338_031_3, -0.210_722_964_669_759_76, -2.811_967_589_003_198_8],
        ],
    );
}

/// `jax.nn.softmax` and `jax.nn.log_softmax` of the same.
#[test]
fn infinities_and_nan_are_jax_s() {
    let odd = || {
        let rows = [[INF, 0.0], [-INF, -INF], [f64::NAN, 0.0], [-INF, 5.0], [-1e308, 1e308]];
        Tensor::from(rows)
    };
    let none = [f64::NAN; 2];
    let shares = [none, none, none, [0.0, 1.0], [0.0, 1.0]];
    holds(|[x]| x.softmax(-1), [odd()], shares, EXACT_OR_NAN);
    let logarithms = [none, none, none, [-INF, 0.0], [-INF, 0.0]];
    holds(|[x]| x.log_softmax(-1), [odd()], logarithms, EXACT_OR_NAN);
}

/// As in JAX there is nothing to share and no complaint.
#[test]
fn softmax_of_nothing_is_nothing() {
    for sizes in [(2, 0), (0, 3)] {
        let empty = || Tensor::from(Array2::<f32>::zeros(sizes));
        for axis in [0, 1] {
            holds(|[x]| x.softmax(axis), [empty()], empty(), EXACT);
            holds(|[x]| x.log_softmax(axis), [empty()], empty(), EXACT);
        }
    }
    holds(|[x]| x.softmax(()), [Tensor::from(7.0f32)], 1.0f32, EXACT);
}

/// `LayerNormalization` of Keras with `epsilon=1e-3`.
#[test]
fn layer_norm_is_keras_s() {
    gives(
        |x| {
            let scale = Tensor::from([2.0, -1.0, 0.5]).cast(x.dtype());
            let offset = Tensor::from([0.5, 0.25, 0.75]).cast(x.dtype());
            x.layer_norm(scale, offset, -1, 1e-3)
        },
        [
            [0.398_034_138_828_236_5, 1.448_098_868_768_219_5, 1.374_540_899_677_050_5],
            [3.033_506_146_177_031_4, 0.340_482_362_363_465_4, 0.161_864_644_637_474_85],
        ],
    );
    gives(
        |x| x.layer_norm(1.0, 0.0, (), 1e-3),
        [
            [-0.044_205_687_221_208_49, -1.370_376_303_857_465_7, 1.458_787_678_299_883],
            [1.016_730_806_087_797_3, -0.088_411_374_442_417_06, -0.972_525_118_866_588_5],
        ],
    );
}

/// `RMSNormalization` of Keras with `epsilon=1e-6`.
#[test]
fn rms_norm_is_keras_s() {
    gives(
        |x| x.rms_norm(Tensor::from([2.0, -1.0, 0.5]).cast(x.dtype()), -1, 1e-6),
        [
            [0.441_925_634_654_899_5, 0.883_851_269_309_799, 0.736_542_724_424_832_5],
            [3.064_521_911_850_915, -0.255_376_825_987_576_2, -0.383_065_238_981_364_35],
        ],
    );
}

/// `tf.math.l2_normalize`; the length of the second row is less than 2, the root of 4.
#[test]
fn l2_normalize_is_tensorflow_s() {
    let first = [0.127_572_976_668_768_68, -0.510_291_906_675_074_7, 0.850_486_511_125_124_5];
    let second = [0.884_651_736_929_382_8, 0.147_441_956_154_897_14, -0.442_325_868_464_691_4];
    gives(|x| x.l2_normalize(-1, 1e-12), [first, second]);
    gives(|x| x.l2_normalize(-1, 4.0), [first, [0.75, 0.125, -0.375]]);
    gives(
        |x| x.l2_normalize((), 1e-12),
        [
            [0.103_479_041_149_250_86, -0.413_916_164_597_003_4, 0.689_860_274_328_339_1],
            [0.517_395_205_746_254_3, 0.086_232_534_291_042_38, -0.258_697_602_873_127_15],
        ],
    );
}

/// `tf.nn.batch_normalization` with `variance_epsilon=1e-3`.
#[test]
fn batch_norm_is_tensorflow_s() {
    gives(
        |x| {
            let of = |numbers: [f64; 3]| Tensor::from(numbers).cast(x.dtype());
            let (mean, variance) = (of([0.5, -0.25, 1.0]), of([2.0, 0.5, 0.01]));
            x.batch_norm(mean, variance, of([0.1, 0.2, 0.3]), of([2.0, -1.0, 0.5]), 1e-3)
        },
        [
            [-0.182_772_028_301_961, 1.542_161_393_271_622_3, 5.067_312_946_227_961],
            [1.513_860_141_509_804_7, -0.506_400_733_300_853_8, -8.042_797_655_898_934],
        ],
    );
}

#[test]
fn parameters_are_variables_too() {
    let scale = Variable::new("scale", [2.0f32, -1.0, 0.5]);
    let x = Variable::new("x", [3.0f32, 3.0, 3.0]);
    assert_eq!(x.layer_norm(&scale, 0.25, 0, 1e-5).to_vec::<f32>(), [0.25; 3]);
    assert_close(x.rms_norm(&scale, 0, 0.0), [2.0f32, -1.0, 0.5], CLOSE_F32);
    assert_close(x.softmax(0), [1.0f32 / 3.0; 3], CLOSE_F32);
    assert_eq!(x.batch_norm(3.0, 1.0, &scale, 1.0, 0.0).to_vec::<f32>(), [2.0, -1.0, 0.5]);
}

#[test]
fn dropout_leaves_out_its_share_and_keeps_the_mean() {
    #[graph_fn]
    fn thinned(x: &Tensor, generator: &Generator) -> Tensor {
        x.dropout_from(generator, 0.25)
    }
    const N: usize = 100_000;
    let x = Tensor::ones::<f64>([N / 10, 10]);
    let (traced, eager) = (Generator::new(7), Generator::new(7));
    let mut before: Vec<f64> = Vec::new();
    for _ in 0..3 {
        let y = thinned(&x, &traced).to_vec::<f64>();
        assert_eq!(y, x.dropout_from(&eager, 0.25).to_vec::<f64>(), "traced as eagerly");
        assert_ne!(y, before, "each call draws anew");
        let kept = y.iter().filter(|it| **it != 0.0).count() as f64;
        assert!(y.iter().all(|it| *it == 0.0 || *it == 1.0 / 0.75));
        // Seven standard deviations of a binomial distribution.
        let spread = 7.0 * (N as f64 * 0.25 * 0.75).sqrt();
        assert!((kept - 0.75 * N as f64).abs() < spread, "{kept}");
        before = y;
    }
}

#[test]
fn dropout_draws_from_the_default_generator_and_drops_what_is_no_number() {
    random::set_seed(3);
    let x = Tensor::from([f32::INFINITY, f32::NAN].repeat(50));
    let y = x.dropout(0.5).to_vec::<f32>();
    let zeros = y.iter().filter(|it| **it == 0.0).count();
    assert!((20..80).contains(&zeros), "{zeros}");
    assert!(y.iter().all(|it| *it == 0.0 || it.is_nan() || it.is_infinite()));
    random::set_seed(3);
    let again = x.dropout(0.5);
    assert_close(again, y, EXACT_OR_NAN);
    assert_eq!(numbers().dropout(0.0).to_vec::<f64>(), numbers().to_vec::<f64>());
}

#[test]
fn one_trace_serves_all_sizes() {
    #[graph_fn(signature(x: f32[n, m]))]
    fn all(x: &Tensor) -> Vec<Tensor> {
        functions(x)
    }
    fn functions(x: &Tensor) -> Vec<Tensor> {
        let (mean, variance) = (x.mean_axis(0), x.var_axis(0));
        vec![
            x.softmax(-1),
            x.softmax(0),
            x.log_softmax(()),
            x.layer_norm(x.mean_axis(0), 0.0, -1, 1e-3),
            x.rms_norm(1.0, 0, 1e-3),
            x.l2_normalize(-1, 1e-12),
            x.batch_norm(mean, variance, 0.5, 2.0, 1e-3),
            x.dropout(0.0),
        ]
    }
    for (n, m) in [(1, 1), (2, 3), (50, 7), (3, 0), (1000, 33)] {
        let x = (0..n * m).map(|it| ((it * 37 % 101) as f32 - 50.0) / 25.0).collect::<Vec<_>>();
        let x = Tensor::from(x).reshape([n, m]);
        for (found, wanted) in all(&x).iter().zip(functions(&x)) {
            assert_close(found, wanted, EXACT_OR_NAN);
        }
    }
    assert_eq!(all::trace_count(), 1);
}

/// Checks how a function of these numbers is refused.
#[track_caller]
fn says(f: impl Fn(&Tensor) -> Tensor, kind: ErrorKind, message: &str, help: &str) {
    let error = refused(|[x]| f(x), [numbers()]);
    assert_eq!((error.kind(), error.message(), error.help()), (kind, message, Some(help)));
}

#[test]
fn axes_out_of_range_are_refused() {
    let help = "axes count from 0, or from -1 at the end";
    let needs = "needs an axis of a tensor of rank 2, one from -2 to 1, found 2";
    let check = |f: &dyn Fn(&Tensor) -> Tensor, name: &str| {
        says(f, ErrorKind::Index, &format!("`{name}` {needs}"), help);
    };
    check(&|x| x.softmax(2), "softmax");
    check(&|x| x.log_softmax(2), "log_softmax");
    check(&|x| x.layer_norm(1.0, 0.0, 2, 1e-3), "layer_norm");
    check(&|x| x.rms_norm(1.0, 2, 1e-3), "rms_norm");
    check(&|x| x.l2_normalize(2, 1e-3), "l2_normalize");
}

#[test]
fn integers_are_refused() {
    let check = |f: &dyn Fn(&Tensor) -> Tensor, name: &str| {
        says(
            |x| f(&x.cast(DType::I32)),
            ErrorKind::Type,
            &format!("`{name}` takes float32, float64, found int32"),
            "convert first: `.cast(DType::F32)`",
        );
    };
    check(&|x| x.softmax(0), "softmax");
    check(&|x| x.log_softmax(0), "log_softmax");
    check(&|x| x.layer_norm(1, 0, 0, 1e-3), "layer_norm");
    check(&|x| x.rms_norm(1, 0, 1e-3), "rms_norm");
    check(&|x| x.l2_normalize(0, 1e-3), "l2_normalize");
    check(&|x| x.batch_norm(0, 1, 0, 1, 1e-3), "batch_norm");
    check(&|x| x.dropout(0.5), "dropout");
}

#[test]
fn parameters_that_do_not_fit_are_refused() {
    let help = "sizes are compared from the last axis; they must be equal or 1: use `reshape` or `expand_dims`";
    let two = || Tensor::from([1.0, 2.0]);
    let text = |name| format!("`{name}` cannot broadcast shapes [2] and [2, 3]");
    says(|x| x.layer_norm(two(), 0.0, -1, 1e-3), ErrorKind::Shape, &text("layer_norm"), help);
    says(|x| x.rms_norm(two(), -1, 1e-3), ErrorKind::Shape, &text("rms_norm"), help);
    says(|x| x.batch_norm(0.0, two(), 0.0, 1.0, 1e-3), ErrorKind::Shape, &text("batch_norm"), help);
    // What would make the tensor larger is no parameter of it.
    says(
        |x| x.layer_norm(1.0, Tensor::ones::<f64>([4, 2, 3]), -1, 1e-3),
        ErrorKind::Shape,
        "`layer_norm` cannot broadcast shapes [4, 2, 3] and [2, 3]",
        help,
    );
    says(
        |x| x.rms_norm(Tensor::from([1.0f32; 3]), -1, 1e-3),
        ErrorKind::Type,
        "`rms_norm` needs one element type, found f64[2, 3] and f32[3]",
        "nothing is converted by itself: write `.cast(DType::F64)` on one of them",
    );
}

#[test]
fn an_epsilon_below_0_is_refused() {
    let help = "it keeps a division away from 0: 1e-5 is a usual one";
    let check = |f: &dyn Fn(&Tensor, f64) -> Tensor, name: &str| {
        for (epsilon, text) in [(-1e-5, "-1e-5"), (f64::NAN, "NaN"), (INF, "inf")] {
            let message = format!("`{name}` needs a finite epsilon of at least 0, found {text}");
            says(|x| f(x, epsilon), ErrorKind::Value, &message, help);
        }
    };
    check(&|x, epsilon| x.layer_norm(1.0, 0.0, -1, epsilon), "layer_norm");
    check(&|x, epsilon| x.rms_norm(1.0, -1, epsilon), "rms_norm");
    check(&|x, epsilon| x.l2_normalize(-1, epsilon), "l2_normalize");
    check(&|x, epsilon| x.batch_norm(0.0, 1.0, 0.0, 1.0, epsilon), "batch_norm");
}

#[test]
fn a_rate_that_is_no_share_is_refused_before_anything_is_drawn() {
    let generator = Generator::new(1);
    let before = generator.state().read().to_vec::<i64>();
    for (rate, text) in [(1.0, "1.0"), (-0.1, "-0.1"), (f64::NAN, "NaN"), (50.0, "50.0")] {
        let message = format!("`dropout` needs a rate from 0 to below 1, found {text}");
        let help = "it is the share that is left out: 0.1 leaves out a tenth";
        says(|x| x.dropout(rate), ErrorKind::Value, &message, help);
        says(|x| x.dropout_from(&generator, rate), ErrorKind::Value, &message, help);
    }
    assert_eq!(generator.state().read().to_vec::<i64>(), before);
}
