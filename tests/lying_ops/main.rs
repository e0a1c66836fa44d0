//! Ops whose lowering does not make what they infer: refused before a kernel runs, at once and under a plan.

mod kernels;
mod liar;
mod namesake;

use graphfn::prelude::*;
use graphfn::{Kernel, Lowering, Result, Value, apply_all};
use liar::{How, Liar, f32s, refused};
use std::sync::Arc;

#[test]
fn expansions_that_give_something_else() {
    let x = f32s([3]);
    let infers = [f32s([4])];
    refused(
        How::Expand,
        &[x],
        &infers,
        "`Liar` infers [f32[4]], and expands to what gives [f32[3]]",
    );
    refused(
        How::Expand,
        &[x, x],
        &[x],
        "`Liar` infers [f32[3]], and expands to what gives [f32[3], f32[3]]",
    );
}

/// A kernel of the user's that gives three zeros.
#[derive(Debug)]
struct Zeros;

impl Kernel for Zeros {
    fn run(&self, _: &[Value]) -> Result<Vec<Value>> {
        Ok(vec![Value::from([0.0f32; 3])])
    }
}

#[test]
fn custom_kernels_that_give_something_else() {
    let op = Liar { how: How::Kernel(Lowering::Custom(Arc::new(Zeros))), infers: vec![f32s([4])] };
    let called = |_: &()| apply_all(op.clone(), &[], "Liar").into_vec();
    let eager = attempt(|| called(&())).unwrap_err();
    let planned = graph_fn(called).try_call(&()).unwrap_err();
    for error in [eager, planned] {
        assert_eq!(error.message(), "a kernel gives [f32[3]], and its op infers [f32[4]]");
        assert_eq!(error.help(), Some("let `Kernel::run` give what `Op::infer` promises"));
        assert_eq!(error.node(), Some("Liar"));
    }
}

#[test]
fn honest_ops_run() {
    let double = kernels::program(&[DType::F32], |x| vec![x[0] + x[0]]);
    let op = Liar { how: How::Kernel(double), infers: vec![f32s([2])] };
    let called = |x: &Tensor| apply_all(op.clone(), &[x], "Liar").into_vec();
    let x = Tensor::from([1.0f32, 2.5]);
    assert_eq!(called(&x)[0].to_vec::<f32>(), [2.0, 5.0]);
    assert_eq!(graph_fn(called).call(&x)[0].to_vec::<f32>(), [2.0, 5.0]);
}
