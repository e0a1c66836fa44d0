//! Faults that others had in the order, sharing and checking of assignments: each holds eagerly and in every call.

use graphfn::prelude::*;

/// Runs a step three times at once on one variable, three times traced on another; both give what is wanted.
fn steps<R: PartialEq + std::fmt::Debug>(
    first: f32,
    mut at_once: impl FnMut(&Variable) -> R,
    mut traced: impl FnMut(&Variable) -> R,
    wanted: [R; 3],
) -> [f32; 2] {
    let (here, there) = (Variable::new("v", first), Variable::new("v", first));
    for wanted in wanted {
        assert_eq!(at_once(&here), wanted);
        assert_eq!(traced(&there), wanted);
    }
    [here, there].map(|it| it.read().item::<f32>())
}

fn old_and_new(v: &Variable) -> (Tensor, Tensor) {
    let old = v.read();
    v.assign(&old + 1.0);
    (old, v.read())
}

#[test]
fn b1_old_and_new_value_in_one_step_come_in_program_order() {
    #[graph_fn]
    fn traced(v: &Variable) -> (Tensor, Tensor) {
        old_and_new(v)
    }
    let items = |(old, new): (Tensor, Tensor)| (old.item::<f32>(), new.item::<f32>());
    let after = steps(
        0.0,
        |v| items(old_and_new(v)),
        |v| items(traced(v)),
        [(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)],
    );
    assert_eq!(after, [3.0, 3.0]);
    assert_eq!(traced::trace_count(), 1);
}

fn doubled_twice(v: &Variable) {
    v.assign(v * 2.0);
    v.assign(v * 2.0);
}

#[test]
fn b2_two_equal_assignments_are_two_assignments() {
    #[graph_fn]
    fn traced(v: &Variable) {
        doubled_twice(v);
    }
    let value = |v: &Variable| v.read().item::<f32>();
    let after = steps(
        1.0,
        |v| (doubled_twice(v), value(v)),
        |v| (traced(v), value(v)),
        [((), 4.0), ((), 16.0), ((), 64.0)],
    );
    assert_eq!(after, [64.0, 64.0]);
}

fn sums_aside(v: &Variable, x: &Tensor) -> Tensor {
    v.assign_add(x.sum());
    x * 2.0
}

#[test]
fn b4_an_update_that_nobody_uses_still_runs() {
    #[graph_fn]
    fn traced(v: &Variable, x: &Tensor) -> Tensor {
        sums_aside(v, x)
    }
    let ones = Tensor::from([1.0f32; 3]);
    let after = steps(
        0.0,
        |v| sums_aside(v, &ones).to_vec::<f32>(),
        |v| traced(v, &ones).to_vec::<f32>(),
        [(); 3].map(|()| vec![2.0f32; 3]),
    );
    assert_eq!(after, [9.0, 9.0]);
}

#[test]
fn b10_an_assignment_of_another_shape_or_type_names_the_variable_and_both() {
    #[graph_fn]
    fn traced(v: &Variable, x: &Tensor) {
        v.assign(1.0);
        v.assign(x);
    }
    let v = Variable::new("v", 0.0f32);
    let (shape, dtype) = (Tensor::from([1.0f32]), Tensor::from(1));
    for x in [&shape, &dtype] {
        let line = line!() + 1;
        let eager = attempt(|| v.assign(x)).unwrap_err();
        assert_eq!(eager.place().map(|it| it.line), Some(line));
        let traced = traced::try_call(&v, x).unwrap_err();
        assert_eq!((traced.kind(), traced.message()), (eager.kind(), eager.message()));
        assert_eq!(traced.place().map(|it| it.line), Some(line - 6));
        assert!(eager.help().is_some());
        assert_eq!(v.read().item::<f32>(), 0.0, "a failed call changes nothing");
    }
    let told = |x: &Tensor| attempt(|| v.assign(x)).unwrap_err();
    assert_eq!(told(&shape).message(), "variable `v` holds f32[], found f32[1]");
    assert_eq!(told(&shape).kind(), ErrorKind::Shape);
    assert_eq!(told(&dtype).message(), "variable `v` holds f32[], found i32[]");
    assert_eq!(told(&dtype).kind(), ErrorKind::Type);
}
