//! Cases about variables that functions and layers make: A5 and N1 of public bug reports.

use graphfn::prelude::*;

#[graph_fn]
fn total(x: &Tensor) -> Tensor {
    let v = get_variable("v", [], init::Zeros);
    v.assign_add(x.sum());
    v.read()
}

#[test]
fn a5_a_variable_made_in_the_body_is_one_for_all_calls_and_signatures() {
    let (three, five) = (Tensor::ones::<f32>([3]), Tensor::ones::<f32>([5]));
    assert_eq!(total(&three).item::<f32>(), 3.0);
    assert_eq!(total(&three).item::<f32>(), 6.0);
    assert_eq!(total(&five).item::<f32>(), 11.0);
    let concrete = total::concrete_function(&five).unwrap();
    assert_eq!(format!("{:?}", concrete.variables()), "[<Variable 'v:0' shape=() dtype=float32>]");
    assert_eq!(total::trace_count(), 2);
    assert_eq!(graphfn::eager(|| total(&three)).item::<f32>(), 14.0, "eagerly it is the same");
}

/// A layer whose variables are found by name in the open scope, or made there.
fn dense(x: &Tensor, units: usize) -> Tensor {
    let width = x.shape()[1].known().unwrap();
    let weight = get_variable("weight", [width, units], init::GlorotUniform);
    let bias = get_variable("bias", [units], init::Zeros);
    (x.matmul(&weight) + &bias).relu()
}

#[test]
fn a_helper_makes_variables_in_several_scopes() {
    #[graph_fn]
    fn model(x: &Tensor) -> Tensor {
        let x = variable_scope("dense1").enter(|| dense(x, 10));
        let x = variable_scope("dense2").enter(|| dense(&x, 10));
        variable_scope("dense2").reuse(true).enter(|| dense(&x, 10))
    }
    let concrete = model::concrete_function(&Tensor::zeros::<f32>([10, 32])).unwrap();
    assert_eq!(
        format!("{:?}", concrete.variables()),
        "[<Variable 'dense1/weight:0' shape=(32, 10) dtype=float32>, \
         <Variable 'dense1/bias:0' shape=(10,) dtype=float32>, \
         <Variable 'dense2/weight:0' shape=(10, 10) dtype=float32>, \
         <Variable 'dense2/bias:0' shape=(10,) dtype=float32>]"
    );
    for node in ["dense1/MatMul", "dense1/add", "dense1/Relu", "dense2_1/MatMul", "dense2_1/Relu"] {
        assert!(concrete.graph().find(node).is_some(), "{node}\n{}", concrete.graph());
    }
}

fn names(concrete: &ConcreteFunction) -> Vec<String> {
    concrete.variables().iter().map(|it| it.name()).collect()
}

#[derive(Tree)]
struct Model {
    dense1: Dense,
    dense2: Dense,
    rest: Vec<Dense>,
}

impl Model {
    fn new() -> Model {
        let rest = vec![Dense::new(2), Dense::new(1)];
        Model { dense1: Dense::new(4).activation(Activation::Relu), dense2: Dense::new(3), rest }
    }

    #[graph_fn]
    fn call(&self, x: &Tensor) -> Tensor {
        let x = self.dense2.call(&self.dense1.call(x));
        self.rest.iter().fold(x, |x, layer| layer.call(&x))
    }
}

#[test]
fn n1_layers_are_named_by_their_fields_and_a_second_model_starts_again() {
    let x = Tensor::ones::<f32>([2, 5]);
    let expected = [
        "dense1/weight:0",
        "dense1/bias:0",
        "dense2/weight:0",
        "dense2/bias:0",
        "rest/0/weight:0",
        "rest/0/bias:0",
        "rest/1/weight:0",
        "rest/1/bias:0",
    ];
    let (first, second) = (Model::new(), Model::new());
    for model in [&first, &second] {
        let concrete = model.call_concrete_function(&x).unwrap();
        assert_eq!(names(&concrete), expected);
        for node in ["dense1/MatMul", "dense1/add", "dense1/Relu", "dense2/add", "rest/1/MatMul"] {
            assert!(concrete.graph().find(node).is_some(), "{node}\n{}", concrete.graph());
        }
    }
}

