//! The promise itself: a compiled program gives what its ops give one by one. Knows no op.

use super::both::disagreement;
use super::grow::{Catalogue, program};
use super::program::Program;
use crate::error::{Place, Result};
use crate::graph::{Graph, Node, NodeId, NodeKind, Parsed, Ref};
use crate::ops::make;
use crate::passes;
use crate::plan::Plan;
use crate::value::Value;
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;
use std::ops::Range;

/// How many programs are tried unless the environment says otherwise.
const PROGRAMS: u64 = 300;

/// The seeds of the programs to try: `GRAPHFN_FUZZ=5000` tries as many, `GRAPHFN_FUZZ=4711..4712` one.
fn seeds() -> Range<u64> {
    let Ok(wanted) = std::env::var("GRAPHFN_FUZZ") else { return 0..PROGRAMS };
    let (from, to) = wanted.split_once("..").unwrap_or(("0", &wanted));
    let seed = |text: &str| text.parse().expect("GRAPHFN_FUZZ is a number of programs or a range");
    seed(from)..seed(to)
}

fn compile(graph: &Graph) -> Result<Plan> {
    Plan::new(&passes::run(graph)?)
}

#[test]
fn compiled_equals_eager_bit_for_bit_on_random_graphs() {
    let catalogue = Catalogue::new();
    let mut covered = BTreeSet::new();
    for seed in seeds() {
        let program = program(seed, &catalogue);
        covered.extend(program.graph.nodes.iter().map(|node| node.kind.name()));
        if disagreement(&program, compile).is_none() {
            continue;
        }
        let small = program.shrunk(|it| disagreement(it, compile).is_some());
        let text = disagreement(&small, compile).expect("shrinking keeps the difference");
        panic!("seed {seed}: {text}\n{:#}", small.graph);
    }
    let all = catalogue.names().len();
    let missed: Vec<&str> = catalogue.names().filter(|it| !covered.contains(it)).collect();
    let share = 100.0 * (all - missed.len()) as f64 / all as f64;
    println!("op coverage: {} of {all} ({share:.0} %)", all - missed.len());
    assert!(
        (seeds().count() as u64) < PROGRAMS || share >= 95.0,
        "{share:.0} %, without {missed:?}"
    );
}

#[test]
fn a_seed_makes_the_same_program_again() {
    let catalogue = Catalogue::new();
    for seed in 0..20 {
        let text = || program(seed, &catalogue).graph.to_string();
        assert_eq!(text(), text());
    }
}

/// A cluster computed what its results needed, and a division that nothing used was left out with its failure.
#[test]
fn a_division_by_zero_beside_a_result_is_an_error() {
    let zeros = Value::from([0, 0]);
    let mut program = Program { graph: Graph::default(), inputs: vec![zeros], variables: vec![] };
    let x = program.graph.add_input("x", program.inputs[0].spec());
    for name in ["Neg", "FloorDiv"] {
        program.graph.add_node(Node {
            kind: NodeKind::Op(make(name, &Parsed::default()).unwrap()),
            inputs: SmallVec::from_elem(x, if name == "Neg" { 1 } else { 2 }),
            outputs: smallvec![program.inputs[0].spec()],
            name: name.into(),
            place: Place::caller(),
        });
    }
    program.add_output(Ref::node(NodeId::new(0)));
    assert_eq!(disagreement(&program, compile), None);
}
