//! The reductions. To add one, add a row: nothing else changes. Knows no axes.
//!
//! Each has two methods: `x.sum()` takes all elements, `x.sum_axis(axes)` goes along some axes, which go away, or stay
//! with size 1 as `x.sum_axis(KeepDims(axes))`. Of no elements the sum is 0, the product 1, all are true, any is
//! false, mean, variance and standard deviation are NaN, `logsumexp` is -inf; a largest or smallest is an error.

use super::along::{Along, KeepDims, Reduced};
use super::norm::euclidean;
use super::rows::{Empty, Reduce, Reduction, Rule, Work, reduce, reductions};
use crate::graph::{Tensor, apply};
use crate::kernels::ReduceKind;
use crate::ops::forward::on_variables;
use crate::ops::movement::count;
use crate::ops::scan::product_of_others;
use crate::ops::times;
use crate::types::{ALL, DType, FLOATS, NUMBERS};

reductions![
    (sum, sum_axis) = Reduction {
        name: "Sum",
        doc: "The sum of all elements. Integers wrap; `bool` and `u8` are summed as `i64`, so that `true` counts 1.",
        label: "Sum",
        types: ALL,
        output: counted,
        empty: Empty::Value,
        work: Work::Kernel(ReduceKind::Sum),
        grad: Rule::Of(|g, _, _, _| g.clone()),
    },
    (prod, prod_axis) = Reduction {
        name: "Prod",
        doc: "The product of all elements; integers wrap. The gradient is the product of the others, also where an element is 0.",
        label: "Prod",
        types: NUMBERS,
        output: same,
        empty: Empty::Value,
        work: Work::Kernel(ReduceKind::Prod),
        grad: Rule::Of(to_others),
    },
    (max, max_axis) = Reduction {
        name: "Max",
        doc: "The largest of all elements; NaN wins. Equal largest elements share the gradient.",
        label: "Max",
        types: NUMBERS,
        output: same,
        empty: Empty::Error,
        work: Work::Kernel(ReduceKind::Max),
        grad: Rule::Of(shared),
    },
    (min, min_axis) = Reduction {
        name: "Min",
        doc: "The smallest of all elements; NaN wins. Equal smallest elements share the gradient.",
        label: "Min",
        types: NUMBERS,
        output: same,
        empty: Empty::Error,
        work: Work::Kernel(ReduceKind::Min),
        grad: Rule::Of(shared),
    },
    (any, any_axis) = Reduction {
        name: "Any",
        doc: "Whether any of all truth values is true.",
        label: "Any",
        types: &[DType::Bool],
        output: same,
        empty: Empty::Value,
        work: Work::Kernel(ReduceKind::Any),
        grad: Rule::None,
    },
    (all, all_axis) = Reduction {
        name: "All",
        doc: "Whether all truth values are true.",
        label: "All",
        types: &[DType::Bool],
        output: same,
        empty: Empty::Value,
        work: Work::Kernel(ReduceKind::All),
        grad: Rule::None,
    },
    (mean, mean_axis) = Reduction {
        name: "Mean",
        doc: "The mean of all elements: their sum over their number, in their type. Integers are refused: convert them first.",
        label: "Mean",
        types: FLOATS,
        output: same,
        empty: Empty::Value,
        work: Work::Function(mean),
        grad: Rule::Expand,
    },
    (var, var_axis) = Reduction {
        name: "ReduceVariance",
        doc: "The variance of all elements: the mean square of their distances from the mean (not corrected: `ddof = 0`).",
        label: "reduce_variance",
        types: FLOATS,
        output: same,
        empty: Empty::Value,
        work: Work::Function(|x, axes| mean(&(x - mean(x, axes)).square(), axes)),
        grad: Rule::Expand,
    },
    (std, std_axis) = Reduction {
        name: "ReduceStd",
        doc: "The standard deviation of all elements, the root of [`Tensor::var`]. Where all are equal its gradient is 0.",
        label: "reduce_std",
        types: FLOATS,
        output: same,
        empty: Empty::Value,
        work: Work::Function(deviation),
        grad: Rule::Expand,
    },
    (logsumexp, logsumexp_axis) = Reduction {
        name: "ReduceLogSumExp",
        doc: "The logarithm of the sum of the exponentials of all elements, without overflow; where all are -inf it is -inf and its gradient 0.",
        label: "ReduceLogSumExp",
        types: FLOATS,
        output: same,
        empty: Empty::Value,
        work: Work::Function(log_sum_exp),
        grad: Rule::Of(to_softmax),
    },
    (count_nonzero, count_nonzero_axis) = Reduction {
        name: "CountNonzero",
        doc: "How many of all elements are not 0, as `i64`; NaN is not 0.",
        label: "count_nonzero",
        types: ALL,
        output: |_| DType::I64,
        empty: Empty::Value,
        work: Work::Function(|x, axes| x.cast(DType::Bool).sum_axis(KeepDims(axes))),
        grad: Rule::None,
    },
];

