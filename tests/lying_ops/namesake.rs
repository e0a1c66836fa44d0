//! Ops of the user's that are called like ours: passes take none for the other.

use graphfn::prelude::*;
use graphfn::{
    Attrs, Backward, Effects, Gradient, Kernel, Kind, Lowered, Op, Result, Spec, Specs, Value,
    apply,
};

/// Gives the first input plus ten, whatever it is called.
#[derive(Clone, Copy, Debug)]
struct PlusTen(&'static str);

impl Op for PlusTen {
    fn name(&self) -> &'static str {
        self.0
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        Ok(Specs::from_iter([inputs[0]]))
    }

    fn kind(&self) -> Kind {
        Kind::Elementwise
    }

    fn effects(&self, _: &[Spec]) -> Effects {
        Effects::NONE
    }

    fn grad(&self, _: &Backward<'_>) -> Gradient {
        Gradient::None
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::custom(*self)
    }
}

impl Kernel for PlusTen {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        Ok(vec![inputs[0].view_array::<f32>()?.mapv(|it| it + 10.0).into()])
    }
}

#[test]
fn an_op_called_like_a_row_is_simplified_and_shared_as_none() {
    for (name, neutral) in [("Mul", 1.0f32), ("RealDiv", 1.0), ("AddV2", -0.0), ("Sub", 0.0)] {
        let traced = graph_fn(move |x: &Tensor| {
            let neutral = Tensor::from(neutral);
            let ours = match name {
                "Mul" => x * &neutral,
                "RealDiv" => x / &neutral,
                "AddV2" => x + &neutral,
                _ => x - &neutral,
            };
            (apply(PlusTen(name), &[x, &neutral], "plus_ten"), ours)
        });
        let (found, ours) = traced.call(&Tensor::from([1.0f32, 2.0]));
        assert_eq!(found.to_vec::<f32>(), [11.0, 12.0], "{name}");
        assert_eq!(ours.to_vec::<f32>(), [1.0, 2.0], "{name}");
    }
    for name in ["Neg", "Identity", "StopGradient"] {
        let traced = graph_fn(move |x: &Tensor| {
            let twice = apply(PlusTen(name), &[&apply(PlusTen(name), &[x], "a")], "b");
            (twice, -(-x))
        });
        let (twice, same) = traced.call(&Tensor::from([1.0f32]));
        assert_eq!((twice.item::<f32>(), same.item::<f32>()), (21.0, 1.0), "{name}");
    }
}
