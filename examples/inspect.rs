//! Every view of a concrete function: signature, inputs, outputs, variables, captures, graphs, plan.

use graphfn::prelude::*;
use once_cell::sync::Lazy;

static CALLS: Lazy<Variable> = Lazy::new(|| Variable::new("calls", 0i64).untrainable());

#[derive(Tree)]
struct Model {
    dense1: Dense,
    dense2: Dense,
}

impl Model {
    #[graph_fn]
    fn call(&self, images: &Tensor) -> Tensor {
        CALLS.assign_add(1);
        let hidden = self.dense1.call(images).relu();
        (self.dense2.call(&hidden) * 1.0).named("scores")
    }
}

fn main() -> Result<(), Error> {
    let model = Model { dense1: Dense::new(4), dense2: Dense::new(2) };
    let concrete = model.call_concrete_function(&Tensor::ones::<f32>([3, 8]))?;

    println!("signature: {}", concrete.signature());
    for input in concrete.inputs() {
        println!("input: {} is {}", input.name, input.spec);
    }
    for output in concrete.outputs() {
        println!("output: {} is {}", output.value, concrete.graph().spec(output.value));
    }
    for variable in concrete.variables() {
        println!("variable: {variable:?}");
    }
    println!(
        "trainable: {} of {}",
        concrete.trainable_variables().len(),
        concrete.variables().len()
    );
    for captured in concrete.captures() {
        println!("captured: {captured:?}");
    }
    let scores = concrete.graph().find("scores").expect("the node was named");
    println!("node `scores` is a {} made at {}", scores.kind.name(), scores.place);

    println!("as traced:\n{}", concrete.graph());
    println!("after all passes:\n{}", concrete.graph_optimised());
    println!("{}", concrete.explain()?);
    Ok(())
}
