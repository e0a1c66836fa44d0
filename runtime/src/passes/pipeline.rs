//! The list of passes and the walk through it. Knows what each pass is called, not what it does.

use super::{expand, fold, prune, share, simplify, thread};
use crate::error::Result;
use crate::graph::{Graph, Stage, log_stage, verify};

/// A pass.
pub type Pass = fn(&Graph) -> Result<Graph>;

/// Where a pass runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Once, on the whole graph: it goes into regions itself.
    Whole,
    /// On every region in the graph, innermost first, and then on the graph.
    Regions,
}

/// All passes, in the order in which they run.
pub const PASSES: &[(&str, Pass, Reach)] = &[
    ("thread", thread::thread, Reach::Whole),
    ("simplify", simplify::simplify, Reach::Regions),
    ("fold", fold::fold, Reach::Regions),
    ("share", share::share, Reach::Regions),
    ("expand", expand::expand, Reach::Regions),
    ("simplify", simplify::simplify, Reach::Regions),
    ("share", share::share, Reach::Regions),
    ("prune", prune::prune, Reach::Regions),
];

/// Runs all passes on a traced graph. In debug builds each result is verified, and the pass that broke it is named.
///
/// # Errors
/// If a pass finds an error in the program.
pub fn run(graph: &Graph) -> Result<Graph> {
    log_stage(Stage::Trace, "trace", graph);
    let mut graph = graph.clone();
    check("trace", &graph);
    for (name, pass, reach) in PASSES {
        graph = match reach {
            Reach::Whole => pass(&graph)?,
            Reach::Regions => everywhere(&graph, *pass)?,
        };
        check(name, &graph);
        log_stage(Stage::Passes, name, &graph);
    }
    Ok(graph)
}

/// Runs a pass on the regions in a graph, innermost first, and then on the graph.
fn everywhere(graph: &Graph, pass: Pass) -> Result<Graph> {
    if graph.nodes.iter().all(|node| node.kind.regions().is_empty()) {
        return pass(graph);
    }
    let mut graph = graph.clone();
    for node in &mut graph.nodes {
        node.kind = node.kind.with_regions(|region| everywhere(region, pass))?;
    }
    pass(&graph)
}

fn check(pass: &str, graph: &Graph) {
    if cfg!(debug_assertions)
        && let Err(broken) = verify(graph)
    {
        panic!("bug in graphfn: the pass `{pass}` broke the graph: {broken}\n{graph}");
    }
}
