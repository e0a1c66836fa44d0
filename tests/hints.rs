//! What a program is told through `log`, unasked: each thing once, with the line and what to do.
//!
//! A binary of its own, for a process has one logger.

use graphfn::prelude::*;
use log::{Level, LevelFilter, Log, Metadata, Record};
use std::sync::Mutex;

/// Keeps what is said.
struct Kept(Mutex<Vec<(Level, String)>>);

impl Log for Kept {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let said = (record.level(), record.args().to_string());
        self.0.lock().expect("no panic holds it").push(said);
    }

    fn flush(&self) {}
}

static KEPT: Kept = Kept(Mutex::new(Vec::new()));

/// What was said about a function while a block ran.
fn said(function: &str, block: impl FnOnce()) -> Vec<(Level, String)> {
    // Another test may have set it: it is the same one.
    let _ = log::set_logger(&KEPT);
    log::set_max_level(LevelFilter::Info);
    block();
    let kept = KEPT.0.lock().expect("no panic holds it");
    let about = |(_, text): &&(Level, String)| text.starts_with(&format!("`{function}` "));
    kept.iter().filter(about).cloned().collect()
}

#[test]
fn s46_a_large_captured_array_is_named_once_a_trace() {
    let data = ndarray::Array2::<f32>::ones((600, 500));
    let used = line!() + 1;
    let scaled = graph_fn(|x: &Tensor| x * data.view());
    let said = said("closure", || {
        (0..3).for_each(|_| drop(scaled.call(&Tensor::from(2.0f32))));
        (0..3).for_each(|_| drop(scaled.call(&Tensor::from([2.0f32]))));
    });
    let text = format!(
        "`closure` captured a constant f32[600, 500] of 1200000 bytes\n  --> tests/hints.rs:{used}:40\n  \
         help: pass it as an argument: a constant stays in memory as long as its trace, and it does not follow \
         later changes of what it was made from"
    );
    assert_eq!(said, [(Level::Info, text.clone()), (Level::Info, text)]);
}

#[test]
fn s46_a_small_captured_array_is_not_worth_a_word() {
    static DATA: [f32; 1000] = [1.0; 1000];
    #[graph_fn]
    fn small(x: &Tensor) -> Tensor {
        x * Tensor::from(DATA)
    }
    assert_eq!(said("small", || drop(small(&Tensor::from(2.0f32)))), []);
}

#[test]
fn a_large_argument_is_as_it_should_be() {
    #[graph_fn]
    fn large(x: &Tensor) -> Tensor {
        x + 1.0
    }
    let x = Tensor::from(vec![1.0f32; 1 << 20]);
    assert_eq!(said("large", || drop(large(&x))), []);
}

#[test]
fn values_of_a_plain_argument_that_make_traces_are_warned_of_once() {
    #[graph_fn]
    fn scale(x: &Tensor, by: i64) -> Tensor {
        x * by
    }
    let said = said("scale", || (0..9).for_each(|by| drop(scale(&Tensor::from(1.0f32), by))));
    let [(Level::Warn, text)] = &said[..] else { panic!("{said:?}") };
    assert!(text.contains("values of the plain argument `by` alone"), "{text}");
    assert!(
        text.contains("help: mark a number that changes from call to call with `#[tensor] by`")
    );
}

#[test]
fn d2_a_host_function_that_says_nothing_of_its_gradient_is_named_once() {
    let identity = |name| host_fn(name, |x: ndarray::ArrayViewD<f32>| x.to_owned());
    let (quiet, silent) = (identity("quiet").no_gradient(), identity("silent"));
    let slope = |f: &graphfn::HostFn<[Tensor; 1], Tensor>| {
        let f = |x: &Tensor| f.call([x]);
        (0..3).for_each(|_| drop(grad(f)(&Tensor::from(2.0f32))));
    };
    assert_eq!(said("quiet", || slope(&quiet)), []);
    let text = "`silent` is a host function through which no gradient passes: give it one by `.with_gradient(..)`, \
                or say that it has none by `.no_gradient()`";
    assert_eq!(said("silent", || slope(&silent)), [(Level::Warn, text.to_string())]);
}
