//! An op that infers whatever it is told, and how it is refused.

use graphfn::prelude::*;
use graphfn::{
    Attrs, Backward, Effects, Gradient, Kind, Lowered, Lowering, Op, Result, Spec, Specs, Tensors,
    apply_all,
};

/// An op that infers whatever it is told.
#[derive(Clone, Debug)]
pub struct Liar {
    pub how: How,
    pub infers: Vec<Spec>,
}

#[derive(Clone, Debug)]
pub enum How {
    Kernel(Lowering),
    /// As a function that gives its inputs.
    Expand,
}

impl Op for Liar {
    fn name(&self) -> &'static str {
        "Liar"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, _: &[Spec]) -> Result<Specs> {
        Ok(self.infers.iter().copied().collect())
    }

    fn kind(&self) -> Kind {
        match self.how {
            How::Kernel(_) => Kind::Movement,
            How::Expand => Kind::Composite,
        }
    }

    fn effects(&self, _: &[Spec]) -> Effects {
        Effects::NONE
    }

    fn grad(&self, _: &Backward<'_>) -> Gradient {
        Gradient::None
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        match &self.how {
            How::Kernel(kernel) => Lowered::Kernel(kernel.clone()),
            How::Expand => Lowered::Expand(Box::new(<[Tensor]>::to_vec)),
        }
    }
}

pub fn f32s<const N: usize>(sizes: [usize; N]) -> Spec {
    Spec::new(DType::F32, sizes)
}

pub fn zeros(spec: Spec) -> Tensor {
    let len = spec.len().expect("the sizes are known");
    let shape = spec.shape().clone();
    Tensor::from(vec![0.0f32; len]).reshape(shape).cast(spec.dtype())
}

/// Checks that an op is refused, at once and under a plan, at the line that calls it.
#[track_caller]
pub fn refused(how: How, inputs: &[Spec], infers: &[Spec], message: &str) {
    let op = Liar { how, infers: infers.to_vec() };
    let line = line!() + 2;
    let called = |inputs: &Vec<Tensor>| -> Tensors {
        apply_all(op.clone(), &inputs.iter().collect::<Vec<_>>(), "Liar")
    };
    let inputs: Vec<Tensor> = inputs.iter().map(|spec| zeros(*spec)).collect();
    let eager = attempt(|| called(&inputs).len()).expect_err("it is refused at once");
    let traced = graph_fn(|inputs: &Vec<Tensor>| called(inputs).into_vec());
    let planned = traced.try_call(&inputs).expect_err("it is refused when it is planned");
    for error in [&eager, &planned] {
        assert_eq!((error.message(), error.kind()), (message, ErrorKind::Value));
        assert_eq!(error.help(), Some("let `Op::infer` and `Op::lower` agree"));
        assert_eq!(error.place().map(|it| it.line), Some(line), "{error}");
    }
    assert_eq!(planned.node(), Some("Liar"));
}

#[track_caller]
pub fn kernel(lowering: Lowering, inputs: &[Spec], infers: &[Spec], message: &str) {
    refused(How::Kernel(lowering), inputs, infers, &format!("`Liar` {message}"));
}
