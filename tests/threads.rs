//! Many threads: first calls at once, updates that are not lost, locks in opposite order, tensors that do not change.

use graphfn::prelude::*;
use once_cell::sync::Lazy;
use std::sync::Barrier;
use std::thread;

#[test]
fn k1_eight_first_calls_at_once_make_one_trace() {
    #[graph_fn]
    fn slow(x: &Tensor) -> Tensor {
        thread::sleep(std::time::Duration::from_millis(30));
        x * 2.0
    }
    let barrier = Barrier::new(8);
    thread::scope(|scope| {
        for i in 0..8 {
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                assert_eq!(slow(&Tensor::from(i as f32)).item::<f32>(), 2.0 * i as f32);
            });
        }
    });
    assert_eq!(slow::trace_count(), 1);
}

#[test]
fn updates_of_four_threads_are_all_there() {
    static V: Lazy<Variable> = Lazy::new(|| Variable::new("v", 0.0f32));
    #[graph_fn]
    fn increment() {
        V.assign_add(1.0);
    }
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1000).for_each(|_| increment()));
        }
    });
    assert_eq!(V.read().item::<f32>(), 4000.0);
}

#[test]
fn functions_that_take_variables_in_opposite_order_do_not_wait_for_ever() {
    static V: Lazy<Variable> = Lazy::new(|| Variable::new("v", 0.0f64));
    static W: Lazy<Variable> = Lazy::new(|| Variable::new("w", 0.0f64));
    #[graph_fn]
    fn forth() {
        V.assign_add(1.0);
        W.assign_add(1.0);
    }
    #[graph_fn]
    fn back() {
        W.assign_add(1.0);
        V.assign_add(1.0);
    }
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..2000).for_each(|_| forth()));
            scope.spawn(|| (0..2000).for_each(|_| back()));
        }
    });
    assert_eq!((V.read().item::<f64>(), W.read().item::<f64>()), (8000.0, 8000.0));
}

#[test]
fn a_tensor_that_is_held_does_not_change() {
    static V: Lazy<Variable> = Lazy::new(|| Variable::new("v", vec![0.0f32; 1000]));
    #[graph_fn]
    fn increment() -> Tensor {
        V.assign_add(1.0)
    }
    let before = V.read();
    let first = increment();
    let second = increment();
    thread::scope(|scope| {
        scope.spawn(|| (0..100).for_each(|_| drop(increment())));
    });
    let all = |tensor: &Tensor, number: f32| tensor.to_vec::<f32>().iter().all(|it| *it == number);
    assert!(all(&before, 0.0) && all(&first, 1.0) && all(&second, 2.0));
    assert!(all(&V.read(), 102.0));
}

#[test]
fn a_step_over_two_variables_is_seen_whole_or_not_at_all() {
    static V: Lazy<Variable> = Lazy::new(|| Variable::new("v", vec![0.0f32; 5000]));
    static W: Lazy<Variable> = Lazy::new(|| Variable::new("w", vec![0.0f32; 5000]));
    #[graph_fn]
    fn step() {
        V.assign_add(1.0);
        W.assign_sub(1.0);
    }
    #[graph_fn]
    fn both() -> Tensor {
        &*V + &*W
    }
    thread::scope(|scope| {
        let writer = scope.spawn(|| (0..500).for_each(|_| step()));
        while !writer.is_finished() {
            assert!(both().to_vec::<f32>().iter().all(|it| *it == 0.0), "a torn step");
        }
    });
}
