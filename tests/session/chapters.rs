//! What the chapters show of graphs, placeholders, variables and scopes, by the id of each promise.

use graphfn::prelude::*;
use graphfn::{GetVariable, feed, no_op};
use ndarray::Array2;

fn item<T: graphfn::Element>(found: Result<Tensor, Error>) -> T {
    found.unwrap().item()
}

#[test]
fn s01_a_sum_of_constants_is_run() {
    let graph = Graph::new();
    let (a, b) = (graph.constant(1), graph.constant(1));
    let c = &a + &b;
    assert_eq!(item::<i32>(Session::new(&graph).run(&c)), 2);
    let node = graph.to_ir().nodes[0].clone();
    assert_eq!((&*node.name, node.kind.name()), ("add", "AddV2"));
}

#[test]
fn s02_a_tensor_of_a_graph_is_symbolic() {
    let graph = Graph::new();
    let _graph = graph.as_default();
    let c = constant(1) + constant(1);
    assert_eq!(c.to_string(), "Tensor(\"add:0\", shape=(), dtype=int32)");
    let error = attempt(|| c.item::<i32>()).unwrap_err();
    assert!(error.message().starts_with("`add:0` has a value only when a session runs its graph"));
    assert_eq!(error.help(), Some("run it: `session.run(&tensor)`"));
}

#[test]
fn s03_an_operator_and_a_call_are_the_same_op_by_two_names() {
    let graph = Graph::new();
    let (a, b) = (graph.constant(1.0f32), graph.constant(2.0f32));
    let (operator, call) = (&a + &b, a.add(&b));
    assert_eq!(format!("{operator} {call}").matches("add:0").count(), 1);
    assert!(call.to_string().contains("\"Add:0\""), "{call}");
    let kinds: Vec<_> = graph.to_ir().nodes.iter().map(|it| it.kind.name()).collect();
    assert_eq!(kinds, ["AddV2", "AddV2"]);
}

#[test]
fn s05_placeholders_without_a_shape_are_fed() {
    let graph = Graph::new();
    let a = graph.placeholder::<i32>(Shape::unknown());
    let b = graph.placeholder::<i32>(Shape::unknown());
    assert_eq!(a.to_string(), "Tensor(\"Placeholder:0\", dtype=int32)");
    assert_eq!(format!("{b:?}"), "<Tensor 'Placeholder_1:0' dtype=int32>");
    let c = &a + &b;
    let session = Session::new(&graph);
    let found = session.run_with(&c, feed! { a => 2, b => 3 }).unwrap();
    assert_eq!(format!("a + b = {found}"), "a + b = 5");
    let found = session.run_with(&c, feed! { a => [1, 2], b => 3 }).unwrap();
    assert_eq!(found.to_vec::<i32>(), [4, 5]);
}

#[test]
fn s06_a_placeholder_that_is_not_fed_is_named_with_its_line() {
    let graph = Graph::new();
    let line = line!() + 1;
    let a = graph.placeholder::<i32>(Shape::unknown());
    let b = graph.placeholder::<f32>([10, 32]);
    let session = Session::new(&graph);
    let at = line!() + 1;
    let error = session.run(&a + 1).unwrap_err();
    let place = format!("it was made at {}:{line}:", file!());
    let says = "You must feed a value for placeholder tensor 'Placeholder' with dtype int32; ";
    assert!(error.message().starts_with(says) && error.message().contains(&place), "{error}");
    assert_eq!((error.kind(), error.place().unwrap().line), (ErrorKind::Feed, at));
    let error = session.run(&b).unwrap_err();
    assert!(error.message().contains("with dtype float32 and shape (10, 32)"), "{error}");
    assert!(error.help().unwrap().contains("feed! { placeholder => value }"));
}

#[test]
fn s08_floats_are_fed_as_floats_and_not_as_integers() {
    let graph = Graph::new();
    let (x, n) = (graph.placeholder::<f32>([2]), graph.placeholder::<i32>([]));
    let session = Session::new(&graph);
    let fed = session.run_with(&x, feed! { x => ndarray::arr1(&[1.5f64, 2.5]) }).unwrap();
    assert_eq!((fed.dtype(), fed.to_vec::<f32>()), (DType::F32, vec![1.5, 2.5]));
    let fed = session.run_with(&x, feed! { x => [1, 2] }).unwrap();
    assert_eq!(fed.to_vec::<f32>(), [1.0, 2.0]);
    let error = session.run_with(&n, feed! { n => 2.5 }).unwrap_err();
    assert_eq!(error.message(), "`Placeholder_1:0` is int32, and is fed float64");
    let large = session.run_with(&x, feed! { x => [16_777_217, 0] }).unwrap_err();
    assert!(large.message().ends_with("which does not hold each of its elements"), "{large}");
}

