//! Branches and loops beside variables, host functions, files and text; and what is refused, with its words.

use crate::support::Folder;
use graphfn::prelude::*;
use graphfn::{cond, fori_loop, ir, while_loop};
use std::sync::atomic::{AtomicUsize, Ordering};

fn number(x: f32) -> Tensor {
    Tensor::from(x)
}

#[test]
fn variables_change_in_the_arm_that_runs_alone() {
    let (a, b) = (Variable::new("a", 1.0f32), Variable::new("b", 10.0f32));
    let (inner_a, inner_b) = (a.clone(), b.clone());
    let f = graph_fn(move |x: &Tensor| {
        let (a, b) = (&inner_a, &inner_b);
        cond(
            &x.greater(0.0),
            || a.assign_add(x),
            || {
                b.assign(a * 2.0);
                b.read() + 0.0
            },
        ) + a
    });
    let held = || [a.read().item::<f32>(), b.read().item::<f32>()];
    assert_eq!((f.call(&number(5.0)).item::<f32>(), held()), (12.0, [6.0, 10.0]));
    assert_eq!((f.call(&number(-5.0)).item::<f32>(), held()), (18.0, [6.0, 12.0]));
    assert_eq!(f.trace_count(), 1);
}

/// Golden G-9: reads around two updates see 0, 1 and 2.
#[test]
fn g9_effects_keep_their_order_in_loops() {
    let count = Variable::new("count", 0.0f32);
    let inner = count.clone();
    let f = graph_fn(move |n: &Tensor| {
        let before = inner.read();
        let seen = fori_loop(0, n, number(0.0), |_, sum| {
            let seen = inner.read();
            inner.assign_add(1.0);
            sum * 10.0 + seen
        });
        (before, seen, inner.read())
    });
    let (before, seen, after) = f.call(&Tensor::from(3));
    assert_eq!([before, seen, after].map(|it| it.item::<f32>()), [0.0, 12.0, 3.0]);
    assert_eq!(count.read().item::<f32>(), 3.0);
}

#[test]
fn a_host_function_runs_once_for_each_round_and_reads_variables() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let w = Variable::new("w", 3.0f32);
    let inner = w.clone();
    let f = graph_fn(move |n: &Tensor| {
        let held = inner.clone();
        let add = host_fn("add", move |x: ndarray::ArrayViewD<f32>| {
            CALLS.fetch_add(1, Ordering::Relaxed);
            x.mapv(|it| it + held.read().item::<f32>())
        });
        fori_loop(0, n, inner.read(), |_, sum| add.call([sum]))
    });
    assert_eq!(f.call(&Tensor::from(4)).item::<f32>(), 15.0);
    assert_eq!(CALLS.load(Ordering::Relaxed), 4);
}

#[test]
fn a_run_that_fails_in_a_round_changes_nothing_and_names_the_line() {
    let a = Variable::new("a", 0);
    let inner = a.clone();
    let f = graph_fn(move |n: &Tensor| {
        fori_loop(0, 3, n.clone(), |_, n| {
            inner.assign_add(1);
            Tensor::from(12).floor_div(n) - 12
        })
    });
    let error = attempt(|| f.call(&Tensor::from(1))).unwrap_err();
    assert_eq!(error.message(), "integer division by zero, at element []");
    assert!(error.place().unwrap().file.ends_with("regions.rs"), "{error}");
    assert_eq!(a.read().item::<i32>(), 0);
}

#[graph_fn]
fn sample(x: &Tensor, w: &Variable) -> Tensor {
    let grown = while_loop(x.clone(), |y| y.sum().less(100.0), |y| y * 2.0 + w);
    cond(&x.sum().greater(3.0), || grown.exp(), || w.assign(&grown * 0.0) + &grown)
}

#[test]
fn text_shows_regions_and_reads_back_and_files_hold_them() {
    let (x, w) = (Tensor::from([1.0f32, 2.0]), Variable::new("w", [1.0f32, 0.5]));
    let concrete = sample::concrete_function(&x, &w).unwrap();
    for graph in [concrete.graph(), concrete.graph_optimised()] {
        let text = format!("{graph:#}");
        assert!(text.contains("    while {\n") && text.contains("    else {\n"), "{text}");
        let parsed = ir::Graph::parse(&text).unwrap();
        assert_eq!(format!("{parsed:#}"), text);
    }
    let folder = Folder::new("regions");
    let path = folder.path("sample.graphfn");
    concrete.save(&path).unwrap();
    let loaded = ConcreteFunction::load(&path).unwrap();
    let wanted = sample(&x, &w).to_vec::<f32>();
    assert_eq!(loaded.call([&x]).unwrap()[0].to_vec::<f32>(), wanted);
    assert_eq!(w.read().to_vec::<f32>(), loaded.variables()[0].read().to_vec::<f32>());
    let cut =
        ir::Graph::parse(&format!("{:#}", concrete.graph()).replace("    do {\n", "")).unwrap_err();
    assert!(cut.message().contains("`do`"), "{cut}");
}

