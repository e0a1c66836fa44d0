//! The order in which a reduction walks its domain: kept axes, reduced axes, and again kept axes that are innermost.
//! Knows no elements. Whatever the order, the result is the same to the bit.

use super::fold::LANES;
use crate::kernels::lanes::Feed;
use crate::kernels::lanes::tile::BLOCK;
use smallvec::SmallVec;

/// A walk through the domain of a reduction: `outer * reduced * inner` elements, the last fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// The axes of the domain as they are walked.
    pub axes: SmallVec<[usize; 6]>,
    /// The results that come one after the other.
    pub outer: usize,
    /// The elements that make one result.
    pub reduced: usize,
    /// The results that are made side by side, neighbours in the output.
    pub inner: usize,
}

impl Order {
    /// The walk that copies the least of these inputs together, given by their strides; where several do, the one
    /// that comes closest to the order of the domain.
    pub fn new(sizes: &[usize], axes: &[usize], inputs: &[SmallVec<[isize; 6]>]) -> Order {
        let kept: SmallVec<[usize; 6]> =
            (0..sizes.len()).filter(|axis| !axes.contains(axis)).collect();
        let inside = sizes[axes.last().map_or(0, |last| last + 1)..].iter().product::<usize>();
        (0..=kept.len())
            .map(|inner| Order::with_inner(sizes, axes, &kept, inner))
            .min_by_key(|order| {
                let copies: usize = inputs.iter().map(|strides| order.copies(sizes, strides)).sum();
                (order.is_thin(), copies, order.inner.abs_diff(inside))
            })
            .expect("there is an order without inner axes")
    }

    /// The order whose inner axes are this many of the last kept ones.
    fn with_inner(sizes: &[usize], axes: &[usize], kept: &[usize], inner: usize) -> Order {
        let (outer, inner) = kept.split_at(kept.len() - inner);
        let len = |axes: &[usize]| axes.iter().map(|axis| sizes[*axis]).product();
        Order {
            axes: [outer, axes, inner].concat().into(),
            outer: len(outer),
            reduced: len(axes),
            inner: len(inner),
        }
    }

    /// The sizes or strides of the axes in the order of the walk.
    pub fn walked<T: Copy>(&self, of: &[T]) -> SmallVec<[T; 6]>
    where
        [T; 6]: smallvec::Array<Item = T>,
    {
        self.axes.iter().map(|axis| of[*axis]).collect()
    }

    /// Whether so few elements lie side by side that a call for each row of them costs more than copying them together.
    fn is_thin(&self) -> bool {
        self.inner > 1 && self.inner * self.reduced.min(LANES) < BLOCK
    }

    /// How much work it is to copy the elements of an input together.
    fn copies(&self, sizes: &[usize], strides: &[isize]) -> usize {
        match Feed::new(&self.walked(sizes), &self.walked(strides)) {
            Feed::Row | Feed::Same => 0,
            Feed::Spread(nest) if nest.has_runs() => 1,
            Feed::Spread(_) => 4,
        }
    }
}
