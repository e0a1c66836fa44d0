//! Tensors whose axes have labels, and the product of two: summed over the labels that nobody needs any more.
//! Knows when sizes allow a matrix product; there is always a way without one.

use crate::graph::Tensor;
use crate::types::{Dim, Shape};

/// What an axis is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Label {
    /// By a letter.
    Letter(u8),
    /// By its number among those that have none, from the last.
    Rest(usize),
    /// By its number among the axes of two tensors.
    Axis(usize),
}

/// A tensor, and a label for each of its axes, no two alike.
#[derive(Clone)]
pub(super) struct Labelled {
    pub tensor: Tensor,
    pub labels: Vec<Label>,
}

impl Labelled {
    /// The tensor with its diagonals taken where a label is there twice.
    #[track_caller]
    pub fn new(tensor: &Tensor, labels: Vec<Label>) -> Labelled {
        let (mut tensor, mut labels) = (tensor.clone(), labels);
        while let Some((first, second)) = twice(&labels) {
            let others = (0..labels.len()).filter(|at| *at != first && *at != second);
            let order: Vec<usize> = others.chain([first, second]).collect();
            tensor = tensor.transpose(&order[..]).diag_part();
            let label = labels[first];
            labels.retain(|it| *it != label);
            labels.push(label);
        }
        Labelled { tensor, labels }
    }

    /// The size of an axis.
    pub fn size(&self, label: Label) -> Dim {
        let axis = self.labels.iter().position(|it| *it == label);
        self.tensor.shape()[axis.expect("a label asked for is there")].clone()
    }

    /// Without axes whose label is not kept, which are summed.
    #[track_caller]
    pub fn summed(self, keep: impl Fn(Label) -> bool) -> Labelled {
        let axes: Vec<usize> =
            (0..self.labels.len()).filter(|at| !keep(self.labels[*at])).collect();
        if axes.is_empty() {
            return self;
        }
        let labels = self.labels.iter().copied().filter(|it| keep(*it)).collect();
        Labelled { tensor: self.tensor.sum_axis(&axes[..]), labels }
    }

    /// Without axes of one element that shall go.
    #[track_caller]
    pub fn squeezed(&self, goes: impl Fn(Label) -> bool) -> Labelled {
        let axes: Vec<usize> = (0..self.labels.len()).filter(|at| goes(self.labels[*at])).collect();
        if axes.is_empty() {
            return self.clone();
        }
        let labels = self.labels.iter().copied().filter(|it| !goes(*it)).collect();
        Labelled { tensor: self.tensor.squeeze(&axes[..]), labels }
    }

    /// The tensor with its axes in this order.
    #[track_caller]
    pub fn ordered(&self, labels: &[Label]) -> Tensor {
        if labels == self.labels {
            return self.tensor.clone();
        }
        let place = |label: &Label| self.labels.iter().position(|it| it == label);
        let order: Option<Vec<usize>> = labels.iter().map(place).collect();
        self.tensor.transpose(&order.expect("the same labels in another order")[..])
    }

    /// The tensor with these axes, of one element where it has none of that label.
    #[track_caller]
    fn spread(&self, labels: &[Label]) -> Tensor {
        let own: Vec<Label> =
            labels.iter().copied().filter(|it| self.labels.contains(it)).collect();
        let new: Vec<usize> = (0..labels.len()).filter(|at| !own.contains(&labels[*at])).collect();
        let ordered = self.ordered(&own);
        if new.is_empty() { ordered } else { ordered.expand_dims(&new[..]) }
    }
}

fn twice(labels: &[Label]) -> Option<(usize, usize)> {
    let again = |at: usize| labels[..at].iter().position(|it| *it == labels[at]);
    (0..labels.len()).find_map(|at| again(at).map(|first| (first, at)))
}

/// The product of two, summed over what both have and is not kept. What only one has is kept.
#[track_caller]
pub(super) fn product(a: &Labelled, b: &Labelled, keep: impl Fn(Label) -> bool) -> Labelled {
    let chosen = |from: &Labelled, f: &dyn Fn(Label) -> bool| -> Vec<Label> {
        from.labels.iter().copied().filter(|it| f(*it)).collect()
    };
    let batch = chosen(a, &|it| b.labels.contains(&it) && keep(it));
    let inner = chosen(a, &|it| b.labels.contains(&it) && !keep(it));
    let rows = chosen(a, &|it| !b.labels.contains(&it));
    let columns = chosen(b, &|it| !a.labels.contains(&it));
    let labels = [&batch[..], &rows, &columns].concat();
    let sizes = |of: &Labelled, labels: &[Label]| -> Vec<Dim> {
        labels.iter().map(|it| of.size(*it)).collect()
    };
    let merged = |of: &Labelled, labels: &[Label]| {
        sizes(of, labels).iter().try_fold(Dim::Known(1), |product, size| product.times(size))
    };
    let [row, inside, column] = [merged(a, &rows), merged(a, &inner), merged(b, &columns)];
    if !inner.is_empty()
        && let (Some(row), Some(inside), Some(column)) = (row, inside, column)
    {
        let shaped = |x: Tensor, sizes: Vec<Dim>| {
            let shape = Shape::new(sizes);
            if *x.shape() == shape { x } else { x.reshape(shape) }
        };
        let leading = sizes(a, &batch);
        let with = |last: &[Dim]| [&leading[..], last].concat();
        let left =
            shaped(a.ordered(&[&batch[..], &rows, &inner].concat()), with(&[row, inside.clone()]));
        let right =
            shaped(b.ordered(&[&batch[..], &inner, &columns].concat()), with(&[inside, column]));
        let kept = with(&[sizes(a, &rows), sizes(b, &columns)].concat());
        return Labelled { tensor: shaped(left.matmul(&right), kept), labels };
    }
    // Nothing is summed, or sizes that have no product as a linear form would have to become one.
    let all = [&labels[..], &inner].concat();
    let tensor = a.spread(&all).mul(b.spread(&all));
    Labelled { tensor, labels: all }.summed(|it| !inner.contains(&it))
}
