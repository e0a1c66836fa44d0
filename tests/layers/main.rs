//! The house has floors, and its source keeps its manners. Reads the source as syntax; runs none of it.

mod imports;
mod manners;
mod source;

use imports::imports_go_down;
use manners::{
    files_are_short, globs_are_named, lowering_is_checked, modules_open_with_docs,
    nothing_is_left_to_do, roots_only_list, sources_are_where_they_seem, unsafe_is_argued_for,
    unwrap_stays_in_tests,
};
use source::{Complaint, Source, read_all};
use std::path::Path;

/// A rule that a file of the source keeps, or its complaints.
type Rule = fn(&Source) -> Vec<Complaint>;

/// What both crates keep.
const EVERYWHERE: &[Rule] = &[
    files_are_short,
    globs_are_named,
    modules_open_with_docs,
    nothing_is_left_to_do,
    roots_only_list,
    sources_are_where_they_seem,
    unsafe_is_argued_for,
    unwrap_stays_in_tests,
];

#[test]
fn the_runtime_keeps_its_floors() {
    keeps("runtime/src", &[imports_go_down, lowering_is_checked]);
}

#[test]
fn the_runtime_keeps_its_manners() {
    keeps("runtime/src", EVERYWHERE);
}

#[test]
fn the_macros_keep_their_manners() {
    keeps("macros/src", EVERYWHERE);
}

#[test]
fn tests_examples_and_peers_leave_nothing_to_do() {
    keeps("tests", &[files_are_short, nothing_is_left_to_do]);
    keeps("examples", &[files_are_short, nothing_is_left_to_do]);
    keeps("benches/peers/src", &[files_are_short, nothing_is_left_to_do]);
}

fn keeps(folder: &str, rules: &[Rule]) {
    let sources = read_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    assert!(!sources.is_empty(), "no source in {folder}");
    let complaints: Vec<String> = sources
        .iter()
        .flat_map(|source| rules.iter().flat_map(|rule| rule(source)).map(move |it| (source, it)))
        .map(|(source, it)| format!("{folder}/{}:{}: {}", source.path, it.line, it.text))
        .collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// What a rule says about a planted file, one complaint a line.
fn said(rule: Rule, path: &str, text: &str) -> String {
    let complaints = rule(&Source::parse(path, text));
    complaints.iter().map(|it| format!("{}: {}\n", it.line, it.text)).collect()
}
