//! An op of one's own, with a kernel, an attribute and a gradient: the moving average of a noisy signal.
//!
//! Prints the signal smoothed eagerly and by a traced function, the traced graph, and the slope of the smoothed signal's
//! energy, whose last line is that of the last element.

use graphfn::prelude::*;
use graphfn::{
    Attrs, Backward, Effects, Gradient, Kernel, Kind, Lowered, Op, Result, Spec, Specs, Value,
    apply,
};
use ndarray::Array1;

/// Each element is a part of the one before, and the rest of its input: `y[t] = keep * y[t - 1] + (1 - keep) * x[t]`.
#[derive(Clone, Copy, Debug)]
struct MovingAverage {
    keep: f32,
}

/// The moving average of a signal.
#[track_caller]
fn moving_average(x: &Tensor, keep: f32) -> Tensor {
    apply(MovingAverage { keep }, &[x], "moving_average")
}

impl Op for MovingAverage {
    fn name(&self) -> &'static str {
        "MovingAverage"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("keep", f64::from(self.keep))
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let signal = inputs[0];
        if signal.dtype() == DType::F32 && signal.rank() == 1 {
            return Ok(Specs::from_iter([signal]));
        }
        let message = format!("`moving_average` takes one axis of float32, found {signal}");
        Err(Error::new(ErrorKind::Shape, message)
            .with_help("smooth one signal at a time, as float32"))
    }

    fn kind(&self) -> Kind {
        Kind::Reduction
    }

    fn effects(&self, _: &[Spec]) -> Effects {
        Effects::NONE
    }

    /// An input counts in all later outputs: the same average, walked from the end.
    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let back = |g: &Tensor| moving_average(&g.flip(0), self.keep).flip(0);
        Gradient::Inputs(vec![call.grads[0].as_ref().map(back)])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::custom(*self)
    }
}

impl Kernel for MovingAverage {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let average = |state: &mut f32, x: &f32| {
            *state = self.keep * *state + (1.0 - self.keep) * x;
            Some(*state)
        };
        let smooth: Array1<f32> = inputs[0].view_array()?.iter().scan(0.0, average).collect();
        Ok(vec![smooth.into()])
    }
}

#[graph_fn]
fn smoothed(x: &Tensor) -> Tensor {
    moving_average(x, 0.5)
}

#[graph_fn]
fn slope(x: &Tensor) -> Tensor {
    grad(|x: &Tensor| moving_average(x, 0.5).square().sum())(x)
}

fn main() -> Result<()> {
    let signal = Tensor::from([4.0f32, -4.0, 8.0, 0.0]);
    println!("eagerly: {}", graphfn::eager(|| smoothed(&signal)));
    println!("traced:  {}", smoothed(&signal));
    println!("{}", smoothed::concrete_function(&signal)?.graph());
    println!("the slope of its energy: {}", slope(&signal));
    Ok(())
}
