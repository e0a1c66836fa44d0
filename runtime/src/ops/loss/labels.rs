//! Losses whose labels are numbers of classes. Knows that a number that is none of a class is an error.

use super::pairs::{check_classes, of_examples};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Effects, Entry, Gradient, Kind, Lowered, Op, OpRef, Sample, Specs, Tensor,
    apply, or_raise,
};
use crate::ops::broadcast::zeros_like;
use crate::ops::operand::Operand;
use crate::ops::reduce::{KeepDims, supremum};
use crate::ops::rows::check_type;
use crate::ops::samples::{call, shaped, varied};
use crate::ops::times;
use crate::types::{DType, FLOATS, Spec};
use smallvec::smallvec;
use std::fmt;

/// [`softmax_cross_entropy`](super::softmax_cross_entropy) with numbers of classes for labels, `i32` or `i64`, in the
/// shape of the logits without the last axis: the negative logarithm of the probability of that class.
///
/// As `tf.nn.sparse_softmax_cross_entropy_with_logits`; its `.mean()` is `cross_entropy` of PyTorch.
///
/// ```
/// use graphfn::{loss, prelude::*};
///
/// let (logits, labels) = (Tensor::from([[0.0f32, 0.0], [1000.0, 0.0]]), Tensor::from([1, 0]));
/// let losses = loss::sparse_softmax_cross_entropy(&logits, &labels);
/// assert_eq!(losses.to_vec::<f32>(), [std::f32::consts::LN_2, 0.0]);
/// ```
///
/// # Panics
/// Raises an error for logits that are not floats and for labels of another type or shape; when it runs, for a label
/// outside `0..classes`.
#[track_caller]
pub fn sparse_softmax_cross_entropy(logits: &Tensor, labels: impl Operand) -> Tensor {
    classified(&CROSS_ENTROPY, logits, &labels)
}

/// The negative of the logarithm at the label of each example, of logarithms of probabilities such as
/// [`log_softmax`](Tensor::log_softmax) gives: the negative log-likelihood. Classes lie along the last axis.
///
/// As `nll_loss` of PyTorch with `reduction='none'`, which has the classes along the second axis.
///
/// ```
/// use graphfn::{loss, prelude::*};
///
/// let (logarithms, labels) = (Tensor::from([[-1.0f32, -2.0], [-3.0, -4.0]]), Tensor::from([1, 0]));
/// assert_eq!(loss::nll(&logarithms, &labels).to_vec::<f32>(), [2.0, 3.0]);
/// ```
///
/// # Panics
/// As [`sparse_softmax_cross_entropy`].
#[track_caller]
pub fn nll(log_probabilities: &Tensor, labels: impl Operand) -> Tensor {
    classified(&NLL, log_probabilities, &labels)
}

#[track_caller]
fn classified(row: &'static Classified, scores: &Tensor, labels: &impl Operand) -> Tensor {
    let labels = or_raise(labels.operand(DType::I64));
    apply(OpRef::Static(row), &[scores, &labels], row.method)
}

/// A loss that is the negative of one logarithm for each example. Its functions get labels with a last axis of size 1,
/// and the gradient of the loss likewise.
struct Classified {
    name: &'static str,
    method: &'static str,
    /// What its first input is called in messages.
    scores: &'static str,
    /// The loss, which keeps its last axis, of scores and labels.
    loss: fn(&Tensor, &Tensor) -> Tensor,
    /// The gradient of the scores, from that of the loss, the scores and the labels.
    grad: fn(&Tensor, &Tensor, &Tensor) -> Tensor,
}

static CROSS_ENTROPY: Classified = Classified {
    name: "SparseSoftmaxCrossEntropyWithLogits",
    method: "sparse_softmax_cross_entropy",
    scores: "logits",
    // Only the logit of the label is needed of what `log_softmax` would make of all.
    loss: |logits, labels| {
        let top = supremum(logits, &[logits.rank() - 1]);
        let total = (logits - &top).exp().sum_axis(KeepDims(-1));
        total.log() - (logits.take_along_axis(labels, -1) - top)
    },
    grad: |g, logits, labels| times(g, logits.softmax(-1)).scatter_add_along_axis(labels, &-g, -1),
};

static NLL: Classified = Classified {
    name: "NegativeLogLikelihood",
    method: "nll",
    scores: "log-probabilities",
    loss: |logarithms, labels| -logarithms.take_along_axis(labels, -1),
    grad: |g, logarithms, labels| zeros_like(logarithms).scatter_add_along_axis(labels, &-g, -1),
};

pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "SparseSoftmaxCrossEntropyWithLogits",
        make: |_| Ok(OpRef::Static(&CROSS_ENTROPY)),
        samples: || samples(&CROSS_ENTROPY),
    },
    Entry {
        name: "NegativeLogLikelihood",
        make: |_| Ok(OpRef::Static(&NLL)),
        samples: || samples(&NLL),
    },
];

fn samples(row: &'static Classified) -> Vec<Sample> {
    let of_type = |dtype: DType| {
        let labels =
            |sizes: &[usize], numbers: &[f64]| shaped(DType::I64, sizes, numbers.iter().copied());
        let masked = shaped(dtype, &[3], [f64::NEG_INFINITY, 0.0, 1.0]);
        [
            [varied(dtype, &[3, 4]), shaped(DType::I32, &[3], [0.0, 3.0, 1.0])],
            [varied(dtype, &[2, 2, 2]), labels(&[2, 2], &[1.0, 0.0, 1.0, 1.0])],
            [masked, labels(&[], &[2.0])],
            [varied(dtype, &[0, 3]), labels(&[0], &[])],
        ]
        .map(|inputs| call(OpRef::Static(row), inputs))
    };
    FLOATS.iter().flat_map(|dtype| of_type(*dtype)).collect()
}

impl Op for Classified {
    fn name(&self) -> &'static str {
        self.name
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let (op, [scores, labels]) = (self.method, [inputs[0], inputs[1]]);
        check_type(op, scores.dtype(), FLOATS)?;
        check_classes(op, self.scores, scores)?;
        if !matches!(labels.dtype(), DType::I32 | DType::I64) {
            let message = format!("`{op}` needs labels of int32 or int64, found {labels}");
            return Err(Error::new(ErrorKind::Type, message)
                .with_help("convert them first: `labels.cast(DType::I32)`"));
        }
        let wanted = of_examples(scores.shape());
        if *labels.shape() != wanted {
            let message = format!(
                "`{op}` needs a label for each example, {wanted:?} for {} of {:?}, found {:?}",
                self.scores,
                scores.shape(),
                labels.shape()
            );
            return Err(Error::new(ErrorKind::Shape, message).with_help(
                "labels are numbers of classes here; `softmax_cross_entropy` takes distributions",
            ));
        }
        Ok(smallvec![scores.with_shape(wanted)])
    }

    fn kind(&self) -> Kind {
        Kind::Composite
    }

    fn effects(&self, _: &[Spec]) -> Effects {
        Effects::FAILS
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let (Some(g), [scores, labels]) = (&call.grads[0], call.inputs) else {
            return Gradient::None;
        };
        let to_scores = (self.grad)(&g.expand_dims(-1), scores, &labels.expand_dims(-1));
        Gradient::Inputs(vec![Some(to_scores), None])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            vec![(self.loss)(&inputs[0], &inputs[1].expand_dims(-1)).squeeze(-1)]
        }))
    }
}

impl fmt::Debug for Classified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
