//! Variables by name: three layers in two scopes, the third in the second's, with the second's variables.
//!
//! The last line is the list of the graph's four variables.

use graphfn::prelude::*;
use graphfn::{GetVariable, variable_scope};

/// `relu(x * weight + bias)`, with the variables of the open scope.
fn dense(x: &Tensor, units: usize) -> Tensor {
    let inputs = x.shape()[1].known().expect("the width of the layer before is known");
    let weight = GetVariable::new("weight", [inputs, units]).build();
    let bias = get_variable("bias", [units], init::Zeros);
    (x.matmul(&weight) + &bias).relu()
}

fn main() -> Result<(), Error> {
    let graph = Graph::new();
    let inputs = graph.placeholder::<f32>([10, 32]);
    let outputs = {
        let _graph = graph.as_default();
        let x = variable_scope("dense1").enter(|| dense(&inputs, 10));
        let x = variable_scope("dense2").enter(|| dense(&x, 10));
        variable_scope("dense2").reuse(true).enter(|| dense(&x, 10))
    };

    let session = Session::new(&graph);
    session.run(&graph.global_variables_initializer())?;
    let images = random::uniform::<f32>([10, 32], 0.0, 1.0);
    println!("{:.3}", session.run_with(&outputs, feed! { inputs => images })?);
    println!("{:?}", graph.global_variables());
    Ok(())
}
