//! `#[graph_fn]` on methods: inherent ones with their siblings, those of traits, `&mut self`.

use graphfn::ConcreteFunction;
use graphfn::prelude::*;

fn scalar(x: f32) -> Tensor {
    Tensor::from(x)
}

fn variable(name: &str, x: f32) -> Variable {
    Variable::new(name, scalar(x))
}

/// The names of a concrete function's variables, as they print.
fn names(function: &ConcreteFunction) -> Vec<String> {
    let printed = function.variables().iter().map(|variable| format!("{variable:?}"));
    printed.map(|text| text.split('\'').nth(1).expect("a quoted name").to_owned()).collect()
}

trait Layer {
    fn call(&self, x: &Tensor) -> Tensor;
}

#[derive(Tree, Clone)]
struct Dense {
    weight: Variable,
    bias: Variable,
}

impl Dense {
    fn new(weight: f32) -> Self {
        Dense { weight: variable("weight", weight), bias: variable("bias", 1.0) }
    }
}

#[graph_fn]
impl Layer for Dense {
    #[graph_fn]
    fn call(&self, x: &Tensor) -> Tensor {
        x * &self.weight + &self.bias
    }
}

#[derive(Tree, Clone)]
struct Model {
    dense1: Dense,
    dense2: Dense,
    steps: i32,
}

impl Model {
    const GAIN: f32 = 11.0;

    fn new(weight: f32) -> Self {
        Model { dense1: Dense::new(weight), dense2: Dense::new(2.0), steps: 0 }
    }

    /// Runs the second layer twice.
    #[graph_fn]
    pub fn call(&self, x: &Tensor) -> Tensor {
        let x = self.dense1.call(x);
        let x = self.dense2.call(&x);
        self.dense2.call(&x)
    }

    #[graph_fn]
    fn tick(&mut self, x: &Tensor) -> Tensor {
        self.steps += 1;
        x * self.steps
    }

    #[graph_fn]
    fn into_first(mut self, bias: &Tensor) -> Dense {
        self.dense1.bias.assign(bias);
        self.steps = 0;
        self.dense1
    }

    #[graph_fn]
    fn nested(&self, x: &Tensor) -> Tensor {
        struct Half;
        impl Half {
            fn of(&self, x: &Tensor) -> Tensor {
                x * 0.5f32
            }
        }
        assert!(self.steps >= 0, "{} steps", self.steps);
        self::twice(&Half.of(x))
    }

    #[graph_fn(assoc)]
    fn untrained(x: &Tensor) -> Tensor {
        x * Self::GAIN
    }

    #[graph_fn]
    fn map_with<T: Default + Into<f64>, const N: usize>(
        &self,
        f: impl Fn(&Tensor) -> Tensor,
        x: &Tensor,
    ) -> Tensor {
        let mut x = x + T::default().into();
        for _ in 0..N {
            x = f(&x);
        }
        x
    }
}

fn twice(x: &Tensor) -> Tensor {
    x * 2.0f32
}

#[test]
fn variables_are_named_by_the_fields() {
    let model = Model::new(3.0);
    let function = model.call_concrete_function(&scalar(1.0)).expect("it can be traced");
    let wanted = ["dense1/weight:0", "dense1/bias:0", "dense2/weight:0", "dense2/bias:0"];
    assert_eq!(names(&function), wanted);
    assert_eq!(model.call(&scalar(1.0)).item::<f32>(), 19.0);
}

#[test]
fn models_of_one_structure_share_a_trace_and_keep_their_weights() {
    #[derive(Tree)]
    struct Scale {
        k: Variable,
    }
    impl Scale {
        #[graph_fn]
        fn call(&self, x: &Tensor) -> Tensor {
            x * &self.k
        }
    }
    for k in [2.0, 3.0, 4.0] {
        let scale = Scale { k: variable("k", k) };
        assert_eq!(scale.call(&scalar(5.0)).item::<f32>(), 5.0 * k);
    }
    assert_eq!(Scale::call_graph_fn().trace_count(), 1);
}

#[test]
fn tied_weights_are_another_structure() {
    #[derive(Tree)]
    struct Pair {
        a: Variable,
        b: Variable,
    }
    impl Pair {
        #[graph_fn]
        fn sum(&self) -> Tensor {
            self.a.read() + &self.b
        }
    }
    let a = variable("a", 1.0);
    let free = Pair { a: a.clone(), b: variable("b", 2.0) };
    let tied = Pair { a: a.clone(), b: a };
    assert_eq!((free.sum().item::<f32>(), tied.sum().item::<f32>()), (3.0, 2.0));
    assert_eq!(Pair::sum_graph_fn().trace_count(), 2);
    assert_eq!(names(&tied.sum_concrete_function().expect("it can be traced")).len(), 1);
}