#[test]
fn s09_an_assignment_is_run_again_and_again() {
    let graph = Graph::new();
    let a = graph.get_variable("a", [], init::GlorotUniform);
    let init = a.assign(0.0);
    let more = a.assign(&a + 1.0);
    let session = Session::new(&graph);
    assert_eq!(item::<f32>(session.run(&init)), 0.0);
    let counted: Vec<f32> = (0..5).map(|_| item(session.run(&more))).collect();
    assert_eq!(counted, [1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn s10_a_variable_is_initialised_before_it_is_read() {
    let graph = Graph::new();
    let a = graph.get_variable("a", [], init::Zeros);
    let line = line!() + 1;
    let b = &a + 1.0;
    let session = Session::new(&graph);
    let error = session.run(&b).unwrap_err();
    assert_eq!(error.message(), "variable `a` is read before it has a value in this session");
    assert!(error.help().unwrap().contains("global_variables_initializer"));
    assert_eq!(error.place().unwrap().line, line);
    let outside = attempt(|| a.load()).unwrap().unwrap_err();
    assert_eq!(outside.help(), Some("ask the session for it: `session.value(&variable)`"));
}

#[test]
fn s11_s12_initialisers_are_run_by_one_operation() {
    let graph = Graph::new();
    let (a, x) = (
        graph.get_variable("a", [], init::Zeros),
        graph.get_variable("x", [2], init::Constant(3.0)),
    );
    let init = graph.global_variables_initializer();
    assert_eq!(init.name(), "init");
    let session = Session::new(&graph);
    init.run(&session).unwrap();
    let (a, x) = session.run((&a, &x)).unwrap();
    assert_eq!((a.item::<f32>(), x.to_vec::<f32>()), (0.0, vec![3.0, 3.0]));
    assert_eq!(graph.to_ir().find("x/Initializer").unwrap().kind.name(), "Initializer");
}

#[test]
fn s13_s14_variables_start_from_tensors_and_glorot() {
    let graph = Graph::new();
    let _graph = graph.as_default();
    let w = Variable::new("W", random::uniform::<f32>([1], -1.0, 1.0));
    let b = Variable::new("b", constant([0.0f32]));
    let weight = GetVariable::new("weight", [3, 4]).build();
    let session = Session::new(&graph);
    graph.global_variables_initializer().run(&session).unwrap();
    let (w, b, weight) = session.run((&w, &b, &weight)).unwrap();
    let limit = (6.0f32 / 7.0).sqrt();
    assert!(w.to_vec::<f32>()[0].abs() <= 1.0 && b.to_vec::<f32>() == [0.0]);
    assert!(weight.to_vec::<f32>().iter().all(|it| it.abs() <= limit && *it != 0.0));
}

fn dense(x: &Tensor, units: usize) -> Tensor {
    let inputs = x.shape()[1].known().unwrap();
    let weight = GetVariable::new("weight", [inputs, units]).build();
    let bias = GetVariable::new("bias", [units]).initializer(init::Zeros).build();
    (x.matmul(&weight) + &bias).relu()
}

fn three_layers(graph: &Graph) -> (Tensor, Tensor) {
    let _graph = graph.as_default();
    let inputs = graph.placeholder::<f32>([10, 32]);
    let x = graphfn::variable_scope("dense1").enter(|| dense(&inputs, 10));
    let x = graphfn::variable_scope("dense2").enter(|| dense(&x, 10));
    let x = graphfn::variable_scope("dense2").reuse(true).enter(|| dense(&x, 10));
    (inputs, x)
}

/// Golden G-1.
#[test]
fn s16_s17_s18_scopes_name_four_variables() {
    let graph = Graph::new();
    three_layers(&graph);
    assert_eq!(
        format!("{:?}", graph.global_variables()),
        "[<Variable 'dense1/weight:0' shape=(32, 10) dtype=float32>, \
         <Variable 'dense1/bias:0' shape=(10,) dtype=float32>, \
         <Variable 'dense2/weight:0' shape=(10, 10) dtype=float32>, \
         <Variable 'dense2/bias:0' shape=(10,) dtype=float32>]"
    );
    assert_eq!(graph.trainable_variables().len(), 4);
}

#[test]
fn s19_names_that_exist_are_missing_or_clash_are_told_with_their_line() {
    let graph = Graph::new();
    let line = line!() + 1;
    let _v = graph.get_variable("v", [1], init::Zeros);
    let _graph = graph.as_default();
    let scope = |reuse: bool| graphfn::variable_scope("zz").reuse(reuse);
    let again = attempt(|| get_variable("v", [1], init::Zeros)).unwrap_err();
    let first = format!("first created at {}:{line}:", file!());
    let exists = "Variable v already exists, disallowed. Did you mean to set reuse=True or \
                  reuse=tf.AUTO_REUSE in VarScope?";
    assert!(again.message().starts_with(exists) && again.message().contains(&first), "{again}");
    let missing = attempt(|| scope(true).enter(|| get_variable("q", [1], init::Zeros)));
    let missing = missing.unwrap_err();
    assert_eq!(
        missing.message(),
        "Variable zz/q does not exist, or was not created with tf.get_variable(). Did you mean to \
         set reuse=tf.AUTO_REUSE in VarScope?"
    );
    scope(false).enter(|| get_variable("bias", [10], init::Zeros));
    let clash = attempt(|| scope(true).enter(|| get_variable("bias", [11], init::Zeros)));
    let clash = clash.unwrap_err();
    let says = "Trying to share variable zz/bias, but specified shape (11,) and found shape (10,).";
    assert!(clash.message().starts_with(says), "{clash}");
}

/// The ops of golden G-4.
#[test]
fn s20_ops_of_a_reused_scope_are_numbered() {
    let graph = Graph::new();
    three_layers(&graph);
    let names: Vec<String> = graph.to_ir().nodes.iter().map(|it| it.name.to_string()).collect();
    let ops: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|it| !["Initializer", "Assign", "Read"].iter().any(|part| it.contains(part)))
        .collect();
    assert_eq!(
        ops,
        [
            "dense1/MatMul",
            "dense1/add",
            "dense1/Relu",
            "dense2/MatMul",
            "dense2/add",
            "dense2/Relu",
            "dense2_1/MatMul",
            "dense2_1/add",
            "dense2_1/Relu"
        ]
    );
}

#[test]
fn s21_an_array_of_f64_is_fed_and_ten_rows_come_back() {
    let graph = Graph::new();
    let (inputs, x) = three_layers(&graph);
    let session = Session::new(&graph);
    graph.global_variables_initializer().run(&session).unwrap();
    let fed = Array2::from_shape_fn((10, 32), |(i, j)| ((i * 32 + j) % 7) as f64 / 7.0);
    let found = session.run_with(&x, feed! { inputs => fed }).unwrap();
    assert_eq!(found.shape().to_string(), "(10, 10)");
    assert!(found.to_string().starts_with("[["));
}

#[test]
fn s37_a_condition_on_a_tensor_of_a_graph_is_refused() {
    let graph = Graph::new();
    let x = graph.placeholder::<f32>([]);
    let error = attempt(|| x > 0.0).unwrap_err();
    assert!(error.message().starts_with("using a symbolic `Tensor` as a `bool` is not allowed"));
    assert!(error.help().unwrap().contains("select"), "{error}");
}

#[test]
fn s42_the_default_graph_is_the_threads_own_or_the_innermost() {
    let own = default_graph();
    let c = own.constant(2.0f32) + 1.0;
    assert_eq!(item::<f32>(Session::default().run(&c)), 3.0);
    let (outer, inner) = (Graph::default(), Graph::new());
    let _outer = outer.as_default();
    {
        let _inner = inner.as_default();
        let _ = constant(1.0f32) + 1.0;
        assert_eq!(default_graph().to_ir().nodes.len(), 1);
    }
    let _ = constant(1.0f32) + 1.0;
    assert_eq!((outer.to_ir().nodes.len(), inner.to_ir().nodes.len()), (1, 1));
    assert_eq!(own.to_ir().nodes.len(), 1);
}

#[test]
fn s43_nodes_have_the_names_that_they_are_given() {
    let graph = Graph::new();
    let x = graph.placeholder::<f32>([]).named("x");
    let w = graph.get_variable("w", [], init::Ones);
    let loss = (&x * &w).square().named("loss");
    let train = GradientDescent::new(0.1).minimize(&loss).named("train");
    assert_eq!(loss.to_string(), "Tensor(\"loss:0\", shape=(), dtype=float32)");
    assert_eq!(train.to_string(), "Tensor(\"train:0\", shape=(), dtype=float32)");
    assert!(graph.to_ir().find("train").is_some() && graph.to_ir().inputs[0].name == "x".into());
}

#[test]
fn s47_an_initialiser_without_variables_is_legal() {
    let graph = Graph::new();
    let (a, b) = (graph.constant(3.0f32), graph.placeholder::<f32>(Shape::unknown()));
    let c = a.add(&b);
    let session = Session::new(&graph);
    session.run(&graph.global_variables_initializer()).unwrap();
    assert_eq!(item::<f32>(session.run_with(&c, feed! { b => 2.0 })), 5.0);
    let nothing = {
        let _graph = graph.as_default();
        no_op()
    };
    session.run(&nothing).unwrap();
}
