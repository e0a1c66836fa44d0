//! What may be passed to a traced function, what is part of its signature, what is written back.

use graphfn::prelude::*;

fn scalar(x: f32) -> Tensor {
    Tensor::from(x)
}

#[graph_fn]
fn patterns(
    (a, mut b): (Tensor, Tensor),
    [c, _]: [Tensor; 2],
    mut n: i32,
) -> (Tensor, Vec<Tensor>) {
    b += 1.0f32;
    n += 1;
    (a + &b, vec![b * n, c])
}

#[test]
fn patterns_and_mut_bindings_keep_their_meaning() {
    let call = |a| {
        let (sum, list) = patterns((scalar(a), scalar(2.0)), [scalar(3.0), scalar(4.0)], 1);
        [&sum, &list[0], &list[1]].map(|x| x.item::<f32>())
    };
    assert_eq!(call(1.0), [4.0, 6.0, 3.0]);
    assert_eq!(call(10.0), [13.0, 6.0, 3.0]);
    assert_eq!(patterns::trace_count(), 1);
}

#[graph_fn]
fn lifetimes<'a, 'b: 'a>(xs: &'a [Tensor], sign: &'b str, more: &Option<Tensor>) -> Tensor {
    let mut sum = xs[0].clone();
    for x in &xs[1..] {
        sum += x;
    }
    if sign == "minus" {
        sum = -&sum;
    }
    match more {
        Some(more) => sum + more,
        None => sum,
    }
}

#[test]
fn slices_text_and_options_are_looked_into() {
    let xs = [scalar(1.0), scalar(2.0)];
    assert_eq!(lifetimes(&xs, "plus", &None).item::<f32>(), 3.0);
    assert_eq!(lifetimes(&xs, "minus", &Some(scalar(1.0))).item::<f32>(), -2.0);
    assert_eq!(lifetimes(&xs, "minus", &Some(scalar(2.0))).item::<f32>(), -1.0);
    assert_eq!(lifetimes::trace_count(), 2);
}

#[graph_fn]
fn repeat<const N: usize, D: Default + Into<f64>>(x: &Tensor) -> Tensor {
    let mut y = x + D::default().into();
    for _ in 0..N {
        y += 1.0f32;
    }
    y
}

#[test]
fn each_instance_of_a_generic_function_has_its_own_trace() {
    assert_eq!(repeat::<2, u8>(&scalar(0.0)).item::<f32>(), 2.0);
    assert_eq!(repeat::<3, u8>(&scalar(0.0)).item::<f32>(), 3.0);
    assert_eq!(repeat::<3, i8>(&scalar(0.0)).item::<f32>(), 3.0);
    assert_eq!(repeat::<3, i8>(&scalar(1.0)).item::<f32>(), 4.0);
    assert_eq!(repeat::trace_count(), 3);
    repeat::concrete_function::<3, i8>(&scalar(1.0)).expect("it can be traced");
    assert_eq!(repeat::trace_count(), 3);
}

