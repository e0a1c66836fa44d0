//! What the body sees and does while it is traced: it runs once, whatever happens in it.

use std::panic::catch_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::thread;

use graphfn::prelude::*;

fn scalar(x: f32) -> Tensor {
    Tensor::from(x)
}

fn message(panic: Box<dyn std::any::Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic.downcast_ref::<&str>().expect("a panic has a text").to_string(),
    }
}

#[graph_fn]
fn counted(x: &Tensor) -> Tensor {
    RUNS.fetch_add(1, Ordering::Relaxed);
    x + 1.0f32
}

static RUNS: AtomicUsize = AtomicUsize::new(0);

#[test]
fn the_body_runs_once_per_trace() {
    for x in [1.0, 2.0, 3.0] {
        assert_eq!(counted(&scalar(x)).item::<f32>(), x + 1.0);
    }
    assert_eq!(RUNS.load(Ordering::Relaxed), 1);
}

static COUNT: LazyLock<Variable> = LazyLock::new(|| Variable::new("count", scalar(0.0)));

#[graph_fn]
fn count() -> Tensor {
    COUNT.assign_add(1.0f32);
    COUNT.read()
}

#[test]
fn a_captured_variable_is_read_and_written_in_order() {
    let before = COUNT.read().item::<f32>();
    for n in 1..=5 {
        assert_eq!(count().item::<f32>(), before + n as f32);
    }
    assert_eq!(count::trace_count(), 1);
}

#[graph_fn]
fn power(x: &Tensor, n: u32) -> Tensor {
    if n == 0 { scalar(1.0) } else { x * power(x, n - 1) }
}

#[graph_fn]
fn endless(x: &Tensor) -> Tensor {
    endless(&(x + 1.0f32))
}

#[test]
fn recursion_over_a_static_argument_is_inlined() {
    assert_eq!(power(&scalar(2.0), 10).item::<f32>(), 1024.0);
    assert_eq!(power::trace_count(), 1);
}

#[test]
fn endless_recursion_is_an_error() {
    let error = endless::try_call(&scalar(1.0)).unwrap_err().to_string();
    assert!(error.contains("endless"), "{error}");
}

#[graph_fn]
fn slow(x: &Tensor) -> Tensor {
    thread::sleep(std::time::Duration::from_millis(20));
    x + 1.0f32
}

#[test]
fn first_calls_at_once_make_one_trace() {
    thread::scope(|scope| {
        for i in 0..8 {
            let x = i as f32;
            scope.spawn(move || assert_eq!(slow(&scalar(x)).item::<f32>(), x + 1.0));
        }
    });
    assert_eq!(slow::trace_count(), 1);
}

#[graph_fn]
fn refuses_seven(x: &Tensor, n: i32) -> Tensor {
    if n == 7 {
        panic!("the user says {n}");
    }
    x + 1.0f32
}

#[test]
fn a_panic_of_the_user_passes_unchanged_and_poisons_nothing() {
    for _ in 0..2 {
        let panic = catch_unwind(|| refuses_seven(&scalar(1.0), 7)).unwrap_err();
        assert_eq!(message(panic), "the user says 7");
        assert_eq!(refuses_seven(&scalar(1.0), 8).item::<f32>(), 2.0);
    }
}

#[graph_fn]
fn mismatched(a: &Tensor, b: &Tensor) -> Tensor {
    a + b
}

#[test]
fn misuse_panics_with_the_line_in_the_body() {
    let call = || mismatched(&Tensor::from([1.0f32; 2]), &Tensor::from([1.0f32; 3]));
    let text = message(catch_unwind(call).unwrap_err());
    assert!(text.contains("tracing.rs:"), "{text}");
    assert_eq!(mismatched(&scalar(1.0), &scalar(2.0)).item::<f32>(), 3.0);
}

static LEAKED: Mutex<Option<Tensor>> = Mutex::new(None);

#[graph_fn]
fn leaks(x: &Tensor) -> Tensor {
    let y = x + 1.0f32;
    *LEAKED.lock().expect("no panic holds it") = Some(y.clone());
    y
}

#[test]
fn a_tensor_that_outlives_its_trace_is_named() {
    let _ = leaks(&scalar(1.0));
    let leaked = LEAKED.lock().expect("no panic holds it").take().expect("it was kept");
    let text = mismatched::try_call(&leaked, &scalar(1.0)).unwrap_err().to_string();
    assert!(text.contains("leaks") && text.contains("tracing.rs:"), "{text}");
}

#[graph_fn]
fn peeks(x: &Tensor) -> Tensor {
    if x.item::<f32>() > 0.0 { x + 1.0f32 } else { x.clone() }
}

#[test]
fn a_value_is_not_known_while_tracing() {
    let text = peeks::try_call(&scalar(1.0)).unwrap_err().to_string();
    assert!(text.contains("not known while tracing"), "{text}");
}
