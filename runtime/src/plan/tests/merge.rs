//! Clusters that are merged into one, and those that are not. Knows graphs as text.

use crate::graph::Graph;
use crate::plan::fuse::fuse;
use crate::plan::task::Work;

/// Checks the results of each cluster of a graph that begins with the matrix product `%0`.
#[track_caller]
fn clusters(nodes: &str, expected: &[&[&str]]) {
    let text = format!(
        "graph g {{\n  in0 \"x\": f32[4, 4]\n  %0 \"p\" = MatMul(in0, in0): f32[4, 4]\n{nodes}\n}}\n"
    );
    let placed = |line: &str| match line.starts_with("  %") {
        true => format!("{line}  // g.rs:1:1\n"),
        false => format!("{line}\n"),
    };
    let text: String = text.lines().map(placed).collect();
    let graph = Graph::parse(&text).expect("it is a graph");
    let tasks = fuse(&graph).expect("it can be fused").tasks;
    let found: Vec<Vec<String>> = tasks
        .iter()
        .filter(|task| matches!(task.work, Work::Lanes(_)))
        .map(|task| task.outputs.iter().map(ToString::to_string).collect())
        .collect();
    assert_eq!(found, expected, "{text}");
}

const SQUARE_AND_EXP: &str = r#"  %1 "a" = Square(%0): f32[4, 4]
  %2 "b" = Exp(%0): f32[4, 4]
"#;

#[test]
fn two_that_begin_from_one_product_and_meet_are_one() {
    let product = |results: &str| {
        format!("{SQUARE_AND_EXP}  %3 \"c\" = Mul(%1, %2): f32[4, 4]\n  return {results}")
    };
    clusters(&product("%3"), &[&["%3"]]);
    clusters(&product("%1, %3"), &[&["%1", "%3"]]);
}

#[test]
fn what_is_read_in_between_is_made_before() {
    let nodes = r#"  %1 "a" = Square(%0): f32[4, 4]
  %2 "b" = MatMul(%1, in0): f32[4, 4]
  %3 "c" = Mul(%1, %2): f32[4, 4]
  return %3"#;
    clusters(nodes, &[&["%1"], &["%3"]]);
}

#[test]
fn what_is_read_in_another_order_is_made_before() {
    let nodes = format!(
        "{SQUARE_AND_EXP}{}",
        r#"  %3 "c" = Transpose(%1) {perm=[1, 0]}: f32[4, 4]
  %4 "d" = Mul(%2, %3): f32[4, 4]
  return %4"#
    );
    clusters(&nodes, &[&["%1"], &["%4"]]);
}

#[test]
fn two_that_do_not_meet_stay_two() {
    clusters(&format!("{SQUARE_AND_EXP}  return %1, %2"), &[&["%1"], &["%2"]]);
}

#[test]
fn many_that_meet_one_after_the_other_are_one() {
    let nodes = r#"  %1 "a" = Square(%0): f32[4, 4]
  %2 "b" = Exp(%0): f32[4, 4]
  %3 "c" = Neg(%0): f32[4, 4]
  %4 "d" = Mul(%1, %3): f32[4, 4]
  %5 "e" = Mul(%2, %4): f32[4, 4]
  return %5"#;
    clusters(nodes, &[&["%5"]]);
}