#[graph_fn]
fn call_it(f: impl Fn(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
    f(x)
}

#[graph_fn]
fn call_both<F, G: Fn(&Tensor) -> Tensor>(f: F, g: &G, x: &Tensor) -> Tensor
where
    F: Fn(&Tensor) -> Tensor,
{
    f(&g(x))
}

#[graph_fn]
fn call_mut(mut f: impl FnMut(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
    let x = f(x);
    f(&x)
}

fn double(x: &Tensor) -> Tensor {
    x * 2.0f32
}

#[test]
fn code_is_known_by_its_type() {
    assert_eq!(call_it(|x| x + 1.0f32, &scalar(1.0)).item::<f32>(), 2.0);
    assert_eq!(call_it(|x| x * 10.0f32, &scalar(1.0)).item::<f32>(), 10.0);
    assert_eq!(call_it(double, &scalar(1.0)).item::<f32>(), 2.0);
    assert_eq!(call_it(double, &scalar(3.0)).item::<f32>(), 6.0);
    assert_eq!(call_it::trace_count(), 3);
    assert_eq!(call_both(double, &double, &scalar(1.0)).item::<f32>(), 4.0);
    assert_eq!(call_mut(double, &scalar(1.0)).item::<f32>(), 4.0);
}

#[graph_fn]
fn any_tree(tree: &impl Tree, owned: impl Tree + Into<Tensor>, x: &Tensor) -> Tensor {
    let _ = tree;
    x + owned.into()
}

#[test]
fn an_unnamed_type_may_be_a_tree() {
    assert_eq!(any_tree(&vec![scalar(1.0)], scalar(2.0), &scalar(3.0)).item::<f32>(), 5.0);
    assert_eq!(any_tree(&7i32, scalar(3.0), &scalar(3.0)).item::<f32>(), 6.0);
    assert_eq!(any_tree::trace_count(), 2);
}

#[graph_fn]
fn step(x: &Tensor, #[tensor] mut rate: f32, momentum: f32) -> Tensor {
    rate *= momentum;
    x - x * rate
}

#[test]
fn a_number_is_static_unless_it_is_marked() {
    assert_eq!(step(&scalar(2.0), 0.25, 1.0).item::<f32>(), 1.5);
    assert_eq!(step(&scalar(2.0), 0.5, 1.0).item::<f32>(), 1.0);
    assert_eq!(step::trace_count(), 1);
    assert_eq!(step(&scalar(2.0), 0.5, 0.5).item::<f32>(), 1.5);
    assert_eq!(step::trace_count(), 2);
}

#[graph_fn]
fn sum_of(#[tensor] a: i32, #[tensor] b: i32) -> Tensor {
    a + b
}

#[test]
fn marked_integers_keep_their_type() {
    assert_eq!(sum_of(2, 3).item::<i32>(), 5);
    assert_eq!(sum_of(2, 4).item::<i32>(), 6);
    assert_eq!(sum_of::trace_count(), 1);
}

#[graph_fn]
fn accumulate(total: &mut Tensor, count: &mut i32, x: &Tensor) -> Tensor {
    *total += x;
    *count += 1;
    &*total * 10.0f32
}

#[test]
fn mut_arguments_are_written_back() {
    let (mut total, mut count) = (scalar(1.0), 0);
    assert_eq!(accumulate(&mut total, &mut count, &scalar(2.0)).item::<f32>(), 30.0);
    assert_eq!(total.item::<f32>(), 3.0);
    assert_eq!(accumulate(&mut total, &mut count, &scalar(2.0)).item::<f32>(), 50.0);
    assert_eq!((total.item::<f32>(), count), (5.0, 2));
    accumulate::concrete_function(&mut total, &mut count, &scalar(2.0)).expect("it can be traced");
    assert_eq!((total.item::<f32>(), count), (5.0, 2));
}

#[graph_fn]
fn swap_pair((a, b): &mut (Tensor, Tensor)) {
    std::mem::swap(a, b);
}

#[test]
fn a_pattern_may_stand_behind_mut() {
    let mut pair = (scalar(1.0), scalar(2.0));
    swap_pair(&mut pair);
    assert_eq!((pair.0.item::<f32>(), pair.1.item::<f32>()), (2.0, 1.0));
}

#[graph_fn]
fn titled(title: &'static str, x: Tensor) -> (Tensor, usize) {
    let kept: &'static str = title;
    (x, kept.len())
}

#[test]
fn static_text_stays_static() {
    assert_eq!(titled("loss", scalar(1.0)).1, 4);
}

#[graph_fn]
fn added(a: &Tensor, b: &Tensor) -> Tensor {
    a + b
}

#[test]
fn two_arguments_that_are_one_tensor_stay_two_arguments() {
    let same = scalar(3.0);
    assert_eq!(added(&same, &same).item::<f32>(), 6.0);
    assert_eq!(added(&scalar(1.0), &scalar(2.0)).item::<f32>(), 3.0);
    assert_eq!(added::trace_count(), 1);
}