#[test]
fn a_second_model_of_the_same_structure_has_its_own_weights() {
    #[graph_fn]
    fn forward(model: &Model, x: &Tensor) -> Tensor {
        model.dense2.call(&model.dense1.call(x))
    }
    let x = Tensor::ones::<f32>([1, 5]);
    let (first, second) = (Model::new(), Model::new());
    let before = forward(&first, &x).to_vec::<f32>();
    assert_eq!((forward(&first, &x).to_vec::<f32>(), forward::trace_count()), (before.clone(), 1));
    assert_eq!(forward(&second, &x).to_vec::<f32>(), before, "equal names, equal numbers");
    let bias = &second.dense2.bias;
    bias.assign(bias + 1.0);
    let moved: Vec<f32> = before.iter().map(|it| it + 1.0).collect();
    assert_eq!(forward(&second, &x).to_vec::<f32>(), moved);
    assert_eq!(forward(&first, &x).to_vec::<f32>(), before);
    assert_eq!(forward::trace_count(), 2, "the second model was built by a run of the body");
}

#[test]
fn n1_layers_outside_the_arguments_are_numbered_in_each_function() {
    let layers = [Dense::new(4), Dense::new(3)];
    let call = |x: &Tensor| layers[1].call(&layers[0].call(x));
    let f = graphfn::graph_fn(call);
    let x = Tensor::ones::<f32>([2, 5]);
    let concrete = f.concrete_function(&x).unwrap();
    let expected = ["dense/weight:0", "dense/bias:0", "dense_1/weight:0", "dense_1/bias:0"];
    assert_eq!(names(&concrete), expected);
    let again = f.concrete_function(&Tensor::ones::<f32>([3, 5])).unwrap();
    assert_eq!(names(&again), expected, "also where the variables were built before");
}

#[test]
fn a_layer_is_built_eagerly_too_and_refuses_other_widths() {
    let layer = Dense::new(3);
    let y = layer.call(&Tensor::ones::<f64>([2, 4, 5]));
    assert_eq!(y.shape().to_string(), "(2, 4, 3)");
    assert_eq!(y.dtype(), DType::F64);
    let line = line!() + 1;
    let error = attempt(|| layer.call(&Tensor::ones::<f64>([2, 6]))).unwrap_err();
    assert!(
        error.message().contains("was built for inputs of width 5, found f64[2, 6]"),
        "{error}"
    );
    assert_eq!(error.place().map(|it| it.line), Some(line));
    let scalar = attempt(|| layer.call(&Tensor::from(1.0))).unwrap_err();
    assert!(scalar.message().contains("needs inputs that have axes"), "{scalar}");
    let integers = attempt(|| Dense::new(3).call(&Tensor::from([[1, 2]]))).unwrap_err();
    assert!(integers.message().contains("needs floats, found i32[1, 2]"), "{integers}");
    assert_eq!(integers.kind(), ErrorKind::Type);
}

#[test]
fn a_layer_names_itself_by_its_path() {
    let model = Model::new();
    model.call(&Tensor::ones::<f32>([2, 5]));
    #[graph_fn]
    fn second(model: &Model, x: &Tensor) -> Tensor {
        model.dense2.call(x)
    }
    let error = second::try_call(&model, &Tensor::ones::<f32>([2, 9])).unwrap_err();
    let start = "layer `dense2` was built for inputs of width 4, found f32[2, 9]";
    assert_eq!(error.message(), start);
}

#[test]
fn a_failed_trace_leaves_layers_unbuilt() {
    #[graph_fn]
    fn wrong(model: &Model, x: &Tensor) -> Tensor {
        model.dense1.call(x) + Tensor::from([1])
    }
    let model = Model::new();
    assert!(wrong::try_call(&model, &Tensor::ones::<f32>([2, 9])).is_err());
    assert_eq!(model.dense1.weight.spec(), None);
    model.call(&Tensor::ones::<f32>([2, 5]));
    assert_eq!(model.dense1.weight.read().shape().to_string(), "(5, 4)");
}

#[test]
fn a_width_that_is_unknown_while_tracing_is_refused() {
    #[graph_fn(signature(x: f32[2, ?]))]
    fn unknown(layer: &Dense, x: &Tensor) -> Tensor {
        layer.call(x)
    }
    let error = unknown::try_call(&Dense::new(3), &Tensor::ones::<f32>([2, 9])).unwrap_err();
    assert!(error.message().contains("needs inputs whose last size is known"), "{error}");
    assert!(error.help().unwrap().contains("signature(x: f32[?, 32])"), "{error}");
}
