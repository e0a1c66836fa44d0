//! What optimisers refuse, and in which words; and several steps in one call.

use graphfn::optimizer::{ExponentialDecay, Role, Settings, Update, Updated};
use graphfn::prelude::*;
use once_cell::sync::Lazy;

/// Checks the message of what is refused.
#[track_caller]
fn refused<R>(block: impl FnOnce() -> R, message: &str) -> Error {
    let error = attempt(block).err().expect("it is refused");
    assert_eq!(error.message(), message);
    assert_eq!(error.place().expect("the line is known").file, file!(), "{error}");
    assert!(error.help().is_some(), "{error}");
    error
}

fn number(name: &str) -> Variable {
    Variable::new(name, [0.5f32])
}

static W: Lazy<Variable> = Lazy::new(|| number("W"));
static B: Lazy<Variable> = Lazy::new(|| number("b"));

#[graph_fn]
fn blocked(x: &Tensor) -> Tensor {
    let loss = (x * &*W + &*B).round().mean();
    GradientDescent::new(0.1).minimize(&loss)
}

#[test]
fn s36_no_gradient_at_all_says_which_variables_and_why() {
    let [w, b] = [&*W, &*B];
    // The names are the chapter's; `Round` blocks what a host function blocks there.
    let x = Tensor::from([1.0f32, 2.0]);
    let variables =
        "[<Variable 'W:0' shape=(1,) dtype=float32>, <Variable 'b:0' shape=(1,) dtype=float32>]";
    let sentence = "No gradients provided for any variable, check your graph for ops that do not support gradients, \
                    between variables";
    let error = refused(
        || blocked(&x),
        &format!("{sentence} {variables} and loss Tensor(\"Mean:0\", shape=(), dtype=float32)."),
    );
    assert_eq!(error.function(), Some("blocked"));
    let help = error.help().unwrap();
    assert!(
        help.contains("with respect to `W`: the path `Mean` <- `Round` stops at `Round` (tests/"),
        "{help}"
    );

    let error = refused(
        || GradientDescent::new(0.1).minimize(|| (&x * w + b).round().mean()),
        &format!("{sentence} {variables} and loss Tensor(1.5, shape=(), dtype=float32)."),
    );
    assert!(error.help().unwrap().contains("stops at `Round` ("), "{error}");

    let none: [Option<Tensor>; 2] = [None, None];
    refused(
        || GradientDescent::new(0.1).apply_gradients(none.into_iter().zip([w, b])),
        &format!("{sentence} {variables}."),
    );
    refused(
        || GradientDescent::new(0.1).minimize(|| x.mean()),
        "there is no trainable variable to minimise the loss over",
    );
}

#[test]
fn a_loss_is_one_float_that_is_known_how_to_compute() {
    let w = number("w");
    refused(
        || GradientDescent::new(0.1).minimize(w.square().sum()),
        "`minimize` is given a tensor where nothing is traced: how it was computed is not known",
    );
    refused(
        || GradientDescent::new(0.1).minimize(|| w.square()),
        "`minimize` needs a loss that is one float, found f32[1]",
    );
}

#[test]
fn a_gradient_that_does_not_fit_changes_nothing() {
    let [w, b] = ["w", "b"].map(number);
    let optimizer = Adam::new(0.1);
    let pairs = [(Tensor::from([1.0f32]), &w), (Tensor::from([1.0f32, 2.0]), &b)];
    refused(
        || optimizer.apply_gradients(pairs),
        "the gradient of variable `b`, which is f32[1], is f32[2]",
    );
    assert_eq!(w.read().to_vec::<f32>(), [0.5]);
    assert_eq!(optimizer.variables().len(), 1);
    let count = Variable::new("count", [1i64]);
    refused(
        || optimizer.apply_gradients([(Tensor::from([1i64]), &count)]),
        "variable `count` is i64[1], and only floats are trained",
    );
    let rate = Tensor::from([0.1f32, 0.2]);
    refused(
        || GradientDescent::new(&rate).minimize(|| w.square().sum()),
        "the learning rate is one number of the variable's type, float32, found f32[2]",
    );
}

#[derive(Tree)]
struct Pair {
    a: Variable,
    b: Variable,
}

#[test]
fn gradients_of_a_model_are_such_a_model() {
    let pair = Pair { a: number("a"), b: number("b") };
    refused(
        || GradientDescent::new(0.1).apply(&pair, &pair),
        "`a` of the gradients is a variable, and no gradient",
    );
    let (_, gradients) = value_and_grad(|pair: &Pair| (&pair.a * &pair.b).sum())(&pair);
    refused(
        || GradientDescent::new(0.1).apply_gradients([(pair.a.read(), &gradients.a)]),
        "`a` holds a gradient and is not trained",
    );
    // One variable in two places is changed once, by the gradient of all its uses: d(a^2)/da = 2 a.
    let tied = Pair { a: pair.a.clone(), b: pair.a.clone() };
    let (_, gradients) = value_and_grad(|pair: &Pair| (&pair.a * &pair.b).sum())(&tied);
    GradientDescent::new(0.25).apply(&tied, &gradients);
    assert_eq!(pair.a.read().to_vec::<f32>(), [0.25]);
}

