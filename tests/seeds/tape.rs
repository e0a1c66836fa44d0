//! The chapter on eager mode and tapes: its programs, prints and refusals.

use graphfn::prelude::*;

#[test]
fn s50_a_gradient_prints_as_a_value() {
    let [x, w, b] = [10.0f32, 2.0, 3.0].map(|it| Variable::new("v", it));
    let tape = GradientTape::new().persistent();
    let y = &w * &x + &b;
    let gradient = tape.gradient(&y, &w).unwrap();
    assert_eq!(format!("{gradient:?}"), "Tensor(10.0, shape=(), dtype=float32)");
    // S-54: a persistent tape is asked again.
    assert_eq!(
        format!("{:?}", tape.gradient(&y, &b).unwrap()),
        "Tensor(1.0, shape=(), dtype=float32)"
    );
}

#[test]
fn s52_types_do_not_mix_and_integers_have_no_gradient() {
    let error = attempt(|| &Variable::new("w", 2.0f32) * Tensor::from(10)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Type);
    let n = Variable::new("n", 2);
    let tape = GradientTape::new();
    let y = n.cast(DType::F32) * 3.0;
    assert!(tape.gradient(&y, &n).is_none());
}

#[graph_fn]
fn cube_twice(x: &Tensor) -> (Tensor, Tensor) {
    let outer = GradientTape::new();
    outer.watch(x);
    let inner = GradientTape::new();
    inner.watch(x);
    let y = x * x * x;
    let first = inner.gradient(&y, x).unwrap();
    let second = outer.gradient(&first, x).unwrap();
    (first, second)
}

#[test]
fn s55_nested_tapes_in_a_trace() {
    let (first, second) = cube_twice(&Tensor::from(1.0f32));
    assert_eq!((first.item::<f32>(), second.item::<f32>()), (3.0, 6.0));
}

#[test]
fn a_tape_does_not_count_what_was_before_it() {
    let x = Tensor::from(3.0f32);
    let f = |x: &Tensor| {
        let before = x * x;
        let tape = GradientTape::new();
        tape.watch(x);
        let y = x * before;
        tape.gradient(&y, x).unwrap()
    };
    // x * 9, where the 9 was computed before.
    assert_eq!(f(&x).item::<f32>(), 9.0);
    assert_eq!(graph_fn(f).call(&x).item::<f32>(), 9.0);
}

#[test]
fn a_watched_constant_of_a_trace_is_not_another_of_the_same_number() {
    let f = |_: &()| {
        let x = Tensor::from(3.0f32);
        let tape = GradientTape::new();
        tape.watch(&x);
        let y = &x * 3.0;
        tape.gradient(&y, &x).unwrap()
    };
    assert_eq!(f(&()).item::<f32>(), 3.0);
    assert_eq!(graph_fn(f).call(&()).item::<f32>(), 3.0);
}

#[test]
fn assignments_end_gradients_and_each_read_is_a_source() {
    let f = |x: &Tensor| {
        let w = Variable::new("w", 2.0f32);
        let tape = GradientTape::new().persistent();
        tape.watch(x);
        w.assign(w.read() * x);
        let y = w.read() * w.read();
        (tape.gradient(&y, x).is_none(), tape.gradient(&y, &w).unwrap())
    };
    let (is_none, slope) = f(&Tensor::from(5.0f32));
    assert_eq!((is_none, slope.item::<f32>()), (true, 20.0));
    let (is_none, slope) = graph_fn(f).call(&Tensor::from(5.0f32));
    assert_eq!((is_none, slope.item::<f32>()), (true, 20.0));
}
