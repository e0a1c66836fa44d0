//! Memory over many calls and many signatures: it does not grow.
//!
//! A binary of its own, for it reads how much memory the process has.

use graphfn::prelude::*;
use std::sync::{Mutex, PoisonError};

/// The resident memory of this process, in bytes; `None` where `/proc` does not tell.
fn resident() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<i64>().ok()? * 1024)
}

fn growth(block: impl FnOnce()) -> i64 {
    let before = resident();
    block();
    match (before, resident()) {
        (Some(before), Some(after)) => after - before,
        _ => 0,
    }
}

#[graph_fn]
fn scale(x: &Tensor, by: i64) -> Tensor {
    x * by + 1.0
}

/// Tests of one process share its memory: they take turns.
static TURN: Mutex<()> = Mutex::new(());

#[test]
fn l7_calls_and_signatures_do_not_fill_memory() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let x = Tensor::from(vec![1.0f32; 1000]);
    (0..100).for_each(|_| drop(scale(&x, 2)));
    let calls = growth(|| (0..10_000).for_each(|_| drop(scale(&x, 2))));
    assert!(calls < 2 << 20, "10,000 calls took {calls} bytes");

    // Sizes and plain numbers in turn: no two signatures are equal.
    scale::set_cache_limit(64);
    let signature =
        |at: usize| drop(scale(&Tensor::from(vec![1.0f32; at % 100 + 1]), (at / 100) as i64));
    (0..200).for_each(signature);
    let signatures = growth(|| (200..20_200).for_each(signature));
    assert!(signatures < 6 << 20, "20,000 signatures took {signatures} bytes");
    assert_eq!(scale::trace_count(), 20_201);
}

#[graph_fn]
fn train(w: &Variable, optimizer: &Adam, x: &Tensor) -> Tensor {
    optimizer.minimize((x * w).square().mean())
}

#[test]
fn tapes_and_steps_do_not_fill_memory() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (w, x) = (Variable::new("w", vec![1.0f32; 1000]), Tensor::from(vec![0.5f32; 1000]));
    let tape = || {
        let tape = GradientTape::new();
        tape.watch(&x);
        drop((&x * &w).sum());
        drop(tape);
    };
    (0..100).for_each(|_| tape());
    let tapes = growth(|| (0..10_000).for_each(|_| tape()));
    assert!(tapes < 2 << 20, "10,000 tapes that nobody asked took {tapes} bytes");

    let optimizer = Adam::new(1e-4);
    let traced = || drop(train(&w, &optimizer, &x));
    let eager = || drop(optimizer.minimize(|| (&x * &w).square().mean()));
    for step in [&traced as &dyn Fn(), &eager] {
        (0..100).for_each(|_| step());
        let steps = growth(|| (0..10_000).for_each(|_| step()));
        assert!(steps < 2 << 20, "10,000 steps took {steps} bytes");
    }
}
