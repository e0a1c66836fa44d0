//! What the chapters show of variables by name and of layers, by the id of each promise; prints to the character.

use graphfn::prelude::*;

/// The chapter's layer: a weight and a bias by name, in the scope that is open.
fn dense(x: &Tensor, units: usize) -> Tensor {
    let width = x.shape().dims()[1].known().expect("the width is known");
    let weight = get_variable("weight", [width, units], init::GlorotUniform);
    let bias = get_variable("bias", [units], init::Zeros);
    (x.matmul(&weight) + &bias).relu()
}

/// The chapter's network: three layers, the third one shares the variables of the second.
fn network(x: &Tensor) -> Tensor {
    let x = variable_scope("dense1").enter(|| dense(x, 10));
    let x = variable_scope("dense2").enter(|| dense(&x, 10));
    variable_scope("dense2").reuse(true).enter(|| dense(&x, 10))
}

/// Ten rows of 32 numbers.
fn inputs() -> Tensor {
    Tensor::ones::<f32>([10, 32])
}

/// G-1: what the chapter prints of the network's variables.
const G1: &str = "[<Variable 'dense1/weight:0' shape=(32, 10) dtype=float32>, \
    <Variable 'dense1/bias:0' shape=(10,) dtype=float32>, \
    <Variable 'dense2/weight:0' shape=(10, 10) dtype=float32>, \
    <Variable 'dense2/bias:0' shape=(10,) dtype=float32>]";

/// G-2: the same for the model of layers, which calls its second layer on the inputs twice.
const G2: &str = "[<Variable 'dense1/weight:0' shape=(32, 10) dtype=float32>, \
    <Variable 'dense1/bias:0' shape=(10,) dtype=float32>, \
    <Variable 'dense2/weight:0' shape=(32, 10) dtype=float32>, \
    <Variable 'dense2/bias:0' shape=(10,) dtype=float32>]";

/// The names of the nodes of an op.
fn nodes<'a>(concrete: &'a ConcreteFunction, op: &str) -> Vec<&'a str> {
    let nodes = concrete.graph().nodes.iter();
    nodes.filter(|it| it.kind.name() == op).map(|it| &*it.name).collect()
}

#[test]
fn s16_scopes_name_variables_and_a_reusing_one_shares_them() {
    #[graph_fn]
    fn graph(x: &Tensor) -> Tensor {
        network(x)
    }
    #[graph_fn]
    fn named(x: &Tensor) -> Tensor {
        name_scope("block").enter(|| variable_scope("dense1").enter(|| dense(x, 3)))
    }
    let (first, second) = (graph(&inputs()), graph(&inputs()));
    assert_eq!(first.shape().to_string(), "(10, 10)");
    assert_eq!(first.to_vec::<f32>(), second.to_vec::<f32>());
    assert_eq!(graph::trace_count(), 1);
    // A name scope is one of ops alone.
    let concrete = named::concrete_function(&inputs()).expect("it is traced");
    assert_eq!(concrete.variables()[0].name(), "dense1/weight:0");
    assert_eq!(nodes(&concrete, "Relu"), ["block/dense1/Relu"]);
}

#[test]
fn s17_g1_the_variables_print_as_in_the_chapter() {
    #[graph_fn]
    fn graph(x: &Tensor) -> Tensor {
        network(x)
    }
    let concrete = graph::concrete_function(&inputs()).expect("it is traced");
    assert_eq!(format!("{:?}", concrete.variables()), G1);
    let trainable = concrete.trainable_variables();
    assert_eq!(format!("{trainable:?}"), G1);
}

#[test]
fn s18_six_requests_make_four_variables() {
    #[graph_fn]
    fn graph(x: &Tensor) -> Tensor {
        network(x)
    }
    let concrete = graph::concrete_function(&inputs()).expect("it is traced");
    assert_eq!(concrete.variables().len(), 4);
    assert_eq!(concrete.captures().len(), 4);
}

#[test]
fn s19_names_that_exist_that_do_not_and_other_shapes() {
    #[graph_fn]
    fn twice() -> Tensor {
        let _ = get_variable("v", [], init::Zeros);
        get_variable("v", [], init::Zeros).read()
    }
    #[graph_fn]
    fn missing() -> Tensor {
        variable_scope("zz").reuse(true).enter(|| get_variable("q", [], init::Zeros).read())
    }
    #[graph_fn]
    fn clash() -> Tensor {
        variable_scope("dense2").enter(|| {
            let _ = get_variable("bias", [10], init::Zeros);
        });
        let scope = variable_scope("dense2").reuse(true);
        scope.enter(|| get_variable("bias", [11], init::Zeros).read())
    }
    let line = line!() - 15;
    let told = |error: Error, kind, sentence: &str, first: Option<u32>, at: u32| {
        let text = error.message();
        assert_eq!(error.kind(), kind);
        assert!(text.starts_with(sentence), "{text}");
        if let Some(first) = first {
            let place = format!("first created at {}:{first}:", file!());
            assert!(text.contains(&place), "{text}");
        }
        assert_eq!(error.place().map(|it| it.line), Some(at));
        assert!(error.help().is_some());
    };
    let exists = "Variable v already exists, disallowed. Did you mean to set reuse=True or \
        reuse=tf.AUTO_REUSE in VarScope?";
    told(twice::try_call().unwrap_err(), ErrorKind::Variable, exists, Some(line), line + 1);
    let absent = "Variable zz/q does not exist, or was not created with tf.get_variable(). Did \
        you mean to set reuse=tf.AUTO_REUSE in VarScope?";
    told(missing::try_call().unwrap_err(), ErrorKind::Variable, absent, None, line + 5);
    let other = "Trying to share variable dense2/bias, but specified shape (11,) and found \
        shape (10,).";
    told(clash::try_call().unwrap_err(), ErrorKind::Shape, other, Some(line + 10), line + 13);
}

