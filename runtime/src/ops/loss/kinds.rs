//! The losses of two tensors of one shape. To add one, add a row: nothing else changes. Knows no axes.

use super::pairs::{Loss, Over, Rule, compare, losses, samples};
use crate::graph::{Entry, OpRef, Tensor};
use crate::ops::operand::Operand;
use crate::ops::times;

losses![
    mse(predictions, targets) = Loss {
        name: "MeanSquaredError",
        doc: "The mean along the last axis of the squares of the differences of predictions and targets.

As `mean_squared_error` of Keras, which takes the targets first; its `.mean()` is `mse_loss` of PyTorch.

```
use graphfn::{loss, prelude::*};

let (predictions, targets) = (Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]), Tensor::from([[1.0f32, 4.0], [3.0, 4.0]]));
assert_eq!(loss::mse(&predictions, &targets).to_vec::<f32>(), [2.0, 0.0]);
assert_eq!(loss::mse(&predictions, &targets).mean().item::<f32>(), 1.0);
```",
        each: |x, t| (x - t).square(),
        over: Over::Mean,
        grad: Rule::Expand,
        samples: &[(&[2, 2], REGRESSION), (&[4], REGRESSION), (&[], &[(1.0, -0.5)])],
    },
    mae(predictions, targets) = Loss {
        name: "MeanAbsoluteError",
        doc: "The mean along the last axis of the sizes of the differences of predictions and targets. The gradient at \
              equal ones is 0.

As `mean_absolute_error` of Keras, which takes the targets first; its `.mean()` is `l1_loss` of PyTorch.",
        each: |x, t| (x - t).abs(),
        over: Over::Mean,
        grad: Rule::Expand,
        samples: &[(&[2, 2], REGRESSION), (&[4, 1], REGRESSION), (&[], &[(1.0, -0.5)])],
    },
    softmax_cross_entropy(logits, labels) = Loss {
        name: "SoftmaxCrossEntropyWithLogits",
        doc: "The cross entropy of labels, a distribution over the classes along the last axis, and the softmax of \
              logits: `-sum(labels * log_softmax(logits))`. A label of 0 adds 0, also where the logit is -inf.

As `tf.nn.softmax_cross_entropy_with_logits`, which takes the labels first; its `.mean()` is `cross_entropy` of PyTorch
for labels that are probabilities.

```
use graphfn::{loss, prelude::*};

let logits = Tensor::from([[f32::NEG_INFINITY, 0.0, 0.0]]);
let labels = Tensor::from([[0.0f32, 1.0, 0.0]]);
assert_eq!(loss::softmax_cross_entropy(&logits, &labels).to_vec::<f32>(), [std::f32::consts::LN_2]);
```",
        each: |x, t| times(t, -x.log_softmax(-1)),
        over: Over::Sum,
        grad: Rule::Expand,
        samples: &[
            (&[2, 3], &[(0.5, 0.2), (-1.0, 0.8), (2.0, 0.0), (1.5, 1.0), (0.0, 0.0), (-3.0, 0.5)]),
            (&[1, 3], &[(f64::NEG_INFINITY, 0.0), (0.0, 1.0), (0.25, 0.0)]),
        ],
    },
    sigmoid_cross_entropy(logits, labels) = Loss {
        name: "SigmoidCrossEntropy",
        doc: "The mean along the last axis of the cross entropies of labels, each a probability by itself, and the \
              sigmoids of logits: `max(x, 0) - x * label + log(1 + exp(-|x|))`, without overflow.

As `binary_crossentropy(from_logits=True)` of Keras, which takes the labels first, and the mean along the last axis of
`tf.nn.sigmoid_cross_entropy_with_logits`; its `.mean()` is `binary_cross_entropy_with_logits` of PyTorch.

```
use graphfn::{loss, prelude::*};

let (logits, labels) = (Tensor::from([[0.0f32], [1000.0], [-1000.0]]), Tensor::from([[1.0f32], [1.0], [1.0]]));
let losses = loss::sigmoid_cross_entropy(&logits, &labels).to_vec::<f32>();
assert_eq!(losses, [std::f32::consts::LN_2, 0.0, 1000.0]);
```",
        // The two sides stand apart, so that an infinite logit of the right sign adds 0.
        each: |x, t| {
            let wrong = times(&(1.0 - t), x.relu()) + times(t, (-x).relu());
            wrong + (-x.abs()).exp().log1p()
        },
        over: Over::Mean,
        // That of the expansion is 0 at 0. Here too the sides stand apart: where one is near 1, the other has digits.
        grad: Rule::Of(|g, x, t| {
            let slope = (1.0 - t) * x.sigmoid() - t * (-x).sigmoid();
            [times(g, slope), times(g, -x)]
        }),
        samples: &[
            (&[2, 2], &[(0.5, 0.0), (-2.0, 1.0), (0.0, 0.3), (3.0, 0.75)]),
            (&[4, 1], &[(1e3, 1.0), (-1e3, 1.0), (f64::INFINITY, 1.0), (f64::NEG_INFINITY, 0.0)]),
            (&[], &[(1.0, 0.5)]),
        ],
    },
    binary_cross_entropy(predictions, labels) = Loss {
        name: "BinaryCrossEntropy",
        doc: "The mean along the last axis of the cross entropies of labels and predictions, both probabilities: \
              `-label * log(p) - (1 - label) * log(1 - p)`.

Nothing is clipped: a prediction of 0 or 1 that is wrong costs infinity. Where there are logits,
[`sigmoid_cross_entropy`] loses no digits. As `binary_crossentropy` of Keras, which takes the labels first and clips
predictions to `1e-7..1 - 1e-7`; its `.mean()` is `binary_cross_entropy` of PyTorch, which clips the logarithms at -100.",
        each: |p, t| times(t, -p.log()) + times(&(1.0 - t), -(-p).log1p()),
        over: Over::Mean,
        grad: Rule::Expand,
        samples: &[
            (&[2, 2], &[(0.25, 0.0), (0.5, 1.0), (0.75, 0.3), (0.8, 0.75)]),
            (&[3, 1], &[(0.0, 0.0), (1.0, 1.0), (0.0, 1.0)]),
            (&[], &[(0.25, 0.5)]),
        ],
    },
    hinge(predictions, labels) = Loss {
        name: "Hinge",
        doc: "The mean along the last axis of `max(1 - label * prediction, 0)`, for labels of -1 and 1. The gradient where \
              the product is 1 is 0.

As `hinge` of Keras, which takes the labels first, and labels of 0 for -1 too: here they are as they are.",
        each: |x, t| (1.0 - t * x).relu(),
        over: Over::Mean,
        grad: Rule::Expand,
        samples: &[
            (&[2, 2], &[(0.5, 1.0), (-2.0, 1.0), (0.25, -1.0), (3.0, 1.0)]),
            (&[2, 1], &[(1.0, 1.0), (-1.0, -1.0)]),
            (&[], &[(0.25, -1.0)]),
        ],
    },
    kl_div(predictions, targets) = Loss {
        name: "KullbackLeiblerDivergence",
        doc: "The divergence along the last axis of predictions, which are logarithms of probabilities such as \
              [`log_softmax`](Tensor::log_softmax) gives, from targets, which are probabilities: \
              `sum(target * (log(target) - prediction))`. A target of 0 adds 0.

As `optax.kl_divergence`, and `kl_div` of PyTorch summed along the last axis; `kl_divergence` of Keras takes
probabilities for both.",
        each: |x, t| times(t, t.log() - x),
        over: Over::Sum,
        grad: Rule::Expand,
        samples: &[
            (&[2, 2], &[(-1.0, 0.25), (-0.5, 0.75), (-2.0, 0.5), (-0.1, 0.4)]),
            (&[1, 3], &[(f64::NEG_INFINITY, 0.0), (-0.5, 1.0), (-1.0, 0.0)]),
        ],
    },
];

/// Pairs of predictions and targets, some of them equal.
const REGRESSION: &[(f64, f64)] = &[(1.0, 2.0), (-0.5, -0.5), (3.0, 0.25), (0.0, 0.0)];
