//! Bugs planted between the stages of a plan: the comparison must find each. Knows the stages, not the mistakes.

use super::both::disagreement;
use super::grow::{Catalogue, program};
use super::{graphs, plans};
use crate::error::Result;
use crate::graph::Graph;
use crate::passes;
use crate::plan::Plan;
use crate::plan::fuse::{Fused, fuse};
use crate::plan::memory::{Homes, place};
use crate::plan::program::build;

/// A mistake in what one stage gives the next.
enum Mistake {
    /// In the graph that the passes get.
    Traced(fn(&mut Graph)),
    /// In the graph that they give.
    Passed(fn(&mut Graph)),
    /// In tasks.
    Fused(fn(&Graph, &mut Fused)),
    /// In where values are.
    Placed(fn(&Graph, &Fused, &mut Homes)),
}

use Mistake::{Fused as InTasks, Passed, Placed, Traced};

const BUGS: &[(&str, Mistake)] = &[
    ("equal but for attributes is equal", Passed(graphs::shares_without_attributes)),
    ("x - y is y - x", Passed(graphs::shares_in_any_order)),
    ("a read overtakes an assignment", Traced(graphs::shares_reads)),
    ("an assignment is forgotten", Passed(graphs::forgets_an_assignment)),
    ("an assignment is that before it", Traced(graphs::assigns_too_early)),
    ("a constant is rounded", Passed(graphs::rounds_constants)),
    ("x + 0 is x", Passed(graphs::drops_sums_with_zero)),
    ("a cast there and back is nothing", Passed(graphs::drops_casts_there_and_back)),
    ("a view is in row-major order", InTasks(plans::ignores_strides)),
    ("a view begins where its source does", InTasks(plans::ignores_offsets)),
    ("a reversed view is not reversed", InTasks(plans::mirrors_reversed_views)),
    ("a task comes before what it reads", InTasks(plans::swaps_tasks)),
    ("two results of a cluster change places", InTasks(plans::swaps_results_of_clusters)),
    ("what can fail is pruned", InTasks(plans::prunes_what_can_fail)),
    ("two living values share bytes", Placed(plans::shares_bytes_of_the_living)),
    ("two results share bytes", Placed(plans::shares_bytes_of_results)),
    ("a variable is overwritten and read later", Placed(plans::overwrites_what_is_read_later)),
    ("a variable is overwritten by a failing run", Placed(plans::overwrites_before_a_failure)),
];

/// How many programs each is looked for in.
const TRIED: u64 = 3_000;

fn compile(graph: &Graph, mistake: &Mistake) -> Result<Plan> {
    let mut graph = graph.clone();
    if let Traced(make) = mistake {
        make(&mut graph);
    }
    let mut graph = passes::run(&graph)?;
    if let Passed(make) = mistake {
        make(&mut graph);
    }
    let mut fused = fuse(&graph)?;
    if let InTasks(make) = mistake {
        make(&graph, &mut fused);
    }
    let mut homes = place(&graph, &fused);
    if let Placed(make) = mistake {
        make(&graph, &fused, &mut homes);
    }
    build(&graph, &fused, &homes)
}

#[test]
fn every_planted_bug_is_found() {
    let catalogue = Catalogue::new();
    let mut programs = Vec::new();
    let mut missed = Vec::new();
    for (name, mistake) in BUGS {
        // Most are found soon: further programs are made for those that are not.
        let found = (0..TRIED).find_map(|seed| {
            if programs.len() as u64 == seed {
                programs.push(program(seed, &catalogue));
            }
            let program = &programs[usize::try_from(seed).expect("they are few")];
            Some((seed, disagreement(program, |graph| compile(graph, mistake))?))
        });
        match found {
            Some((seed, text)) => println!("{name}: found by seed {seed}: {text}"),
            None => missed.push(name),
        }
    }
    assert!(missed.is_empty(), "not found in {TRIED} programs: {missed:?}");
}
