//! What a warm call allocates: nothing but its results, and not even those when earlier ones were dropped.
//!
//! A binary of its own, for its allocator counts.

use graphfn::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: all work is the system allocator's; counting touches a thread-local cell without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many allocations this thread makes in a block.
fn allocations(block: impl FnOnce()) -> usize {
    let before = COUNT.get();
    block();
    COUNT.get() - before
}

#[graph_fn]
fn add(a: &Tensor, b: &Tensor) -> Tensor {
    (a + b) * 2.0
}

#[derive(Tree)]
struct Model {
    weights: Vec<Variable>,
}

impl Model {
    fn new() -> Model {
        Model { weights: (0..20).map(|_| Variable::new("w", vec![0.5f32; 100])).collect() }
    }

    #[graph_fn]
    fn step(&self, x: &Tensor) -> Tensor {
        let mut total = x.clone();
        for weight in &self.weights {
            total += weight;
            weight.assign_sub(&total * 0.01);
        }
        total
    }
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1);
}

#[test]
fn a_warm_call_allocates_its_result_or_nothing() {
    let (a, b) = (Tensor::from(vec![1.0f32; 100]), Tensor::from(vec![2.0f32; 100]));
    let mut kept = vec![add(&a, &b), add(&a, &b)];
    kept.clear();
    kept.reserve(4);
    assert_eq!(allocations(|| drop(add(&a, &b))), 0, "the last result was dropped");
    let held = add(&a, &b);
    assert_eq!(allocations(|| kept.push(add(&a, &b))), 1, "the last result is held");
    assert_eq!(held.to_vec::<f32>(), kept[0].to_vec::<f32>());
}

#[test]
fn a_warm_step_of_twenty_variables_allocates_nothing() {
    let (model, x) = (Model::new(), Tensor::from(vec![1.0f32; 100]));
    (0..3).for_each(|_| drop(model.step(&x)));
    assert_eq!(allocations(|| (0..10).for_each(|_| drop(model.step(&x)))), 0);
}

#[test]
fn four_threads_allocate_nothing_when_warm() {
    let (a, b) = (Tensor::from(vec![1.0f32; 100]), Tensor::from(vec![2.0f32; 100]));
    let barrier = std::sync::Barrier::new(4);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..3 {
                    barrier.wait();
                    drop(add(&a, &b));
                }
                barrier.wait();
                assert_eq!(allocations(|| (0..1000).for_each(|_| drop(add(&a, &b)))), 0);
            });
        }
    });
}