#[test]
fn s20_the_ops_of_a_reused_scope_are_numbered_and_its_variables_are_not() {
    #[graph_fn]
    fn graph(x: &Tensor) -> Tensor {
        network(x)
    }
    let concrete = graph::concrete_function(&inputs()).expect("it is traced");
    assert_eq!(nodes(&concrete, "Relu"), ["dense1/Relu", "dense2/Relu", "dense2_1/Relu"]);
    assert_eq!(nodes(&concrete, "MatMul"), ["dense1/MatMul", "dense2/MatMul", "dense2_1/MatMul"]);
    let last = concrete.graph().find("dense2_1/Relu").expect("it was just found");
    assert_eq!(last.outputs[0].to_string(), "f32[10, 10]");
}

#[derive(Tree)]
struct Model {
    dense1: Dense,
    dense2: Dense,
}

impl Model {
    fn new() -> Model {
        Model { dense1: Dense::new(10), dense2: Dense::new(10) }
    }

    /// The second layer twice, on the result of the first.
    #[graph_fn]
    fn call(&self, inputs: &Tensor) -> Tensor {
        let x = self.dense1.call(inputs);
        let x = self.dense2.call(&x);
        self.dense2.call(&x)
    }

    /// As the chapter has it: every layer is called on the inputs, and the first one's output is not used.
    #[graph_fn]
    fn on_inputs(&self, inputs: &Tensor) -> Tensor {
        let _ = self.dense1.call(inputs);
        let _ = self.dense2.call(inputs);
        self.dense2.call(inputs)
    }
}

#[test]
fn s22_layers_make_their_variables_at_the_first_call_and_share_them_after() {
    #[graph_fn]
    fn called(model: &Model, inputs: &Tensor) -> Tensor {
        model.call(inputs)
    }
    let model = Model::new();
    assert_eq!(format!("{:?}", model.dense1.weight), "<Variable 'weight:0' unbuilt>");
    let first = called(&model, &inputs());
    let again = called(&model, &inputs());
    assert_eq!(first.to_vec::<f32>(), again.to_vec::<f32>());
    assert_eq!(called::trace_count(), 1);
    let concrete = called::concrete_function(&model, &inputs()).expect("it is traced");
    assert_eq!(format!("{:?}", concrete.variables()), G1);
    assert_eq!(nodes(&concrete, "MatMul").len(), 3);
    // By hand, eagerly, with the weights that the layers hold.
    let layer = |x: &Tensor, it: &Dense| x.matmul(&it.weight) + &it.bias;
    let by_hand = layer(&layer(&layer(&inputs(), &model.dense1), &model.dense2), &model.dense2);
    assert_eq!(first.to_vec::<f32>(), by_hand.to_vec::<f32>());
}

#[test]
fn s22_a_new_model_of_the_same_structure_has_weights_of_its_own() {
    let (a, b) = (Model::new(), Model::new());
    let _ = (a.call(&inputs()), b.call(&inputs()));
    assert!(!a.dense1.weight.is_same(&b.dense1.weight));
    b.dense2.bias.assign(Tensor::ones::<f32>([10]));
    assert_ne!(a.call(&inputs()).to_vec::<f32>(), b.call(&inputs()).to_vec::<f32>());
}

#[test]
fn s23_the_second_weight_is_as_wide_as_what_the_layer_is_called_on() {
    let chained = Model::new().call_concrete_function(&inputs()).expect("it is traced");
    assert_eq!(format!("{:?}", chained.variables()), G1);
    let flat = Model::new().on_inputs_concrete_function(&inputs()).expect("it is traced");
    assert_eq!(format!("{:?}", flat.variables()), G2);
}

#[test]
fn s24_g2_all_variables_are_listed_in_the_order_of_first_use() {
    let model = Model::new();
    let concrete = model.on_inputs_concrete_function(&inputs()).expect("it is traced");
    assert_eq!(format!("{:?}", concrete.variables()), G2);
    let [_, bias, ..] = concrete.variables() else { panic!("{:?}", concrete.variables()) };
    let zeros = ["0.0"; 10].join(", ");
    assert_eq!(
        format!("{bias:#?}"),
        format!("<Variable 'dense1/bias:0' shape=(10,) dtype=float32 value=[{zeros}]>")
    );
    // The same list when the variables were there before the trace.
    let _ = model.on_inputs(&inputs());
    let again = model.on_inputs_concrete_function(&inputs()).expect("it is traced");
    assert_eq!(format!("{:?}", again.variables()), G2);
}
