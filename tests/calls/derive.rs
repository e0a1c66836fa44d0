//! `#[derive(Tree)]`: structs and enums of every shape cross the boundary and come back whole.

use graphfn::prelude::*;

fn scalar(x: f32) -> Tensor {
    Tensor::from(x)
}

#[derive(Tree, Clone)]
enum Activation {
    Identity,
    Scale(f32),
    By { factor: Tensor },
}

#[derive(Tree, Clone)]
struct Scaled<T> {
    value: T,
    activation: Activation,
}

#[graph_fn]
fn apply(input: &Scaled<Tensor>) -> Scaled<Tensor> {
    let value = match &input.activation {
        Activation::Identity => input.value.clone(),
        Activation::Scale(factor) => &input.value * *factor,
        Activation::By { factor } => &input.value * factor,
    };
    Scaled { value, activation: Activation::Identity }
}

#[test]
fn a_variant_and_its_plain_fields_are_static_and_its_tensors_are_not() {
    let run = |activation| apply(&Scaled { value: scalar(2.0), activation }).value.item::<f32>();
    assert_eq!(run(Activation::Identity), 2.0);
    assert_eq!(run(Activation::Scale(3.0)), 6.0);
    assert_eq!(run(Activation::Scale(4.0)), 8.0);
    assert_eq!(run(Activation::By { factor: scalar(5.0) }), 10.0);
    assert_eq!(run(Activation::By { factor: scalar(6.0) }), 12.0);
    assert_eq!(apply::trace_count(), 4);
}

#[derive(Tree)]
struct Unit;

#[derive(Tree)]
struct Both(Tensor, f32);

#[derive(Tree)]
struct Nothing {}

#[derive(Tree)]
struct Shapes {
    unit: Unit,
    both: Both,
    nothing: Nothing,
    r#type: [Both; 2],
    list: Vec<Option<Tensor>>,
}

#[graph_fn]
fn rebuilt(shapes: &Shapes, x: &Tensor) -> Shapes {
    let both = |both: &Both| Both(&both.0 + x, both.1);
    Shapes {
        unit: Unit,
        both: both(&shapes.both),
        nothing: Nothing {},
        r#type: [both(&shapes.r#type[0]), both(&shapes.r#type[1])],
        list: shapes.list.iter().map(|entry| entry.as_ref().map(|entry| entry * x)).collect(),
    }
}

#[test]
fn every_shape_of_struct_is_rebuilt() {
    let shapes = Shapes {
        unit: Unit,
        both: Both(scalar(1.0), 0.5),
        nothing: Nothing {},
        r#type: [Both(scalar(2.0), 1.5), Both(scalar(3.0), 2.5)],
        list: vec![Some(scalar(4.0)), None],
    };
    let Shapes { unit: Unit, both, nothing: Nothing {}, r#type: [a, b], list } =
        rebuilt(&shapes, &scalar(10.0));
    assert_eq!([both.0, a.0, b.0].map(|x| x.item::<f32>()), [11.0, 12.0, 13.0]);
    assert_eq!([both.1, a.1, b.1], [0.5, 1.5, 2.5]);
    assert_eq!(list[0].as_ref().expect("it was there").item::<f32>(), 40.0);
    assert!(list[1].is_none());
}

/// A tree whose own names are those the derive uses inside.
#[derive(Tree)]
struct Awkward<K, const N: usize>
where
    K: Clone,
{
    key: K,
    names: [Tensor; N],
    map: Tensor,
    field0: Tensor,
}

#[graph_fn]
fn total(x: &Awkward<Tensor, 2>) -> Tensor {
    &x.key + &x.names[0] + &x.names[1] + &x.map + &x.field0
}

#[test]
fn generics_clauses_and_names_are_no_obstacle() {
    let x = Awkward {
        key: scalar(1.0),
        names: [scalar(2.0), scalar(3.0)],
        map: scalar(4.0),
        field0: scalar(5.0),
    };
    assert_eq!(total(&x).item::<f32>(), 15.0);
}

#[allow(dead_code, reason = "it has no values")]
#[derive(Tree)]
enum Never {}

#[graph_fn]
fn perhaps(x: &Tensor, never: &Option<Never>) -> Tensor {
    match never {
        Some(never) => match *never {},
        None => x + 1.0f32,
    }
}

#[test]
fn an_enum_may_be_empty() {
    assert_eq!(perhaps(&scalar(1.0), &None).item::<f32>(), 2.0);
}

macro_rules! tree {
    ($name:ident { $($field:ident),* }) => {
        #[derive(Tree)]
        struct $name { $($field: Tensor),* }
    };
}
tree!(Point { x, y });

#[graph_fn]
fn norm1(point: &Point) -> Tensor {
    &point.x + &point.y
}

#[test]
fn macro_rules_may_make_trees() {
    assert_eq!(norm1(&Point { x: scalar(1.0), y: scalar(2.0) }).item::<f32>(), 3.0);
}
