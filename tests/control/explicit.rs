//! `cond`, `while_loop` and `fori_loop`: the numbers of plain Rust, at once, traced, and in a session.

use graphfn::prelude::*;
use graphfn::{cond, fori_loop, while_loop};

/// Checks a function of one float at once, traced, and in a session.
#[track_caller]
fn check(f: impl Fn(&Tensor) -> Tensor + Clone + Send + Sync + 'static, pairs: &[(f32, f32)]) {
    let (eager, traced) = (f.clone(), graph_fn(f.clone()));
    let graph = Graph::new();
    let x = graph.placeholder::<f32>([]);
    let y = {
        let _graph = graph.as_default();
        f(&x)
    };
    let session = Session::new(&graph);
    for (given, wanted) in pairs {
        let at = Tensor::from(*given);
        let ran = session.run_with(&y, feed! { x => *given }).unwrap();
        for found in [eager(&at), traced.call(&at), ran] {
            assert_eq!(found.item::<f32>(), *wanted, "at {given}");
        }
    }
    assert_eq!(traced.trace_count(), 1);
}

#[test]
fn one_of_two_closures_is_run() {
    check(
        |x| cond(&x.greater(0.0), || x.sqrt(), || x * -2.0),
        &[(4.0, 2.0), (-3.0, 6.0), (0.0, 0.0)],
    );
}

#[test]
fn arms_take_values_from_around_and_from_what_is_around_that() {
    let f = |x: &Tensor| {
        let (y, z) = (x * 2.0, x + 1.0);
        cond(
            &x.greater(0.0),
            || cond(&y.greater(4.0), || &y + &z, || &y - &z),
            || cond(&z.greater(0.0), || z.clone(), || x.clone()),
        )
    };
    check(f, &[(1.0, 0.0), (3.0, 10.0), (-0.5, 0.5), (-2.0, -2.0)]);
}

/// A loop whose number of rounds depends on the data.
#[test]
fn a_loop_runs_as_often_as_the_data_say() {
    let power = |x: &Tensor| while_loop(x.ones_like(), |y| y.less(10.0), |y| y * x);
    check(power, &[(2.0, 16.0), (3.0, 27.0), (20.0, 20.0), (10.0, 10.0)]);
}

/// Golden G-9: 27 takes 111 steps to 1.
#[test]
fn g9_collatz() {
    let steps = graph_fn(|n: &Tensor| {
        let (_, steps) = while_loop(
            (n.clone(), Tensor::from(0)),
            |(n, _)| n.greater(1),
            |(n, steps)| {
                let even = (n % 2).equal(0);
                (cond(&even, || n.floor_div(2), || n * 3 + 1), steps + 1)
            },
        );
        steps
    });
    assert_eq!(steps.call(&Tensor::from(27)).item::<i32>(), 111);
    assert_eq!(steps.call(&Tensor::from(1)).item::<i32>(), 0);
}

/// Golden G-9: the sum of 0, 1, .., 4 is 10.
#[test]
fn g9_rounds_are_counted() {
    let sum = graph_fn(|n: &Tensor| fori_loop(0, n, Tensor::from(0), |i, sum| sum + i));
    assert_eq!(sum.call(&Tensor::from(5)).item::<i32>(), 10);
    assert_eq!(sum.call(&Tensor::from(0)).item::<i32>(), 0);
    let factorials = |x: &Tensor| fori_loop(1, 5, x.clone(), |i, y| y * i.cast(DType::F32));
    check(factorials, &[(1.0, 24.0), (0.5, 12.0)]);
}

#[test]
fn loops_stand_in_loops_and_branches_in_them() {
    let f = |x: &Tensor| {
        fori_loop(0, 3, x.clone(), |i, y| {
            let grown = while_loop(y.clone(), |z| z.less(8.0), |z| z * 2.0);
            cond(&i.equal(1), || &grown - x, || &grown * 0.5)
        })
    };
    let plain = |x: f32| {
        (0..3).fold(x, |y, i| {
            let mut z = y;
            while z < 8.0 {
                z *= 2.0;
            }
            if i == 1 { z - x } else { z * 0.5 }
        })
    };
    check(f, &[(1.0, plain(1.0)), (3.0, plain(3.0)), (5.0, plain(5.0))]);
}

#[derive(Tree)]
struct State {
    at: Tensor,
    speeds: Vec<Tensor>,
    rounds: u32,
}

#[test]
fn a_state_is_a_tree() {
    let fall = graph_fn(|height: &Tensor| {
        let first =
            State { at: height.clone(), speeds: vec![height * 0.0, height * 0.0 + 1.0], rounds: 7 };
        let last = while_loop(
            first,
            |state| state.at.greater(0.0),
            |state| State {
                at: &state.at - &state.speeds[0],
                speeds: vec![&state.speeds[0] + 1.0, &state.speeds[1] * 2.0],
                rounds: state.rounds,
            },
        );
        (last.at, last.speeds)
    });
    let (at, speeds) = fall.call(&Tensor::from(5.0f32));
    assert_eq!(
        (at.item::<f32>(), speeds[0].item::<f32>(), speeds[1].item::<f32>()),
        (-1.0, 4.0, 16.0)
    );
}

#[test]
fn sizes_that_vary_go_through_regions() {
    #[graph_fn(signature(x: f32[n]))]
    fn shrink(x: &Tensor) -> Tensor {
        while_loop(x.clone(), |x| x.sum().greater(1.0), |x| x * 0.5)
    }
    for count in [1usize, 2, 5] {
        let found = shrink(&Tensor::full([count], 4.0f32));
        let halvings = (count as f32 * 4.0).log2().ceil();
        assert_eq!(found.to_vec::<f32>(), vec![4.0 * 0.5f32.powf(halvings); count]);
    }
    assert_eq!(shrink::trace_count(), 1);
}