#[test]
fn concrete_functions_with_regions_are_parts_of_others_and_heard_by_tapes() {
    let (x, w) = (Tensor::from([1.0f32, 2.0]), Variable::new("w", [1.0f32, 0.5]));
    let concrete = sample::concrete_function(&x, &w).unwrap();
    let wanted = concrete.call([&x]).unwrap()[0].to_vec::<f32>();
    w.assign(Tensor::from([1.0f32, 0.5]));
    let inner = concrete.clone();
    let outer = graph_fn(move |x: &Tensor| inner.call([x]).unwrap().remove(0));
    assert_eq!(outer.call(&x).to_vec::<f32>(), wanted);
    w.assign(Tensor::from([1.0f32, 0.5]));
    let tape = GradientTape::new();
    tape.watch(&x);
    let y = concrete.call([&x]).unwrap().remove(0);
    assert_eq!(y.to_vec::<f32>(), wanted);
    // Doubled six times, for 1 + 2 grows past 100 then.
    assert_eq!(tape.gradient(y.sum(), &x).unwrap().to_vec::<f32>(), [32.0, 32.0]);
}

#[track_caller]
fn refused(f: impl Fn(&Tensor) -> Tensor + Send + Sync + 'static, message: &str) {
    let f = graph_fn(f);
    let error = attempt(|| f.call(&number(1.0))).unwrap_err();
    assert!(error.message().contains(message), "{error}");
    assert!(
        error.help().is_some() && error.place().is_some_and(|it| it.file.ends_with("regions.rs"))
    );
}

#[test]
fn arms_that_differ_and_states_that_change_their_form_are_refused() {
    let two = || Tensor::from([1.0f32, 2.0]);
    refused(
        move |x| cond(&x.greater(0.0), || x * two(), || x.clone()),
        "`cond`: the first closure gives f32[2] , and the second f32[]",
    );
    refused(
        move |x| cond(&x.greater(0.0), || vec![x.clone()], Vec::new)[0].clone(),
        "`cond`: the first closure gives 1 tensors, and the second 0",
    );
    refused(
        move |x| while_loop(x.clone(), |y| y.sum().less(10.0), |y| y * two()),
        "`while_loop`: the first state gives f32[] , and the body f32[2]",
    );
    refused(
        |x| while_loop((x.clone(), 1u32), |(y, _)| y.less(10.0), |(y, n)| (y * 2.0, n + 1)).0,
        "`while_loop`: the first state gives 1 as `1`, and the body 2",
    );
}

#[test]
fn conditions_are_one_truth_value_and_assign_nothing() {
    refused(
        |x| cond(x, || x.clone(), || x.clone()),
        "`cond` decides on one truth value, found f32[]",
    );
    refused(
        |x| while_loop(x * Tensor::from([1.0f32, 2.0]), |y| y.less(10.0), |y| y * 2.0).sum(),
        "`while_loop` decides on one truth value, found bool[2]",
    );
    let a = Variable::new("a", 0.0f32);
    refused(
        move |x| while_loop(x.clone(), |y| a.assign(y).less(10.0), |y| y * 2.0),
        "the condition of `while_loop` assigns variable `a`",
    );
    let bound = attempt(|| fori_loop(0, Tensor::from(2.5f32), number(1.0), |_, y| y.clone()));
    assert!(bound.unwrap_err().message().contains("i32"));
}

#[test]
fn a_gradient_through_regions_is_an_error_in_a_trace_and_right_for_a_tape() {
    let w = Variable::new("w", 3.0f32);
    let inner = w.clone();
    let loss = move |x: &Tensor| cond(&x.greater(0.0), || &inner * x.square(), || x.clone());
    let (traced, eager) = (loss.clone(), loss);
    let says = "there is no gradient through the branch `cond` in a trace";
    refused(move |x| gradients(traced(x), x).unwrap(), says);
    let (traced, held) = (eager.clone(), w.clone());
    refused(move |x| gradients(traced(x), &held).unwrap(), says);
    refused(
        |x| gradients(while_loop(x.clone(), |y| y.less(9.0), |y| y * 2.0), x).unwrap(),
        "there is no gradient through the loop `while` in a trace",
    );
    let (x, tape) = (number(2.0), GradientTape::new().persistent());
    tape.watch(&x);
    let y = eager(&x);
    let found = [tape.gradient(&y, &x), tape.gradient(&y, &w)].map(Option::unwrap);
    assert_eq!(found.map(|it| it.item::<f32>()), [12.0, 4.0]);
}
