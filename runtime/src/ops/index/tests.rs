//! Picking and putting by hand, what is refused, and the gradients of repeated indices. Knows small tables.

use super::Place;
use super::pick::Pick;
use super::scatter::Scatter;
use crate::graph::{Backward, Gradient, OpRef, Tensor, attempt, run_eagerly};
use crate::kernels::Meet;

fn table() -> Tensor {
    Tensor::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]])
}

#[test]
fn slices_are_picked_along_any_axis() {
    let rows = table().gather(&Tensor::from([[2, 0], [0, 0]]), 0);
    assert_eq!(rows.shape().to_string(), "(2, 2, 2)");
    assert_eq!(rows.to_vec::<f32>(), [5.0, 6.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
    let column = table().t().gather(&Tensor::from(1i64), -2);
    assert_eq!(column.to_vec::<f32>(), [2.0, 4.0, 6.0]);
}

#[test]
fn elements_are_taken_and_added_along_an_axis() {
    let at = Tensor::from([[1, 1], [0, 1], [0, 0]]);
    let taken = table().take_along_axis(&at, -1);
    assert_eq!(taken.to_vec::<f32>(), [2.0, 2.0, 3.0, 4.0, 5.0, 5.0]);
    let added = table().zeros_like().scatter_add_along_axis(&at, &table(), 1);
    assert_eq!(added.to_vec::<f32>(), [0.0, 3.0, 3.0, 4.0, 11.0, 0.0]);
}

#[test]
fn what_does_not_fit_is_refused() {
    for (error, message) in [
        (
            attempt(|| table().gather(&Tensor::from([0.0f32]), 0)),
            "`gather` needs indices of int32 or int64, found f32[1]",
        ),
        (
            attempt(|| table().take_along_axis(&Tensor::from([[0, 1, 0]]), 0)),
            "`take_along_axis` needs indices of the tensor's sizes but along axis 0, found [1, 3] for [3, 2]",
        ),
        (
            attempt(|| table().scatter_add(&Tensor::from([0]), &Tensor::from([1.0f32]), 0)),
            "`scatter_add` needs updates of shape [1, 2], found [1]",
        ),
        (
            attempt(|| table().scatter_add(&Tensor::from([0]), &Tensor::from([[1, 2]]), 0)),
            "`scatter_add` needs one element type, found f32[3, 2] and i32[1, 2]",
        ),
        (
            attempt(|| table().gather(&Tensor::from([0]), 2)),
            "`gather` needs an axis of a tensor of rank 2, one from -2 to 1, found 2",
        ),
    ] {
        assert_eq!(error.unwrap_err().message(), message);
    }
    let truth = attempt(|| {
        let x = Tensor::from([true]);
        x.scatter_add(&Tensor::from([0]), &x, 0)
    });
    assert!(truth.unwrap_err().message().starts_with("`scatter_add` takes float32"));
}

/// The gradients of the sum of a function's output, by the ops' own rules.
fn backward(op: &OpRef, inputs: &[Tensor], g: Tensor) -> Vec<Option<Tensor>> {
    let refs: Vec<&Tensor> = inputs.iter().collect();
    let outputs = run_eagerly(op, &refs).unwrap();
    match op.grad(&Backward { inputs, outputs: &outputs, grads: &[Some(g)] }) {
        Gradient::Inputs(gradients) => gradients,
        other => panic!("{other:?}"),
    }
}

#[test]
fn d7_gradients_of_repeated_rows_add_up() {
    let inputs = [table(), Tensor::from([2, 2, 0])];
    let op = Pick(Place::Slice(0)).into();
    let gradients = backward(&op, &inputs, Tensor::ones::<f32>([3, 2]));
    let table = gradients[0].as_ref().unwrap();
    assert_eq!(table.to_vec::<f32>(), [1.0, 1.0, 0.0, 0.0, 2.0, 2.0]);
    assert!(gradients[1].is_none());
    let added = [inputs[0].clone(), inputs[1].clone(), Tensor::ones::<f32>([3, 2])];
    let op = Scatter { place: Place::Slice(0), meet: Meet::Add }.into();
    let gradients = backward(&op, &added, inputs[0].clone());
    assert_eq!(gradients[0].as_ref().unwrap().to_vec::<f32>(), inputs[0].to_vec::<f32>());
    let updates = gradients[2].as_ref().unwrap();
    assert_eq!(updates.to_vec::<f32>(), [5.0, 6.0, 5.0, 6.0, 1.0, 2.0]);
}

#[test]
fn of_repeated_updates_the_one_that_stayed_gets_the_gradient() {
    let inputs = [table(), Tensor::from([2, 2, 0]), Tensor::ones::<f32>([3, 2])];
    let op = Scatter { place: Place::Slice(0), meet: Meet::Replace }.into();
    let gradients = backward(&op, &inputs, table());
    let [base, updates] =
        [&gradients[0], &gradients[2]].map(|it| it.as_ref().unwrap().to_vec::<f32>());
    assert_eq!(base, [0.0f32, 0.0, 3.0, 4.0, 0.0, 0.0]);
    assert_eq!(updates, [0.0f32, 0.0, 5.0, 6.0, 1.0, 2.0]);
}
