//! Optimisers take the steps of Keras, in both float types. The figures are Keras 3.15.1's in float64; the script that
//! made them is `tests/reference/optimizers.py`.

use graphfn::optimizer::{Clip, CosineDecay, ExponentialDecay, Kind};
use graphfn::prelude::*;

const FIGURES: &str = include_str!("../reference/optimizers.csv");

/// The numbers of a configuration: steps done, three weights and a bias.
fn figures(name: &str) -> Vec<(usize, [f64; 4])> {
    let lines = FIGURES.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(','));
    let parsed = lines.map(|line| {
        let (step, numbers) = line.split_once(',').unwrap();
        let numbers: Vec<f64> = numbers.split(',').map(|it| it.parse().unwrap()).collect();
        (step.parse().unwrap(), numbers.try_into().unwrap())
    });
    parsed.collect()
}

#[derive(Tree)]
struct Plane {
    w: Variable,
    b: Variable,
}

impl Plane {
    fn new(dtype: DType) -> Plane {
        let number = |it: f64| Tensor::from(it).cast(dtype);
        let w = Tensor::from([0.5f64, -0.25, 1.0]).cast(dtype);
        Plane { w: Variable::new("w", w), b: Variable::new("b", number(0.0)) }
    }

    fn numbers(&self) -> [f64; 4] {
        let mut numbers = self.w.read().cast(DType::F64).to_vec::<f64>();
        numbers.push(self.b.read().cast(DType::F64).item());
        numbers.try_into().unwrap()
    }
}

/// Whether steps of an optimiser give the numbers of Keras: in one trace, and eagerly to the same bits.
#[track_caller]
fn follows<O: Optimizer + Send + Sync + 'static>(name: &str, make: impl Fn() -> O) {
    follows_within(1e-12, name, make);
}

/// As [`follows`], to a relative tolerance in f64.
#[track_caller]
fn follows_within<O: Optimizer + Send + Sync + 'static>(
    exactly: f64,
    name: &str,
    make: impl Fn() -> O,
) {
    let figures = figures(name);
    assert_eq!(figures.iter().map(|it| it.0).collect::<Vec<_>>(), [1, 2, 3, 5, 10, 20], "{name}");
    // In f32, `1 - beta2^t` of Adam has lost three of its seven digits, as Keras's has.
    for (dtype, tolerance) in [(DType::F64, exactly), (DType::F32, 1e-4)] {
        let x = [[1.0f64, 2.0, -1.0], [0.5, -1.5, 2.0], [-2.0, 0.25, 1.0], [3.0, 1.0, 0.5]];
        let (x, y) =
            (Tensor::from(x).cast(dtype), Tensor::from([1.0f64, -2.0, 0.5, 4.0]).cast(dtype));
        let (plane, optimizer) = (Plane::new(dtype), make());
        let (eager, eager_optimizer) = (Plane::new(dtype), make());
        let loss = |plane: &Plane| (x.matmul(&plane.w) + &plane.b - &y).square().mean();
        let train = graph_fn(|(plane, optimizer): &(Plane, O)| optimizer.minimize(loss(plane)));
        let both = (plane, optimizer);
        for step in 1..=20 {
            train.call(&both);
            eager_optimizer.minimize(|| loss(&eager));
            let found = both.0.numbers();
            assert_eq!(found, eager.numbers(), "{name}, eagerly, step {step}");
            let Some((_, wanted)) = figures.iter().find(|it| it.0 == step) else { continue };
            for (found, wanted) in found.iter().zip(wanted) {
                let off = (found - wanted).abs() / wanted.abs().max(0.1);
                assert!(off <= tolerance, "{name}, {dtype}, step {step}: {found} is not {wanted}");
            }
        }
        assert_eq!(train.trace_count(), 1, "{name}");
    }
}

#[test]
fn gradient_descent_and_momentum() {
    follows("gradient_descent", || GradientDescent::new(0.05));
    follows("momentum", || Momentum::new(0.01, 0.9));
    follows("nesterov", || Momentum::new(0.01, 0.9).kind(Kind::Nesterov));
}

#[test]
fn adam_and_adam_w() {
    follows("adam", || Adam::new(0.1));
    follows("adam_epsilon", || Adam::new(0.1).betas(0.8, 0.95).epsilon(0.1));
    let adam = || Adam::new(0.1).betas(0.8, 0.95);
    follows("adam_corrected_epsilon", || adam().corrected_epsilon(0.1));
    follows("adam_w", || AdamW::new(0.1));
    follows("adam_w_decay", || AdamW::new(0.1).weight_decay(0.5).epsilon(0.01));
}

#[test]
fn rms_prop_and_adagrad() {
    follows("rms_prop", || RmsProp::new(0.1));
    follows("rms_prop_epsilon", || RmsProp::new(0.1).rho(0.7).epsilon(0.1));
    follows("adagrad", || Adagrad::new(0.3));
    follows("adagrad_epsilon", || Adagrad::new(0.3).first_accumulator(0.5).epsilon(0.2));
}

#[test]
fn schedules() {
    let exponential = || ExponentialDecay::new(0.05, 0.5, 4);
    follows("exponential", || GradientDescent::new(exponential()));
    follows("staircase", || GradientDescent::new(exponential().staircase()));
    // Keras works these two out in float32, whatever the variables are.
    follows_within(1e-6, "cosine", || GradientDescent::new(CosineDecay::new(0.05, 12).end(0.1)));
    follows_within(1e-6, "warm_up", || {
        Adam::new(CosineDecay::new(0.2, 10).end(0.05).warm_up(0.01, 5))
    });
    follows("momentum_exponential", || Momentum::new(ExponentialDecay::new(0.02, 0.5, 3), 0.9));
}

#[test]
fn clipping_and_weight_decay() {
    follows("clip_value", || GradientDescent::new(0.05).clip(Clip::Value(1.0)));
    follows("clip_norm", || GradientDescent::new(0.05).clip(Clip::Norm(1.5)));
    follows("clip_global_norm", || GradientDescent::new(0.05).clip(Clip::GlobalNorm(1.5)));
    follows("decay", || Momentum::new(0.05, 0.5).weight_decay(0.2));
}
