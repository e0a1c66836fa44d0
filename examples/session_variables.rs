//! A variable of a graph has a value in each session: it is given the first by an initialiser, the next by assignments.
//!
//! Prints 1.0 to 5.0, a line each.

use graphfn::prelude::*;

fn main() -> Result<(), Error> {
    let graph = Graph::new();
    let a = graph.get_variable("a", [], init::Zeros);
    let next = a.assign(&a + 1.0);

    let session = Session::new(&graph);
    session.run(&graph.global_variables_initializer())?;
    for _ in 0..5 {
        println!("{:.1}", session.run(&next)?);
    }

    let other = Session::new(&graph);
    assert!(other.value(&a).is_err(), "in another session the variable has no value yet");
    Ok(())
}
