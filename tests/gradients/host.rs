//! Gradients through host functions: by a rule of the user's, of any order; without one there is none.

use graphfn::{UnconnectedGradients, prelude::*};
use ndarray::ArrayViewD;

fn pair() -> Tensor {
    Tensor::from([1.0f32, -2.0])
}

/// The square of the difference, with its gradient.
fn square_diff() -> graphfn::HostFn<[Tensor; 2], Tensor> {
    host_fn("square_diff", |x: ArrayViewD<f32>, y: ArrayViewD<f32>| (&x - &y).mapv(|it| it * it))
        .with_gradient(|call| {
            let (x, y) = (&call.inputs[0], &call.inputs[1]);
            let slope = call.grads[0].as_ref().map(|g| g * 2.0 * (x - y));
            vec![slope.clone(), slope.map(|it| -it)]
        })
}

#[derive(Tree)]
struct Line {
    w: Variable,
    b: Variable,
}

impl Line {
    fn new() -> Line {
        Line { w: Variable::new("w", 0.5f32), b: Variable::new("b", 0.0f32) }
    }

    fn loss(&self, x: &Tensor, t: &Tensor) -> Tensor {
        square_diff().call([&(&self.w * x + &self.b), t]).mean()
    }

    fn descend(&self, x: &Tensor, t: &Tensor) {
        let tape = GradientTape::new();
        let loss = self.loss(x, t);
        let (dw, db) = tape.gradient(&loss, (&self.w, &self.b));
        self.w.assign_sub(dw.unwrap() * 0.1);
        self.b.assign_sub(db.unwrap() * 0.1);
    }

    #[graph_fn]
    fn step(&self, x: &Tensor, t: &Tensor) {
        self.descend(x, t);
    }
}

/// The numbers are those of the case, from TensorFlow and by hand.
#[test]
fn d2_three_steps_with_the_gradient_of_a_host_function() {
    let x = Tensor::from([0.0f32, 1.0, 2.0, 3.0]);
    let t = &x * 2.0 + 1.0;
    let (eager, traced) = (Line::new(), Line::new());
    for (w, b) in [(1.85f32, 0.65f32), (2.06, 0.765), (2.0885, 0.794)] {
        eager.descend(&x, &t);
        traced.step(&x, &t);
        for line in [&eager, &traced] {
            let (found_w, found_b) = (line.w.read().item::<f32>(), line.b.read().item::<f32>());
            assert!(
                (found_w - w).abs() < 1e-5 && (found_b - b).abs() < 1e-5,
                "{found_w} {found_b}"
            );
        }
    }
}

#[test]
fn s41_a_gradient_without_a_registry_of_any_order() {
    let cube =
        host_fn("cube", |x: ArrayViewD<f32>| x.mapv(|it| it * it * it)).with_gradient(|call| {
            vec![call.grads[0].as_ref().map(|g| g * 3.0 * call.inputs[0].square())]
        });
    let slopes = |it: &Vec<Tensor>| {
        let f = |x: &Tensor| cube.call([x]);
        vec![grad(f)(&it[0]), grad(grad(f))(&it[0]), grad(grad(grad(f)))(&it[0])]
    };
    let at = vec![Tensor::from(2.0f32)];
    for made in [slopes(&at), graph_fn(slopes).call(&at)] {
        let numbers: Vec<f32> = made.iter().map(Tensor::item).collect();
        assert_eq!(numbers, [12.0, 12.0, 6.0]);
    }
}

#[test]
fn d2_without_a_gradient_there_is_none() {
    let plain = || host_fn("plain", |x: ArrayViewD<f32>| x.to_owned());
    for f in [plain().no_gradient(), plain()] {
        let is_none = |x: &Tensor| {
            let tape = GradientTape::new();
            tape.watch(x);
            tape.gradient(f.call([x]).sum(), x).is_none()
        };
        assert!(is_none(&pair()));
        assert!(graph_fn(is_none).call(&pair()));
        let zeros = |x: &Tensor| {
            let tape = GradientTape::new().unconnected(UnconnectedGradients::Zero);
            tape.watch(x);
            tape.gradient(f.call([x]).sum(), x).unwrap()
        };
        assert_eq!(graph_fn(zeros).call(&pair()).to_vec::<f32>(), [0.0, 0.0]);
    }
}