/// The largest element, and -inf of none: what `logsumexp` and `softmax` measure the others from.
pub(super) static SUPREMUM: Reduction = Reduction {
    name: "Supremum",
    doc: "The largest element; of none -inf.",
    label: "Supremum",
    method: "logsumexp",
    types: FLOATS,
    output: same,
    empty: Empty::Constant(f64::NEG_INFINITY),
    work: Work::Kernel(ReduceKind::Max),
    grad: Rule::Of(shared),
};

fn same(dtype: DType) -> DType {
    dtype
}

/// The type of sums: that of the elements, if it has room for a sum.
fn counted(dtype: DType) -> DType {
    match dtype {
        DType::Bool | DType::U8 => DType::I64,
        dtype => dtype,
    }
}

fn mean(x: &Tensor, axes: &[usize]) -> Tensor {
    x.sum_axis(KeepDims(axes)) / count(x, axes, x.dtype())
}

fn deviation(x: &Tensor, axes: &[usize]) -> Tensor {
    // A norm, not a root: its gradient at equal elements is 0, not 0 times infinity.
    euclidean(&(x - mean(x, axes)), axes) / count(x, axes, x.dtype()).sqrt()
}

/// The largest element along some axes, which stay with size 1; -inf where there are none.
#[track_caller]
pub(in crate::ops) fn supremum(x: &Tensor, axes: &[usize]) -> Tensor {
    let reduced = Reduced { axes: axes.into(), keep: true };
    apply(Reduce { row: &SUPREMUM, reduced }, &[x], "Supremum")
}

fn log_sum_exp(x: &Tensor, axes: &[usize]) -> Tensor {
    let top = supremum(x, axes);
    // An infinite one is no place to measure from: infinity less infinity is NaN.
    let from = top.is_finite().select(&top, 0.0);
    (x - &from).exp().sum_axis(KeepDims(axes)).log() + from
}

/// The gradient of `logsumexp` goes to each element by its share.
fn to_softmax(g: &Tensor, x: &Tensor, y: &Tensor, _: &[usize]) -> Tensor {
    let from = y.equal(f64::NEG_INFINITY).select(0.0, y);
    times(g, (x - from).exp())
}

/// The gradient of an extreme goes in equal parts to the elements that are it.
fn shared(g: &Tensor, x: &Tensor, y: &Tensor, axes: &[usize]) -> Tensor {
    // NaN equals nothing: where it won, the NaNs among the elements are those that did.
    let chosen = (x.equal(y) | x.not_equal(x)).cast(x.dtype());
    let ties = chosen.sum_axis(KeepDims(axes));
    times(g, chosen / ties)
}

/// The gradient of a product goes to each element times the product of the others, one axis after the other.
fn to_others(g: &Tensor, x: &Tensor, _: &Tensor, axes: &[usize]) -> Tensor {
    // What each axis multiplies: the elements, and then the products along the axes before it.
    let factors = std::iter::successors(Some((0, x.clone())), |(at, factors)| {
        Some((at + 1, factors.prod_axis(KeepDims(axes[*at]))))
    });
    let factors: Vec<Tensor> = factors.take(axes.len()).map(|it| it.1).collect();
    let steps = axes.iter().zip(&factors).rev();
    steps.fold(g.clone(), |g, (axis, factors)| times(&g, product_of_others(factors, *axis)))
}