#[graph_fn]
fn reads(slot: &Variable) -> Tensor {
    slot.read()
}

#[graph_fn]
fn asks(w: &Variable, optimizer: &Adam) -> Tensor {
    optimizer.variables()[0].read() + w
}

#[test]
fn what_is_remembered_is_reached_through_its_optimizer() {
    let (w, optimizer) = (number("w"), Adam::new(0.1));
    optimizer.build(&w);
    let slots = optimizer.variables();
    assert_eq!(
        slots.iter().map(Variable::name).collect::<Vec<_>>(),
        ["Adam/step", "Adam/w/m", "Adam/w/v"]
    );
    refused(
        || reads(&slots[1]),
        "`Adam/w/m` is what an optimiser remembers, and is no argument of `reads`",
    );
    let captured = graph_fn(|x: &Tensor| x + &slots[1]);
    refused(
        || captured.call(&Tensor::from([1.0f32])),
        "`Adam/w/m` is what an optimiser remembers, and is read or assigned in a traced function",
    );
    refused(|| asks(&w, &optimizer), "the variables of `Adam` are asked for in a trace");
    // Eagerly it is a variable like others: it can be read, and loaded.
    slots[1].assign(Tensor::from([2.0f32]));
    assert_eq!(optimizer.variables()[1].read().to_vec::<f32>(), [2.0]);
}

#[graph_fn]
fn made_inside(w: &Variable, x: &Tensor) -> Tensor {
    Momentum::new(0.1, 0.9).minimize((w * x).square().sum())
}

#[test]
fn an_optimizer_that_remembers_is_made_once() {
    let w = number("w");
    made_inside(&w, &Tensor::from([1.0f32]));
    let error = attempt(|| made_inside(&w, &Tensor::from([1.0f32, 2.0]))).unwrap_err();
    let message = "variable `Momentum/step` is made a second time at ";
    assert!(error.message().starts_with(message), "{error}");
}

#[graph_fn]
fn steps(w: &Variable, optimizer: &Momentum, count: usize) -> Tensor {
    let mut loss = Tensor::from(0.0f32);
    for _ in 0..count {
        loss = optimizer.minimize(w.square().sum());
    }
    loss
}

#[test]
fn several_steps_in_one_call_are_so_many_calls() {
    let optimizer = || Momentum::new(ExponentialDecay::new(0.1, 0.5, 2), 0.5);
    let [(one, one_optimizer), (all, all_optimizer)] = ["w"; 2].map(|it| (number(it), optimizer()));
    let losses: Vec<f32> = (0..6).map(|_| steps(&one, &one_optimizer, 1).item()).collect();
    let last = [4, 2].map(|count| steps(&all, &all_optimizer, count).item::<f32>());
    assert_eq!(last, [losses[3], losses[5]]);
    assert_eq!(one.read().to_vec::<f32>(), all.read().to_vec::<f32>());
    assert_eq!(all_optimizer.variables()[0].read().item::<i64>(), 6);
}

/// Sign descent: a rule that is not the library's.
#[derive(Clone, Debug, Tree)]
struct Signs {
    settings: Settings,
}

impl Optimizer for Signs {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    fn roles(&self) -> Vec<Role> {
        vec![Role { name: "last", first: 1.0 }]
    }

    fn update(&self, update: &Update<'_>) -> Updated {
        let value = update.value - update.rate * update.gradient.sign();
        Updated { value, remembered: vec![update.remembered[0].square(), update.gradient.clone()] }
    }
}

#[test]
fn a_rule_of_ones_own_says_what_it_remembers() {
    let w = number("w");
    let signs = Signs { settings: Settings::new("Signs", 0.25.into()) };
    refused(
        || signs.minimize(|| w.square().sum()),
        "`Signs` remembers 1 tensors of a variable, and its rule gives 2",
    );
    assert_eq!(w.read().to_vec::<f32>(), [0.5]);
}

#[test]
fn a_rate_may_be_a_variable_and_names_may_be_chosen() {
    let (w, rate) = (number("w"), Variable::new("rate", 0.5f32).untrainable());
    let optimizer = Momentum::new(&rate, 0.0).named("train");
    let train = graph_fn(|(w, optimizer): &(Variable, Momentum)| {
        optimizer.minimize(w.square().sum() * 0.5)
    });
    let both = (w.clone(), optimizer);
    train.call(&both);
    assert_eq!(w.read().to_vec::<f32>(), [0.25]);
    rate.assign(1.0f32);
    train.call(&both);
    assert_eq!((w.read().to_vec::<f32>(), train.trace_count()), (vec![0.0], 1));
    let names: Vec<_> = both.1.variables().iter().map(|it| it.name().to_string()).collect();
    assert_eq!(names, ["train/step", "train/0/velocity"]);
}
