//! One of two closures, by a tensor. Knows regions, and nothing of what the closures do.

use super::shape::{Outline, tensors, with_tensors};
use crate::error::{Place, Result};
use crate::graph::{
    Captured, Control, NodeKind, Recorder, Specs, Tensor, Tree, at_home, attempt, completed,
    current_scope, is_condition, name_scope, or_raise, recorder, region,
};
use std::rc::Rc;
use std::sync::Arc;

/// What one of two closures gives: the first where the condition is `true`, else the second.
///
/// In a traced function and in a graph both closures are run once, into a node with two regions; each run of the graph
/// does one of them. Elsewhere one of them is run. Both give the same tree of tensors, of one shape and type.
///
/// ```
/// use graphfn::{cond, prelude::*};
///
/// #[graph_fn]
/// fn root(x: &Tensor) -> Tensor {
///     cond(&x.greater(0.0), || x.sqrt(), || x * 0.0)
/// }
/// assert_eq!(root(&Tensor::from(4.0f32)).item::<f32>(), 2.0);
/// assert_eq!(root(&Tensor::from(-4.0f32)).item::<f32>(), 0.0);
/// assert_eq!(root::trace_count(), 1);
/// ```
///
/// # Panics
/// Raises an error if the condition is not one truth value, or the closures do not give the same.
#[track_caller]
pub fn cond<R: Tree>(
    condition: &Tensor,
    then: impl FnOnce() -> R,
    otherwise: impl FnOnce() -> R,
) -> R {
    or_raise(is_condition("cond", condition));
    let _home = at_home([condition]);
    let place = Place::caller();
    match recorder() {
        Some(recorder) if condition.is_symbolic() => {
            or_raise(recorded(&recorder, condition, then, otherwise, place))
        }
        _ if condition.item::<bool>() => then(),
        _ => otherwise(),
    }
}

fn recorded<R: Tree>(
    around: &Rc<dyn Recorder>,
    condition: &Tensor,
    then: impl FnOnce() -> R,
    otherwise: impl FnOnce() -> R,
    place: Place,
) -> Result<R> {
    let _scope = name_scope("cond").open();
    let name = current_scope();
    let mut captured = Captured::default();
    let mut given = Vec::new();
    let mut arm = |scope: &str, run: &mut dyn FnMut() -> Result<R>, captured: &mut Captured| {
        let _scope = name_scope(scope).open();
        let body = |_: &[Tensor]| {
            let result = run()?;
            let tensors = tensors(&result);
            given.push(result);
            Ok(tensors)
        };
        region(around, &[], captured, body, place)
    };
    let (mut then, mut otherwise) = (Some(then), Some(otherwise));
    let mut run_then = || attempt(then.take().expect("an arm is run once"));
    let mut run_otherwise = || attempt(otherwise.take().expect("an arm is run once"));
    let first = arm("then", &mut run_then, &mut captured)?;
    let second = arm("else", &mut run_otherwise, &mut captured)?;
    let outlines = [Outline::of(&given[0]), Outline::of(&given[1])];
    outlines[0].agrees(&outlines[1], "cond", ["the first closure", "the second"])?;
    let outputs: Specs = first.outputs.iter().map(|it| first.spec(it.value)).collect();
    let arms = [completed(first, 0, &captured), completed(second, 0, &captured)];
    let control = Control {
        kind: NodeKind::If(Arc::new(arms)),
        inputs: std::iter::once(condition.clone()).chain(captured.tensors).collect(),
        outputs,
        variables: captured.variables,
        name,
    };
    let made = around.control(control, place)?;
    Ok(with_tensors(&given[0], &made))
}
