//! Three layers, the third with the weights of the second: scopes give the variables their names.
//!
//! Prints the four variables, then the graph, in which the second use of a scope has a name of its own.

use graphfn::prelude::*;

/// A layer whose variables are found by name in the open scope, or made there.
fn dense(x: &Tensor, units: usize) -> Tensor {
    let width = x.shape()[1].known().expect("the width of a layer's input is a number");
    let weight = get_variable("weight", [width, units], init::GlorotUniform);
    let bias = get_variable("bias", [units], init::Zeros);
    (x.matmul(&weight) + &bias).relu()
}

#[graph_fn]
fn model(x: &Tensor) -> Tensor {
    let x = variable_scope("dense1").enter(|| dense(x, 10));
    let x = variable_scope("dense2").enter(|| dense(&x, 10));
    variable_scope("dense2").reuse(true).enter(|| dense(&x, 10))
}

fn main() -> Result<(), Error> {
    let concrete = model::concrete_function(&Tensor::zeros::<f32>([10, 32]))?;
    for variable in concrete.variables() {
        println!("{variable:?}");
    }
    println!("{}", concrete.graph());
    Ok(())
}