#[test]
fn changes_of_mut_self_are_written_back() {
    let mut model = Model::new(1.0);
    assert_eq!(model.tick(&scalar(2.0)).item::<f32>(), 2.0);
    assert_eq!(model.tick(&scalar(2.0)).item::<f32>(), 4.0);
    assert_eq!(model.steps, 2);
}

#[test]
fn looking_at_a_method_changes_nothing() {
    let mut model = Model::new(1.0);
    model.tick_concrete_function(&scalar(2.0)).expect("it can be traced");
    assert_eq!(model.steps, 0);
}

#[test]
fn self_may_be_taken_by_value() {
    let first = Model::new(7.0).into_first(&scalar(3.0));
    assert_eq!(first.bias.read().item::<f32>(), 3.0);
}

#[test]
fn nested_items_have_a_self_of_their_own() {
    assert_eq!(Model::new(1.0).nested(&scalar(3.0)).item::<f32>(), 3.0);
}

#[test]
fn functions_without_self_say_so() {
    assert_eq!(Model::untrained(&scalar(1.0)).item::<f32>(), 11.0);
    assert_eq!(Model::untrained_graph_fn().trace_count(), 1);
}

#[test]
fn generic_methods_have_one_trace_per_instance() {
    let model = Model::new(1.0);
    assert_eq!(model.map_with::<f32, 2>(twice, &scalar(1.0)).item::<f32>(), 4.0);
    assert_eq!(model.map_with::<f32, 3>(twice, &scalar(1.0)).item::<f32>(), 8.0);
    assert_eq!(model.map_with::<u8, 3>(twice, &scalar(1.0)).item::<f32>(), 8.0);
    assert_eq!(model.map_with::<u8, 3>(twice, &scalar(2.0)).item::<f32>(), 16.0);
    assert_eq!(Model::map_with_graph_fn().trace_count(), 3);
    let function = model.map_with_concrete_function::<u8, 3>(twice, &scalar(1.0));
    function.expect("it can be traced");
    assert_eq!(Model::map_with_graph_fn().trace_count(), 3);
}

#[derive(Tree)]
struct Shift<T> {
    by: Variable,
    kind: T,
}

impl<T: Tree> Layer for Shift<T> {
    #[graph_fn(in_trait)]
    fn call(&self, x: &Tensor) -> Tensor {
        x + &self.by
    }
}

#[test]
fn trait_methods_are_reached_through_dyn() {
    let layers: [Box<dyn Layer>; 2] =
        [Box::new(Dense::new(2.0)), Box::new(Shift { by: variable("by", 5.0), kind: 7u8 })];
    let wanted = [vec!["weight:0", "bias:0"], vec!["by:0"]];
    for (layer, wanted) in layers.iter().zip(wanted) {
        let function = concrete_function_of(|| layer.call(&scalar(1.0))).expect("a graph_fn ran");
        assert_eq!(names(&function), wanted);
    }
    assert_eq!(layers[1].call(&scalar(1.0)).item::<f32>(), 6.0);
}

trait Activation {
    const SLOPE: f32;

    #[graph_fn(in_trait)]
    fn activate(&self, x: &Tensor) -> Tensor
    where
        Self: Tree,
    {
        x * Self::SLOPE
    }
}

#[derive(Tree)]
struct Steep;

#[derive(Tree)]
struct Flat;

impl Activation for Steep {
    const SLOPE: f32 = 10.0;
}

impl Activation for Flat {
    const SLOPE: f32 = 0.5;
}

#[test]
fn a_provided_method_is_traced_for_each_type() {
    assert_eq!(Steep.activate(&scalar(1.0)).item::<f32>(), 10.0);
    assert_eq!(Flat.activate(&scalar(1.0)).item::<f32>(), 0.5);
}

#[derive(Tree)]
struct Counter {
    count: Tensor,
}

#[graph_fn]
impl Counter {
    const START: f32 = 0.0;

    #[graph_fn]
    fn new() -> Self {
        Counter { count: Tensor::from(Self::START) }
    }

    #[graph_fn]
    pub fn add(&mut self, n: &Tensor) {
        self.count += n;
    }

    fn total(&self) -> f32 {
        self.count.item()
    }
}

#[test]
fn an_inherent_block_knows_which_functions_have_no_self() {
    let mut counter = Counter::new();
    for _ in 0..3 {
        counter.add(&scalar(2.0));
    }
    assert_eq!(counter.total(), 6.0);
    assert_eq!(Counter::add_graph_fn().trace_count(), 1);
    assert_eq!(Counter::new_graph_fn().trace_count(), 1);
}