#[test]
fn d2_s36_training_without_a_gradient_names_variables_and_the_host_function() {
    let (x, y) = (Tensor::from(X), Tensor::from(Y));
    let (w, b) = (Variable::new("W", [0.5f32]), Variable::new("b", [0.0f32]));
    let copied = host_fn("copied", |x: ArrayViewD<f32>| x.to_owned()).no_gradient();
    let line = line!() + 1;
    let loss = || copied.call([&(&w * &x + &b - &y)]).square().mean();
    let descent = GradientDescent::new(0.1);
    let eager = attempt(|| descent.minimize(loss)).unwrap_err();
    let traced = graph_fn(|_: &()| descent.minimize(loss())).try_call(&()).unwrap_err();
    let sentence = "No gradients provided for any variable, check your graph for ops that do not support gradients, between \
                    variables [<Variable 'W:0' shape=(1,) dtype=float32>, <Variable 'b:0' shape=(1,) dtype=float32>] and loss ";
    for error in [eager, traced] {
        assert!(error.message().starts_with(sentence), "{error}");
        let help = error.help().unwrap();
        let start = "compute the loss from the variables by ops that have gradients; there is no gradient of `Mean` \
                     with respect to `W`: the path `Mean` <- `Square` <- `copied` stops at `HostCall` (";
        assert!(help.starts_with(&format!("{start}{}:{line}:", file!())), "{help}");
    }
    assert_eq!(w.read().to_vec::<f32>(), [0.5]);
}

#[test]
fn a_rule_that_gives_too_few_is_named_with_its_node() {
    let short = host_fn("short", |x: ArrayViewD<f32>| x.to_owned()).with_gradient(|_| vec![]);
    let slope = graph_fn(|x: &Tensor| grad(|x: &Tensor| short.call([x]).sum())(x));
    let error = slope.try_call(&pair()).unwrap_err();
    assert_eq!(
        error.message(),
        "the gradient rule of `HostCall` gives 0 gradients, and the op has 1 inputs"
    );
    assert_eq!(error.node(), Some("short"));
}

/// The points of the tutorial's training (examples/data/seed002_xy_4.csv), whose moments give the numbers that it prints.
const X: [f32; 4] = [0.368_493_4, -0.156_101_47, -0.813_451_77, 0.598_929_6];
const Y: [f32; 4] = [0.382_553_28, 0.259_326_55, 0.222_084_61, 0.330_530_82];

/// Steps 1, 9 and 1000 as the tutorial prints them: W and b after the step, the loss before.
const PRINTED: [(usize, [f32; 3]); 3] = [
    (1, [0.331_117_42, 0.059_761_59, 0.107_943_21]),
    (9, [0.242_092_62, 0.258_671_73, 0.010_107_231]),
    (1000, [0.100_317_97, 0.298_677_24, 0.000_895_954_5]),
];

#[test]
fn s44_a_training_with_a_host_function_prints_the_tutorials_numbers() {
    let (x, y) = (Tensor::from(X), Tensor::from(Y));
    let built_in = |y: &Tensor, t: &Tensor| (y - t).square().mean();
    let host = |y: &Tensor, t: &Tensor| square_diff().call([y, t]).mean();
    trains(&x, &y, built_in);
    trains(&x, &y, host);
}

#[track_caller]
fn trains(x: &Tensor, y: &Tensor, loss: impl Fn(&Tensor, &Tensor) -> Tensor) {
    let (w, b) = (Variable::new("W", [0.345_629_7f32]), Variable::new("b", [0.0f32]));
    let step = graph_fn(|(x, y): &(Tensor, Tensor)| {
        let tape = GradientTape::new();
        let loss = loss(&(&w * x + &b), y);
        let (dw, db) = tape.gradient(&loss, (&w, &b));
        w.assign_sub(dw.unwrap() * 0.1);
        b.assign_sub(db.unwrap() * 0.1);
        loss
    });
    let data = (x.clone(), y.clone());
    for at in 1..=1000 {
        let loss = step.call(&data).item::<f32>();
        let Some((_, wanted)) = PRINTED.iter().find(|(step, _)| *step == at) else { continue };
        let found = [w.read().to_vec::<f32>()[0], b.read().to_vec()[0], loss];
        // The points were fitted to the first nine steps to 1.8e-8; the last is the fixed point of the fit.
        let close = if at == 1000 { 1e-7 } else { 1.8e-8 };
        let is_near = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() <= close);
        assert!(is_near, "step {at}: {found:?}, printed {wanted:?}");
    }
}
