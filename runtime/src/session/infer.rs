//! What the outputs of an op are while shapes of placeholders are not known: what they are for every shape that is
//! tried. Knows no op; it asks one as often as needed.
//!
//! What is found so is for prints, element types and gradient rules. A run infers again, at the shapes that are fed, and
//! checks that what was said to be known is so.

use crate::error::Result;
use crate::graph::{OpRef, Specs};
use crate::types::{DType, Dim, Shape, Spec, Symbol};
use std::collections::BTreeMap;

/// The outputs of an op, and whether a run has to infer them again.
pub(super) struct Inferred {
    pub outputs: Specs,
    pub is_open: bool,
}

/// What an unknown size is tried as: one that broadcasts, and two that do not.
const SIZES: [usize; 3] = [1, 7, 5];

/// What an unknown shape is tried as.
const SHAPES: [&[usize]; 4] = [&[], &[7], &[5], &[5, 7]];

/// How many sizes and shapes may be unknown for all combinations to be tried; above, all are tried as one.
const COMBINED: usize = 4;

/// Infers the outputs of an op on inputs some of whose shapes may be unknown.
///
/// # Errors
/// What the op says, if it takes no such inputs whatever their shapes are.
pub(super) fn infer(op: &OpRef, inputs: &[Spec]) -> Result<Inferred> {
    let has_ranks = inputs.iter().all(|it| it.shape().has_rank());
    let refused = match has_ranks.then(|| op.infer(inputs)) {
        Some(Ok(outputs)) => return Ok(Inferred { outputs, is_open: false }),
        Some(Err(error)) if inputs.iter().all(|it| it.known().is_some()) => return Err(error),
        Some(Err(error)) => Some(error),
        None => None,
    };
    let trials = Trials::of(inputs);
    let mut taken: Vec<(Trial, Specs)> = Vec::new();
    let mut last = None;
    for trial in trials.all() {
        let specs: Vec<Spec> = inputs.iter().map(|it| trial.spec(*it)).collect();
        match op.infer(&specs) {
            Ok(outputs) => taken.push((trial, outputs)),
            Err(error) => last = Some(error),
        }
    }
    let Some((_, first)) = taken.first() else {
        return Err(refused.or(last).expect("nothing was taken, so something was refused"));
    };
    let outputs = (0..first.len()).map(|at| trials.common(at, &taken)).collect();
    Ok(Inferred { outputs, is_open: true })
}

/// The unknowns of some inputs.
struct Trials {
    sizes: Vec<Symbol>,
    shapes: Vec<&'static Shape>,
}

/// What each unknown is tried as.
struct Trial {
    sizes: BTreeMap<Symbol, usize>,
    shapes: Vec<(&'static Shape, &'static [usize])>,
}

impl Trials {
    fn of(inputs: &[Spec]) -> Trials {
        let mut sizes: Vec<Symbol> = inputs.iter().flat_map(|it| it.shape().symbols()).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let mut shapes: Vec<&'static Shape> = Vec::new();
        for spec in inputs.iter().filter(|it| !it.shape().has_rank()) {
            if !shapes.contains(&spec.shape()) {
                shapes.push(spec.shape());
            }
        }
        Trials { sizes, shapes }
    }

    fn all(&self) -> Vec<Trial> {
        let (sizes, shapes) = (self.sizes.len(), self.shapes.len());
        if sizes + shapes > COMBINED {
            let same = |at: usize| self.trial(&vec![at; sizes], &vec![at; shapes]);
            return (0..SIZES.len()).map(same).collect();
        }
        let choices = [vec![SIZES.len(); sizes], vec![SHAPES.len(); shapes]].concat();
        let mut at = vec![0; choices.len()];
        let mut all = Vec::new();
        loop {
            all.push(self.trial(&at[..sizes], &at[sizes..]));
            // Counts up, the last place first.
            let Some(place) = (0..at.len()).rev().find(|it| at[*it] + 1 < choices[*it]) else {
                return all;
            };
            at[place] += 1;
            at[place + 1..].fill(0);
        }
    }

    fn trial(&self, sizes: &[usize], shapes: &[usize]) -> Trial {
        let sizes = self.sizes.iter().zip(sizes).map(|(symbol, at)| (*symbol, SIZES[*at]));
        let shapes = self.shapes.iter().zip(shapes).map(|(shape, at)| (*shape, SHAPES[*at]));
        Trial { sizes: sizes.collect(), shapes: shapes.collect() }
    }

    /// What an output is in all trials that were taken.
    fn common(&self, output: usize, taken: &[(Trial, Specs)]) -> Spec {
        let found = || taken.iter().map(|(trial, specs)| (trial, specs[output].shape()));
        let dtype: DType = taken[0].1[output].dtype();
        let same_as = |shape: &&'static Shape| {
            found().all(|(trial, found)| *found == Shape::from(trial.shape(shape)))
        };
        if let Some(shape) = self.shapes.iter().find(|it| same_as(it)) {
            return Spec::new(dtype, *shape);
        }
        let rank = found().next().map_or(0, |(_, shape)| shape.rank());
        if found().any(|(_, shape)| shape.rank() != rank) {
            return Spec::new(dtype, Shape::unknown());
        }
        Spec::new(dtype, Shape::new((0..rank).map(|axis| self.common_size(axis, found()))))
    }

    fn common_size<'t>(
        &self,
        axis: usize,
        mut found: impl Iterator<Item = (&'t Trial, &'t Shape)> + Clone,
    ) -> Dim {
        let mut all = found.clone();
        let first = found.next().expect("a trial was taken").1[axis].clone();
        if all.clone().all(|(_, shape)| shape[axis] == first) {
            return first;
        }
        let same = self
            .sizes
            .iter()
            .find(|symbol| all.clone().all(|(trial, shape)| shape[axis] == trial.sizes[*symbol]));
        let symbol = same.copied().unwrap_or_else(|| Symbol::new("None"));
        debug_assert!(all.next().is_some());
        Dim::symbol(symbol)
    }
}

impl Trial {
    fn shape(&self, unknown: &Shape) -> &'static [usize] {
        let found = self.shapes.iter().find(|(shape, _)| *shape == unknown);
        found.expect("every unknown shape is tried").1
    }

    fn spec(&self, spec: Spec) -> Spec {
        if !spec.shape().has_rank() {
            return spec.with_shape(self.shape(spec.shape()));
        }
        match spec.shape().evaluate(&self.sizes) {
            Some(shape) => spec.with_shape(shape),
            None => spec,
        }
    }
}
