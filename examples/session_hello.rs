//! A graph is built first and run later: constants, then placeholders that each run is given values for.
//!
//! `cargo run --example session_hello [a b]` prints 2, then `a + b = 5` for 2 and 3, which are taken if none are given.

use graphfn::prelude::*;
use std::process::ExitCode;

fn main() -> ExitCode {
    let given: Result<Vec<i32>, _> = std::env::args().skip(1).map(|it| it.parse()).collect();
    let (a, b) = match given.as_deref() {
        Ok([]) => (2, 3),
        Ok([a, b]) => (*a, *b),
        _ => {
            eprintln!("session_hello takes two integers, such as `2 3`, or nothing");
            return ExitCode::FAILURE;
        }
    };
    match sums(a, b) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn sums(first: i32, second: i32) -> Result<(), Error> {
    let graph = Graph::new();
    let session = Session::new(&graph);

    // Nothing is computed where the sum stands: `c` prints as `Tensor("add:0", shape=(), dtype=int32)`.
    let c = graph.constant(1) + graph.constant(1);
    println!("{}", session.run(&c)?);

    let (a, b) = (graph.placeholder::<i32>([]), graph.placeholder::<i32>([]));
    let sum = &a + &b;
    println!("a + b = {}", session.run_with(&sum, feed! { a => first, b => second })?);
    Ok(())
}
