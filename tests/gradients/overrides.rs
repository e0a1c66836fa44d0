//! Gradients of the user's: registered and put in place of an op's own, or given with a function.

use graphfn::{
    Backward, attempt, custom_gradient, gradient_override, prelude::*, register_gradient, times,
};
use ndarray::ArrayViewD;

type Rule = fn(&Backward<'_>) -> Vec<Option<Tensor>>;

/// The gradient that comes, a hundred times.
const HUNDREDFOLD: Rule = |call| vec![call.grads[0].as_ref().map(|g| g * 100.0)];

fn number(x: f32) -> Tensor {
    Tensor::from(x)
}

/// Registers a hundredfold gradient; names are of the whole process, so each test has its own.
fn register(name: &str) {
    register_gradient(name, HUNDREDFOLD).expect("the name is this test's");
}

/// Checks what a function gives, eagerly and traced.
#[track_caller]
fn gives(f: impl Fn(&Tensor) -> Tensor, x: f32, wanted: f32) {
    assert_eq!(f(&number(x)).item::<f32>(), wanted, "eagerly");
    let traced = graph_fn(|x: &Tensor| f(x));
    for _ in 0..2 {
        assert_eq!(traced.call(&number(x)).item::<f32>(), wanted, "traced");
    }
}

#[track_caller]
fn refused(pairs: &[(&str, &str)], message: &str, help: &str) {
    let line = line!() + 1;
    let refused = attempt(|| gradient_override(pairs, || panic!("the block does not run")));
    let error = refused.map(|(): ()| ()).unwrap_err();
    assert_eq!((error.message(), error.help()), (message, Some(help)));
    assert_eq!(error.place().map(|it| it.line), Some(line), "{error}");
}

/// TensorFlow 2.21 gives 10, 100, and for the third, silently, 10.
#[test]
fn g7_an_override_and_a_key_that_is_misspelt() {
    register("CustomSquare");
    gives(grad(|x: &Tensor| x.square()), 5.0, 10.0);
    let custom = |x: &Tensor| gradient_override(&[("Square", "CustomSquare")], || x.square());
    gives(grad(custom), 5.0, 100.0);
    refused(
        &[("Sqaure", "CustomSquare")],
        "there is no op `Sqaure` whose gradient could be another",
        "did you mean `Square`?",
    );
}

#[test]
fn s40_names_that_nothing_has() {
    register("KnownSlope");
    refused(
        &[("Square", "KnownSloep")],
        "no gradient `KnownSloep` is registered",
        "did you mean `KnownSlope`?",
    );
    refused(
        &[("Square", "Frobnicate")],
        "no gradient `Frobnicate` is registered",
        "register it first: `register_gradient(\"Frobnicate\", |call| ..)`",
    );
    refused(
        &[("Frobnicate", "KnownSlope")],
        "there is no op `Frobnicate` whose gradient could be another",
        "`graphfn::op_table()` lists the ops; an op of your own has its rule in its `Op::grad`",
    );
    refused(
        &[("PyFunc", "KnownSlope"), ("HostCall", "KnownSlope")],
        "op `HostCall` is given two gradients, `KnownSlope` and `KnownSlope`",
        "name each op once",
    );
}

#[test]
fn s39_a_second_registration_shows_both_places() {
    let line = line!() + 1;
    register_gradient("LossGradient", HUNDREDFOLD).unwrap();
    let error = register_gradient("LossGradient", HUNDREDFOLD).unwrap_err();
    let message = format!(
        "gradient `LossGradient` is registered at {0}:{1}:17, and was registered before at {0}:{2}:5",
        file!(),
        line + 1,
        line
    );
    assert_eq!(error.message(), message);
    assert_eq!(error.place().map(|it| it.line), Some(line + 1));
    let error = register_gradient("Sub", HUNDREDFOLD).unwrap_err();
    let message = format!(
        "gradient `Sub` is registered at {}:{}:17, and is that of an op which is built into graphfn",
        file!(),
        line + 10
    );
    assert_eq!(error.message(), message);
    let help = "register it under a name of its own, and give that to an op: `gradient_override(&[(\"Square\", \"MySub\")], || ..)`";
    assert_eq!(error.help(), Some(help));
}

/// m inputs have m gradients.
#[test]
fn s39_a_rule_of_two_inputs() {
    let rule: Rule = |call| {
        let g = call.grads[0].as_ref().expect("the only output has one");
        vec![Some(g * &call.inputs[1]), Some(g * 7.0)]
    };
    register_gradient("OddDifference", rule).unwrap();
    let slopes =
        |(x, y): &(Tensor, Tensor)| gradient_override(&[("Sub", "OddDifference")], || x - y);
    let at = (number(2.0), number(3.0));
    for (dx, dy) in [grad(slopes)(&at), graph_fn(grad(slopes)).call(&at)] {
        assert_eq!((dx.item::<f32>(), dy.item::<f32>()), (3.0, 7.0));
    }
}

#[test]
fn s40_host_functions_are_known_by_their_name_in_tensorflow() {
    register("HostSlope");
    let host = host_fn("copy", |x: ArrayViewD<f32>| x.to_owned()).no_gradient();
    for name in ["HostCall", "PyFunc", "PyFuncStateless"] {
        let copied = |x: &Tensor| gradient_override(&[(name, "HostSlope")], || host.call([x]));
        gives(grad(copied), 2.0, 100.0);
    }
}

#[test]
fn it_is_about_the_block_and_the_inner_block_decides() {
    register("Hundredfold");
    register_gradient("Nothing", |_| vec![None]).unwrap();
    let nested = |x: &Tensor| {
        let outside = x.square();
        let (outer, inner, after) = gradient_override(&[("Square", "Hundredfold")], || {
            let outer = x.square();
            let inner = gradient_override(&[("Square", "Nothing"), ("Neg", "Hundredfold")], || {
                x.square() + (-x)
            });
            (outer, inner, x.square())
        });
        outside + outer + inner + after
    };
    // 2x, 100, nothing and 100, 100.
    gives(grad(nested), 3.0, 306.0);
}

#[test]
fn rules_and_composites_are_not_touched() {
    register("OfExp");
    // The gradient of `exp` is asked for in the block, and is made of `Mul`.
    let within = |x: &Tensor| {
        gradient_override(&[("MulNoNan", "OfExp"), ("Mul", "OfExp")], || {
            grad(grad(|x: &Tensor| x.exp()))(x)
        })
    };
    gives(within, 0.0, 1.0);
    // Softmax expands to `Exp` and more.
    let composite = |x: &Tensor| {
        gradient_override(&[("Exp", "OfExp")], || {
            let both = graphfn::stack(&[x, &(x * 0.0)], 0);
            grad(|both: &Tensor| both.softmax(0).slice(0..1).sum())(&both).sum()
        })
    };
    assert!(composite(&number(1.0)).item::<f32>().abs() < 1e-6);
    assert!(graph_fn(composite).call(&number(1.0)).item::<f32>().abs() < 1e-6);
}

#[graph_fn]
fn squared(x: &Tensor) -> Tensor {
    x.square()
}

#[graph_fn]
fn slope_of_square(x: &Tensor) -> Tensor {
    grad(|x: &Tensor| x.square())(x)
}

#[test]
fn a_traced_function_in_the_block_is_a_part_of_it_and_is_not_changed_for_others() {
    register("InTraces");
    let pairs = [("Square", "InTraces")];
    let slope = |x: &Tensor| slope_of_square(x).item::<f32>();
    let five = number(5.0);
    assert_eq!(slope(&five), 10.0);
    assert_eq!(gradient_override(&pairs, || slope(&five)), 100.0);
    assert_eq!(slope(&five), 10.0);
    gives(grad(|x: &Tensor| gradient_override(&pairs, || squared(x))), 5.0, 100.0);
    assert_eq!(grad(squared)(&five).item::<f32>(), 10.0);
    // A first call within the block leaves no trace behind that others would use.
    let eight = Tensor::from([8.0f32]);
    let sum = |x: &Tensor| slope_of_sum(x).item::<f32>();
    assert_eq!(gradient_override(&pairs, || sum(&eight)), 100.0);
    assert_eq!(sum(&eight), 16.0);
}

#[graph_fn]
fn slope_of_sum(x: &Tensor) -> Tensor {
    grad(|x: &Tensor| x.square().sum())(x)
}

#[test]
fn the_graph_says_which_gradient_a_node_has() {
    register("Shown");
    let traced = graph_fn(|x: &Tensor| gradient_override(&[("Square", "Shown")], || x.square()));
    let graph = traced.concrete_function(&number(1.0)).unwrap().graph().to_string();
    assert!(graph.contains("{gradient=\"Shown\"}"), "{graph}");
}

#[test]
fn a_block_that_panics_leaves_no_override_behind() {
    register("LeftBehind");
    let pairs = [("Square", "LeftBehind")];
    let run = || gradient_override(&pairs, || panic!("the user's own"));
    std::panic::catch_unwind(run).map(|(): ()| ()).unwrap_err();
    gives(grad(|x: &Tensor| x.square()), 5.0, 10.0);
}

/// ln(1 + e^x), whose own gradient is NaN where e^x is infinite.
fn log1pexp(x: &Tensor) -> Tensor {
    custom_gradient(
        |x: &Tensor| (1.0 + x.exp()).log(),
        |call| vec![call.grads[0].as_ref().map(|g| times(g, call.inputs[0].sigmoid()))],
    )(x)
}

#[test]
fn a_function_with_a_gradient_of_its_own_of_any_order() {
    gives(grad(log1pexp), 100.0, 1.0);
    // The slope of the logistic function at 0 is a quarter.
    gives(grad(grad(log1pexp)), 0.0, 0.25);
    gives(log1pexp, 0.0, std::f32::consts::LN_2);
    // Nothing of it is left where no gradient is asked for.
    let concrete = graph_fn(log1pexp).concrete_function(&number(0.0)).unwrap();
    assert!(concrete.graph().to_string().contains("CustomGradient"));
    let optimised = concrete.graph_optimised().to_string();
    assert!(
        !optimised.contains("CustomGradient") && !optimised.contains("Identity"),
        "{optimised}"
    );
}

#[derive(Tree)]
struct Scaled {
    factor: Variable,
    by: Tensor,
}

#[test]
fn arguments_and_results_are_trees_and_captures_have_no_gradient() {
    let captured = Variable::new("captured", 2.0f32);
    let held = captured.clone();
    let f = custom_gradient(
        move |it: &Scaled| (&it.factor * &it.by * &held, it.by.clone()),
        |call| {
            let [g, h] = [0, 1].map(|at| call.grads[at].clone());
            assert_eq!(call.outputs.len(), 2);
            // Another than that of what is computed: the leaves are `factor` and `by`.
            vec![g.map(|g| g * 10.0), h.map(|h| h * 1000.0)]
        },
    );
    let factor = Variable::new("factor", 3.0f32);
    let slopes = |by: &Tensor| {
        let tape = GradientTape::new();
        tape.watch(by);
        let (product, same) = f(&Scaled { factor: factor.clone(), by: by.clone() });
        let (dfactor, dby, dcaptured) = tape.gradient(product + same, (&factor, by, &captured));
        assert!(dcaptured.is_none());
        dfactor.unwrap() + dby.unwrap()
    };
    gives(slopes, 5.0, 1010.0);
    // An argument that is given on as it is stays what it was for others.
    let identity = custom_gradient(|x: &Tensor| x.clone(), HUNDREDFOLD);
    gives(grad(|x: &Tensor| identity(x) + x), 1.0, 101.0);
}

#[test]
fn a_rule_of_too_few_gradients_is_told_where_the_function_was_made() {
    let line = line!() + 1;
    let f = custom_gradient(|(x, y): &(Tensor, Tensor)| x * y, |_| vec![]);
    let at = (number(1.0), number(2.0));
    let eager = attempt(|| grad(&f)(&at)).map(|_| ()).unwrap_err();
    let traced = graph_fn(grad(&f)).try_call(&at).map(|_| ()).unwrap_err();
    for error in [eager, traced] {
        assert_eq!(
            error.message(),
            "a custom gradient gives 0 gradients, and the function has 2 tensors as arguments"
        );
        assert_eq!(
            error.help(),
            Some("give one for each, `None` for an argument without a gradient")
        );
        assert_eq!(error.place().map(|it| it.line), Some(line), "{error}");
    }
}
