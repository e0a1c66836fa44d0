//! Why a gradient is `None`: every reason, with the path and the line.

use graphfn::explain_gradient;
use graphfn::prelude::*;

/// Checks what a traced function says of a gradient.
#[track_caller]
fn says(f: impl Fn(&Tensor) -> String, wanted: &str) {
    let found = graph_fn(|x: &Tensor| f(x)).call(&Tensor::from([1.5f32, 2.5]));
    assert!(found.contains(wanted), "{found}\ninstead of {wanted}");
}

#[test]
fn an_op_without_a_gradient_is_named_with_its_line() {
    let line = line!() + 2;
    says(
        |x| explain_gradient(&x.floor().exp().sum(), x),
        &format!(
            "no gradient of `Sum` with respect to `0`: the path `Sum` <- `Exp` <- `Floor` stops at \
             `Floor` (tests/gradients/explain.rs:{line}:"
        ),
    );
    says(|x| explain_gradient(&(x.stop_gradient() * 2.0), x), "stops at `StopGradient` (");
    says(|x| explain_gradient(&x.stop_gradient(), x), "), which has no gradient");
}

#[test]
fn values_that_are_no_floats_end_a_path() {
    let types = "stops at `Cast` (";
    says(|x| explain_gradient(&x.cast(DType::I32).cast(DType::F32).sum(), x), types);
    says(
        |x| explain_gradient(&x.cast(DType::I32).cast(DType::F32).sum(), x),
        "which gives int32: only floats have gradients",
    );
    says(
        |x| {
            let n = x.cast(DType::I32);
            explain_gradient(&(&n * 2).cast(DType::F32), &n)
        },
        "it holds int32, and only floats have gradients",
    );
}

#[test]
fn what_is_not_used_is_said_to_be_so() {
    says(|x| explain_gradient(x, &(x * 2.0)), "`0` is given, and not computed");
    says(
        |x| {
            let (y, z) = (x * 2.0, x * 3.0);
            explain_gradient(&z, &y)
        },
        "`mul_1` does not depend on it",
    );
    let w = Variable::new("w", 1.0f32);
    says(
        |x| explain_gradient(&(x * 2.0), &w),
        "no gradient with respect to `w`: the function has not used it",
    );
}

#[test]
fn a_host_function_without_a_gradient_is_said_to_be_one() {
    let copied = host_fn("copied", |x: ndarray::ArrayViewD<f32>| x.to_owned());
    says(
        move |x| explain_gradient(&copied.call([x]), x),
        "), a host function without a gradient: give it one by `.with_gradient(..)`",
    );
}

#[test]
fn a_gradient_that_is_there_is_said_to_be() {
    let w = Variable::new("w", 1.0f32);
    says(|x| explain_gradient(&(x * &w), &w), "`mul` has a gradient with respect to `w`");
}

#[test]
fn outside_of_a_trace_the_tape_is_asked() {
    let x = Tensor::from(1.5f32);
    let error = attempt(|| explain_gradient(&x, &x)).unwrap_err();
    assert_eq!(error.message(), "`explain_gradient` is asked where nothing is traced");
    assert_eq!(error.help(), Some("eagerly, ask the tape: `tape.explain(&target, &source)`"));
}
