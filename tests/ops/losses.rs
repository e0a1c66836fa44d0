//! Losses: numbers of Keras, TensorFlow and Optax, one trace for all sizes, and what is refused.

use crate::support::{holds, refused};
use graphfn::{Tolerance, assert_close, loss, prelude::*};
use ndarray::{Array2, arr1};

const EXACT: Tolerance = Tolerance::EXACT;
const CLOSE: Tolerance = Tolerance::relative(1e-14);
const INF: f64 = f64::INFINITY;

type Pair = fn(&Tensor, &Tensor) -> Tensor;

/// The losses of two tensors of one shape, by name, with what their inputs are called.
const PAIRS: [(&str, Pair, &str); 8] = [
    ("mse", |x, t| loss::mse(x, t), "predictions and targets"),
    ("mae", |x, t| loss::mae(x, t), "predictions and targets"),
    ("huber", |x, t| loss::huber(x, t, 1.0), "predictions and targets"),
    ("softmax_cross_entropy", |x, t| loss::softmax_cross_entropy(x, t), "logits and labels"),
    ("sigmoid_cross_entropy", |x, t| loss::sigmoid_cross_entropy(x, t), "logits and labels"),
    ("binary_cross_entropy", |x, t| loss::binary_cross_entropy(x, t), "predictions and labels"),
    ("hinge", |x, t| loss::hinge(x, t), "predictions and labels"),
    ("kl_div", |x, t| loss::kl_div(x, t), "predictions and targets"),
];

/// The losses with numbers of classes for labels, by name, with what their first input is called.
const CLASSIFIED: [(&str, Pair, &str); 2] = [
    ("nll", |x, t| loss::nll(x, t), "log-probabilities"),
    ("sparse_softmax_cross_entropy", |x, t| loss::sparse_softmax_cross_entropy(x, t), "logits"),
];

fn scores() -> Tensor {
    Tensor::from([[0.3, -1.2, 2.0], [1.5, 0.25, -0.75]])
}

/// Checks a loss of two examples, in `f64` and in `f32`.
#[track_caller]
fn gives(f: impl Fn(&Tensor, &Tensor) -> Tensor, x: Tensor, t: [[f64; 3]; 2], wanted: [f64; 2]) {
    holds(|[x, t]| f(x, t), [x.clone(), t.into()], wanted, CLOSE);
    let [x, t, wanted] = [x, t.into(), Tensor::from(wanted)].map(|it: Tensor| it.cast(DType::F32));
    holds(|[x, t]| f(x, t), [x, t], wanted, Tolerance::relative(2e-6));
}

/// `keras.losses` with TensorFlow: `mean_squared_error`, `mean_absolute_error`, `huber`.
#[test]
fn regressions_are_keras_s() {
    let targets = [[0.0, -1.0, 2.5], [-0.5, 0.25, 3.0]];
    let squares = [0.126_666_666_666_666_68, 6.020_833_333_333_333];
    gives(|x, t| loss::mse(x, t), scores(), targets, squares);
    let sizes = [0.333_333_333_333_333_3, 1.916_666_666_666_666_7];
    gives(|x, t| loss::mae(x, t), scores(), targets, sizes);
    let bent = [0.063_333_333_333_333_34, 1.583_333_333_333_333_3];
    gives(|x, t| loss::huber(x, t, 1.0), scores(), targets, bent);
    gives(|x, t| loss::huber(x, t, 0.5), scores(), targets, [0.063_333_333_333_333_34, 0.875]);
}

/// `tf.nn.softmax_cross_entropy_with_logits`, its sparse form, and minus `tf.nn.log_softmax` at the labels.
#[test]
fn cross_entropies_of_classes_are_tensorflow_s() {
    let labels = [[0.2, 0.8, 0.0], [1.0, 0.0, 0.0]];
    let wanted = [3.101_671_244_952_791, 0.330_672_609_407_224_1];
    gives(|x, t| loss::softmax_cross_entropy(x, t), scores(), labels, wanted);
    let wanted = [3.401_671_244_952_791, 2.580_672_609_407_224];
    for numbers in [Tensor::from([1, 2]), Tensor::from([1i64, 2])] {
        holds(
            |[x, t]| loss::sparse_softmax_cross_entropy(x, t),
            [scores(), numbers.clone()],
            wanted,
            CLOSE,
        );
        holds(|[x, t]| loss::nll(x, t), [scores().log_softmax(-1), numbers], wanted, CLOSE);
    }
}

/// `keras.losses.binary_crossentropy`, with and without `from_logits`.
#[test]
fn cross_entropies_of_probabilities_are_keras_s() {
    let labels = [[0.0, 1.0, 0.3], [1.0, 0.0, 0.75]];
    let wanted = [1.281_521_907_616_510_3, 0.658_907_901_325_498_6];
    gives(|x, t| loss::sigmoid_cross_entropy(x, t), scores(), labels, wanted);
    let predictions = Tensor::from([[0.1, 0.7, 0.3], [0.9, 0.25, 0.5]]);
    let wanted = [0.357_633_253_883_817_4, 0.362_063_256_223_184_2];
    gives(|x, t| loss::binary_cross_entropy(x, t), predictions, labels, wanted);
}

