//! The list of passes and the walk through it. Knows what each pass is called, not what it does.

use super::{expand, fold, prune, share, simplify, thread};
use crate::error::Result;
use crate::graph::{Graph, Stage, log_stage, verify};

/// A pass.
pub type Pass = fn(&Graph) -> Result<Graph>;

/// All passes, in the order in which they run.
pub const PASSES: &[(&str, Pass)] = &[
    ("thread", thread::thread),
    ("simplify", simplify::simplify),
    ("fold", fold::fold),
    ("share", share::share),
    ("expand", expand::expand),
    ("simplify", simplify::simplify),
    ("share", share::share),
    ("prune", prune::prune),
];

/// Runs all passes on a traced graph. In debug builds each result is verified, and the pass that broke it is named.
///
/// # Errors
/// If a pass finds an error in the program.
pub fn run(graph: &Graph) -> Result<Graph> {
    log_stage(Stage::Trace, "trace", graph);
    let mut graph = graph.clone();
    check("trace", &graph);
    for (name, pass) in PASSES {
        graph = pass(&graph)?;
        check(name, &graph);
        log_stage(Stage::Passes, name, &graph);
    }
    Ok(graph)
}

fn check(pass: &str, graph: &Graph) {
    if cfg!(debug_assertions)
        && let Err(broken) = verify(graph)
    {
        panic!("bug in graphfn: the pass `{pass}` broke the graph: {broken}\n{graph}");
    }
}
