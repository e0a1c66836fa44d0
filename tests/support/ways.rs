//! A function at once, in its tracing call, in replays, with its inputs as constants, for each order of memory.
//! Knows tensors and nothing of what the function does.

use graphfn::{Element, Tolerance, assert_close, prelude::*};
use ndarray::{Array1, ArrayD, s};

/// Checks what a function gives, in every way of running it.
#[track_caller]
pub fn holds<const N: usize>(
    f: impl Fn(&[Tensor; N]) -> Tensor,
    inputs: [Tensor; N],
    wanted: impl Into<Tensor>,
    tolerance: Tolerance,
) {
    let wanted = wanted.into();
    let turned = inputs.each_ref().map(turned);
    let is = |found: Tensor| assert_close(found, &wanted, tolerance);
    is(f(&inputs));
    is(f(&turned));
    // Whichever order of memory the trace was made with, it serves the other one too.
    for (first, then) in [(&inputs, &turned), (&turned, &inputs)] {
        let traced = graph_fn(|inputs: &[Tensor; N]| f(inputs));
        for inputs in [first, then, first] {
            is(traced.call(inputs));
        }
        assert_eq!(traced.trace_count(), 1);
    }
    let constant = graph_fn(|_: &()| f(&inputs));
    is(constant.call(&()));
    is(constant.call(&()));
}

/// Checks that a function is refused with the same words at once, in a tracing call, and again; gives the error.
#[track_caller]
pub fn refused<const N: usize>(f: impl Fn(&[Tensor; N]) -> Tensor, inputs: [Tensor; N]) -> Error {
    let told = |error: &Error| {
        let place = error.place().map(|place| (place.file, place.line));
        (error.kind(), error.message().to_owned(), error.help().map(str::to_owned), place)
    };
    let error = attempt(|| f(&inputs)).expect_err("it is refused at once");
    let traced = graph_fn(|inputs: &[Tensor; N]| f(inputs));
    for _ in 0..2 {
        let again = traced.try_call(&inputs).expect_err("it is refused when traced");
        assert_eq!(told(&again), told(&error));
    }
    error
}

/// Checks what is said of inputs that are refused, at once and when traced.
#[track_caller]
pub fn told<const N: usize>(
    f: impl Fn(&[Tensor; N]) -> Tensor,
    inputs: [Tensor; N],
    kind: ErrorKind,
    message: &str,
) {
    let error = refused(f, inputs);
    assert_eq!((error.message(), error.kind()), (message, kind));
    assert!(error.help().is_some(), "{error}");
}

/// The same numbers in another order of memory: columns first, or with gaps.
fn turned(tensor: &Tensor) -> Tensor {
    match tensor.dtype() {
        DType::F32 => turn(tensor.to_array::<f32>()),
        DType::F64 => turn(tensor.to_array::<f64>()),
        DType::I32 => turn(tensor.to_array::<i32>()),
        DType::I64 => turn(tensor.to_array::<i64>()),
        DType::U8 => turn(tensor.to_array::<u8>()),
        DType::Bool => turn(tensor.to_array::<bool>()),
    }
}

fn turn<T: Element>(array: ArrayD<T>) -> Tensor {
    if array.ndim() == 1 {
        let twice = Array1::from_shape_fn(2 * array.len(), |at| array[[at / 2]]);
        return Tensor::from(twice.slice_move(s![..;2]));
    }
    let columns_first = array.reversed_axes().as_standard_layout().into_owned();
    Tensor::from(columns_first.reversed_axes())
}