/// `keras.losses.hinge`, and `optax.losses.kl_divergence`.
#[test]
fn hinge_is_keras_s_and_divergence_optax_s() {
    let sides = [[1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]];
    let wanted = [0.233_333_333_333_333_3, 1.166_666_666_666_666_7];
    gives(|x, t| loss::hinge(x, t), scores(), sides, wanted);
    let targets = [[0.2, 0.5, 0.3], [0.0, 0.25, 0.75]];
    let wanted = [1.112_018_230_888_217, 1.768_337_464_788_415_8];
    gives(|x, t| loss::kl_div(&x.log_softmax(-1), t), scores(), targets, wanted);
}

#[test]
fn the_last_axis_is_an_example() {
    let x = Tensor::from([[[1.0f32, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]);
    let zeros = x.zeros_like();
    assert_eq!(loss::mae(&x, &zeros).to_vec::<f32>(), [1.5, 3.5, 5.5, 7.5]);
    assert_eq!(loss::mae(&x, &zeros).shape().to_string(), "(2, 2)");
    assert_eq!(loss::mae(&x, &zeros).mean().item::<f32>(), 4.5);
    let labels = Tensor::from([[0, 1], [1, 0]]);
    assert_eq!(loss::nll(&x, &labels).to_vec::<f32>(), [-1.0, -4.0, -6.0, -7.0]);
    // A vector is one example, and so is a scalar; arrays and numbers stand beside tensors here too.
    assert_eq!(loss::mse(&Tensor::from([1.0f32, 3.0]), arr1(&[1.0f32, 1.0])).item::<f32>(), 2.0);
    assert_eq!(loss::huber(&Tensor::from(3.0f32), 0, 1.0).item::<f32>(), 2.5);
}

/// The limits: nothing is clipped, and what is right costs nothing.
#[test]
fn certainties_cost_nothing_or_infinity() {
    let pairs = [[1.0, 1.0], [0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [f64::NAN, 1.0]];
    let columns =
        |at: usize| Tensor::from(Array2::from_shape_fn((5, 1), |(row, _)| pairs[row][at]));
    holds(
        |[p, t]| loss::binary_cross_entropy(p, t),
        [columns(0), columns(1)],
        [0.0, 0.0, INF, INF, f64::NAN],
        EXACT.with_nan(),
    );
    holds(
        |[p, t]| loss::sigmoid_cross_entropy(&((p - 0.5) * INF), t),
        [columns(0), columns(1)],
        [0.0, 0.0, INF, INF, f64::NAN],
        EXACT.with_nan(),
    );
    let right = || Tensor::from([[-INF, 0.0]]);
    holds(|[q, p]| loss::kl_div(q, p), [right(), [[0.0, 1.0]].into()], [0.0], EXACT);
    holds(|[q, p]| loss::kl_div(q, p), [right(), [[0.5, 0.5]].into()], [INF], EXACT);
}

#[test]
fn one_trace_serves_all_sizes() {
    #[graph_fn(signature(x: f32[n, m], labels: i32[n]))]
    fn all(x: &Tensor, labels: &Tensor) -> Vec<Tensor> {
        functions(x, labels)
    }
    fn functions(x: &Tensor, labels: &Tensor) -> Vec<Tensor> {
        let (shares, logarithms) = (x.softmax(-1), x.log_softmax(-1));
        let pairs = PAIRS.iter().map(|(_, f, _)| f(&shares, &shares));
        let classified = CLASSIFIED.iter().map(|(_, f, _)| f(&logarithms, labels));
        pairs.chain(classified).collect()
    }
    for (n, m) in [(1, 1), (2, 3), (50, 7), (0, 4), (1000, 33)] {
        let x = (0..n * m).map(|it| ((it * 37 % 101) as f32 - 50.0) / 25.0).collect::<Vec<_>>();
        let x = Tensor::from(x).reshape([n, m]);
        let labels = Tensor::from((0..n).map(|it| it % m).collect::<Vec<_>>());
        for (found, wanted) in all(&x, &labels).iter().zip(functions(&x, &labels)) {
            assert_close(found, wanted, EXACT);
        }
    }
    assert_eq!(all::trace_count(), 1);
}

#[test]
fn sizes_that_may_be_equal_are_refused_until_they_have_one_name() {
    #[graph_fn(signature(x: f32[n, 3], t: f32[m, 3]))]
    fn two_names(x: &Tensor, t: &Tensor) -> Tensor {
        loss::mse(x, t)
    }
    let x = Tensor::ones::<f32>([2, 3]);
    let error = two_names::try_call(&x, &x).unwrap_err();
    assert_eq!(
        (error.message(), error.help()),
        (
            "`mse` needs predictions and targets of one shape, found [n, 3] and [m, 3]: \
             whether n equals m is not known while tracing",
            Some(
                "give equal sizes one name in the signature, as in `signature(x: f32[n], y: f32[n])`"
            )
        )
    );
}

/// Checks an error.
#[track_caller]
fn says(error: &Error, kind: ErrorKind, message: &str, help: &str) {
    assert_eq!((error.kind(), error.message(), error.help()), (kind, message, Some(help)));
}

#[test]
fn two_types_and_integers_are_refused() {
    for (name, f, _) in PAIRS {
        let mixed = [Tensor::from([1.0f32]), Tensor::from([1.0])];
        says(
            &refused(|[x, t]| f(x, t), mixed),
            ErrorKind::Type,
            &format!("`{name}` needs one element type, found f32[1] and f64[1]"),
            "nothing is converted by itself: write `.cast(DType::F32)` on one of them",
        );
        says(
            &refused(|[x, t]| f(x, t), [Tensor::from([1]), Tensor::from([1])]),
            ErrorKind::Type,
            &format!("`{name}` takes float32, float64, found int32"),
            "convert first: `.cast(DType::F32)`",
        );
    }
}

#[test]
fn a_scalar_has_no_classes() {
    let help = "classes lie along the last axis, and a scalar has none";
    let scalar = || Tensor::from(1.0f32);
    let sums = [(PAIRS[3], "logits"), (PAIRS[7], "predictions")];
    for ((name, f, _), called) in sums {
        let message = format!("`{name}` needs {called} with an axis of classes, found f32[]");
        let error = refused(|[x, t]| f(x, t), [scalar(), scalar()]);
        says(&error, ErrorKind::Shape, &message, help);
    }
    for (name, f, called) in CLASSIFIED {
        let message = format!("`{name}` needs {called} with an axis of classes, found f32[]");
        let error = refused(|[x, t]| f(x, t), [scalar(), Tensor::from(0)]);
        says(&error, ErrorKind::Shape, &message, help);
    }
}

#[test]
fn labels_of_another_type_or_shape_are_refused() {
    let x = || Tensor::ones::<f32>([2, 3]);
    for (name, f, called) in CLASSIFIED {
        says(
            &refused(|[x, t]| f(x, t), [x(), Tensor::from([1u8, 2])]),
            ErrorKind::Type,
            &format!("`{name}` needs labels of int32 or int64, found u8[2]"),
            "convert them first: `labels.cast(DType::I32)`",
        );
        says(
            &refused(|[x, t]| f(x, t), [x(), Tensor::from([[1], [2]])]),
            ErrorKind::Shape,
            &format!(
                "`{name}` needs a label for each example, [2] for {called} of [2, 3], found [2, 1]"
            ),
            "labels are numbers of classes here; `softmax_cross_entropy` takes distributions",
        );
        says(
            &refused(|[x, t]| f(x, t), [Tensor::from([[1, 2]]), Tensor::from([1])]),
            ErrorKind::Type,
            &format!("`{name}` takes float32, float64, found int32"),
            "convert first: `.cast(DType::F32)`",
        );
    }
}

#[test]
fn a_delta_that_is_not_above_0_is_refused() {
    for (delta, text) in [(0.0, "0.0"), (-1.0, "-1.0"), (f64::NAN, "NaN"), (INF, "inf")] {
        let pair = [Tensor::from([1.0f32]), Tensor::from([1.0f32])];
        says(
            &refused(|[x, t]| loss::huber(x, t, delta), pair),
            ErrorKind::Value,
            &format!("`huber` needs a finite delta above 0, found {text}"),
            "it is the difference from which on the loss is a straight line",
        );
    }
}

/// H1: a column against a vector.
#[test]
fn h1_losses_refuse_two_shapes() {
    for (name, f, called) in PAIRS {
        let pair = [Tensor::from([[1.0f32], [2.0], [3.0]]), Tensor::from([1.0f32, 2.0, 3.0])];
        says(
            &refused(|[x, t]| f(x, t), pair),
            ErrorKind::Shape,
            &format!("`{name}` needs {called} of one shape, found [3, 1] and [3]"),
            "nothing broadcasts in a loss: use `squeeze`, `expand_dims` or `reshape` on one of them",
        );
        let error = refused(|[x]| f(x, &Tensor::from(1.0f32)), [Tensor::from([1.0f32, 2.0])]);
        assert!(error.message().ends_with("found [2] and []"), "{error}");
    }
}

/// H3: a label that is no class, in every path; the error is the user's line.
#[test]
fn h3_a_label_out_of_range_is_an_error() {
    for (_, f, _) in CLASSIFIED {
        for (label, text) in [(3, "3"), (-1, "-1"), (i32::MAX, "2147483647")] {
            let labels = Tensor::from([0, label]);
            let error = refused(|[x, t]| f(x, t), [Tensor::ones::<f32>([2, 3]), labels]);
            assert_eq!(error.kind(), ErrorKind::Index);
            let start = format!(
                "`take_along_axis` needs indices in 0..3 for axis 1, found {text} at [1, 0]"
            );
            assert!(error.message().starts_with(&start), "{error}");
            assert!(error.place().unwrap().file.ends_with("losses.rs"), "{error}");
        }
    }
}
