//! Whether a model learns or is used. Knows no layer.

use graphfn_macros::Tree;

/// Whether a model learns or is used: an argument of layers that do something else in each.
///
/// In a traced function it is part of the signature, so each phase has a trace of its own.
///
/// ```
/// use graphfn::prelude::*;
///
/// #[graph_fn]
/// fn thinned(dropout: &Dropout, x: &Tensor, phase: Phase) -> Tensor {
///     dropout.call(x, phase)
/// }
/// let (dropout, x) = (Dropout::new(0.5), Tensor::ones::<f32>([100]));
/// assert!(thinned(&dropout, &x, Phase::Train).to_vec::<f32>().contains(&0.0));
/// assert_eq!(thinned(&dropout, &x, Phase::Eval).to_vec::<f32>(), [1.0; 100]);
/// assert_eq!(thinned::trace_count(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Tree)]
pub enum Phase {
    /// It learns: elements are dropped, and statistics are those of the batch.
    Train,
    /// It is used, or tested: nothing is dropped or drawn, and statistics are those that were learnt.
    Eval,
}
