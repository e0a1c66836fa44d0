//! A closure as long as another gives `true`. Knows regions, and nothing of what the closures do.

use super::shape::{Outline, tensors, with_tensors};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{
    Captured, Control, Loop, NodeKind, Recorder, Specs, Tensor, Tree, assigned_slots, at_home,
    attempt, completed, current_scope, is_condition, name_scope, or_raise, recorder, region,
};
use crate::ops::operand::Operand;
use crate::types::DType;
use std::rc::Rc;
use std::sync::Arc;

/// What a closure makes of a state, round after round, as long as another gives `true` for it.
///
/// In a traced function and in a graph each closure is run once, into a node with two regions; a run of the graph does as
/// many rounds as the data say. Elsewhere the closures are run. The state is a tree of tensors whose shapes and types stay.
///
/// ```
/// use graphfn::{prelude::*, while_loop};
///
/// /// The first power of x that is at least 10.
/// #[graph_fn]
/// fn power(x: &Tensor) -> Tensor {
///     while_loop(x.ones_like(), |y| y.less(10.0), |y| y * x)
/// }
/// assert_eq!(power(&Tensor::from(2.0f32)).item::<f32>(), 16.0);
/// assert_eq!(power(&Tensor::from(3.0f32)).item::<f32>(), 27.0);
/// assert_eq!(power::trace_count(), 1);
/// ```
///
/// # Panics
/// Raises an error if the condition is not one truth value, or the state changes its form.
#[track_caller]
pub fn while_loop<S: Tree>(
    first: S,
    condition: impl Fn(&S) -> Tensor,
    body: impl Fn(&S) -> S,
) -> S {
    let place = Place::caller();
    let given = tensors(&first);
    let _home = at_home(&given);
    if let Some(around) = recorder() {
        return or_raise(recorded(&around, &first, &condition, &body, place));
    }
    let outline = Outline::of(&first);
    let mut state = first;
    loop {
        let again = condition(&state);
        or_raise(is_condition("while_loop", &again));
        if !again.item::<bool>() {
            return state;
        }
        let next = body(&state);
        or_raise(carries(&outline, &next));
        state = next;
    }
}

/// What a closure makes of a state in rounds that are counted: `fori_loop(0, &n, state, |i, state| ..)`, as in JAX.
///
/// The bounds are numbers or scalar tensors of `i32`; the counter is a scalar tensor.
///
/// ```
/// use graphfn::{fori_loop, prelude::*};
///
/// #[graph_fn]
/// fn sum_below(n: &Tensor) -> Tensor {
///     fori_loop(0, n, Tensor::from(0), |i, sum| sum + i)
/// }
/// assert_eq!(sum_below(&Tensor::from(5)).item::<i32>(), 10);
/// ```
///
/// # Panics
/// As [`while_loop`]; and if a bound is not one `i32`.
#[track_caller]
pub fn fori_loop<S: Tree>(
    from: impl Operand,
    to: impl Operand,
    first: S,
    body: impl Fn(&Tensor, &S) -> S,
) -> S {
    let [from, to] = [or_raise(from.operand(DType::I32)), or_raise(to.operand(DType::I32))]
        .map(|it| it.into_owned());
    for bound in [&from, &to] {
        or_raise(is_bound(bound));
    }
    // A closure would hide the caller's line.
    let (_, last) =
        while_loop((from, first), |(i, _)| i.less(&to), |(i, state)| (i + 1, body(i, state)));
    last
}

fn is_bound(bound: &Tensor) -> Result<()> {
    if bound.rank() == 0 && bound.dtype() == DType::I32 {
        return Ok(());
    }
    let message = format!("`fori_loop` counts from one i32 to another, found {}", bound.spec());
    Err(Error::new(ErrorKind::Type, message).with_help("cast the bound: `.cast(DType::I32)`"))
}

fn carries(first: &Outline, next: &impl Tree) -> Result<()> {
    first.agrees(&Outline::of(next), "while_loop", ["the first state", "the body"])
}

fn recorded<S: Tree>(
    around: &Rc<dyn Recorder>,
    first: &S,
    condition: &dyn Fn(&S) -> Tensor,
    body: &dyn Fn(&S) -> S,
    place: Place,
) -> Result<S> {
    let _scope = name_scope("while").open();
    let name = current_scope();
    let carried = tensors(first);
    let outline = Outline::of(first);
    let mut captured = Captured::default();
    let asks = {
        let _scope = name_scope("cond").open();
        let asked = |state: &[Tensor]| {
            let again = attempt(|| condition(&with_tensors(first, state)))?;
            is_condition("while_loop", &again).map(|()| vec![again])
        };
        region(around, &carried, &mut captured, asked, place)?
    };
    let does = {
        let _scope = name_scope("body").open();
        let done = |state: &[Tensor]| {
            let next = attempt(|| body(&with_tensors(first, state)))?;
            carries(&outline, &next).map(|()| tensors(&next))
        };
        region(around, &carried, &mut captured, done, place)?
    };
    let outputs: Specs = carried.iter().map(Tensor::spec).collect();
    let [condition, body] = [asks, does].map(|it| completed(it, carried.len(), &captured));
    if let Some(slot) = assigned_slots(&condition).first() {
        let message = format!(
            "the condition of `while_loop` assigns variable `{}`",
            captured.variables[slot.index()].name()
        );
        return Err(Error::new(ErrorKind::Variable, message).with_help("assign it in the body"));
    }
    let kind = NodeKind::While(Arc::new(Loop { condition, body }));
    let control = Control {
        kind,
        inputs: carried.into_iter().chain(captured.tensors).collect(),
        outputs,
        variables: captured.variables,
        name,
    };
    let made = around.control(control, place)?;
    Ok(with_tensors(first, &made))
}
