//! A module imports only from floors below its own. Follows every path of the source, in macros too; knows no types.

use crate::source::{Complaint, Source};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The floors, lowest first. A new top module is a new entry here.
const FLOORS: &[&str] = &[
    "error", "types", "value", "kernels", "graph", "ops", "autodiff", "passes", "plan", "trace",
    "session", "train", "interop",
];

/// The name by which users know the crate, and by which it may know itself.
const OWN_NAME: &str = "graphfn";

/// Complains of paths that lead to a higher floor, or that do not say to which floor they lead.
pub fn imports_go_down(source: &Source) -> Vec<Complaint> {
    if source.is_root() {
        return Vec::new();
    }
    let module = source.module();
    let Some(own) = floor_of(&module[0]) else {
        let text = format!("`{}` is on no floor: add it to FLOORS", module[0]);
        return vec![Complaint { line: 1, text }];
    };
    let mut paths = Vec::new();
    collect(source.shipped_tokens(), &module, &mut paths);
    let wrong = paths.into_iter().filter_map(|path| {
        let text = match path.segments.first().map(String::as_str) {
            None => "names the crate root: name a floor".to_string(),
            Some(first) => match floor_of(first) {
                Some(floor) if floor <= own => return None,
                Some(_) => format!("`{}` looks up at `{first}`", module[0]),
                None => format!("`crate::{first}` hides its floor: name it by its own module"),
            },
        };
        Some(Complaint { line: path.line, text })
    });
    wrong.collect()
}

fn floor_of(module: &str) -> Option<usize> {
    FLOORS.iter().position(|it| *it == module)
}

/// A path from the crate root, a glob as `*`, and the line where it starts.
struct Absolute {
    segments: Vec<String>,
    line: usize,
}

/// Finds the paths of some tokens that start at the crate, at a parent or at the module itself. Others lead only to
/// what these brought in, to other crates, or to children.
fn collect(tokens: TokenStream, module: &[String], found: &mut Vec<Absolute>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                let inner = module_before(&tokens[..at]).into_iter();
                let inner: Vec<String> = module.iter().cloned().chain(inner).collect();
                collect(group.stream(), &inner, found);
            }
            TokenTree::Ident(first) => {
                let leads = is_path(&tokens[at + 1..]);
                let start = match first.to_string().as_str() {
                    "self" if at > 0 && is_ident(&tokens[at - 1], "crate") => Vec::new(),
                    "crate" | OWN_NAME if leads => Vec::new(),
                    "self" if leads => module.to_vec(),
                    // A later `super` of a path is followed from its first segment.
                    "super" if leads && !ends_in_separator(&tokens[..at]) => parent(module),
                    _ => continue,
                };
                let line = first.span().start().line;
                follow(&tokens[at + 1..], start, line, found);
            }
            _ => {}
        }
    }
}

/// Follows a path to its ends: several, when it has braces.
fn follow(rest: &[TokenTree], mut path: Vec<String>, line: usize, found: &mut Vec<Absolute>) {
    let mut at = 0;
    while is_separator(&rest[at..]) {
        match rest.get(at + 2) {
            Some(TokenTree::Ident(name)) => match name.to_string().as_str() {
                "self" => {}
                "super" => path = parent(&path),
                name => path.push(name.to_string()),
            },
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                for branch in inner.split(|it| is_punct(it, ',')).filter(|it| !it.is_empty()) {
                    follow_branch(branch, &path, found);
                }
                return;
            }
            Some(TokenTree::Punct(punct)) if punct.as_char() == '<' => break,
            Some(other) => path.push(other.to_string()),
            None => break,
        }
        at += 3;
    }
    found.push(Absolute { segments: path, line });
}

/// Follows what stands between commas: its first segment has no separator before it.
fn follow_branch(branch: &[TokenTree], path: &[String], found: &mut Vec<Absolute>) {
    let line = branch[0].span().start().line;
    let path = match branch[0].to_string().as_str() {
        "self" => path.to_vec(),
        "super" => parent(path),
        name => path.iter().cloned().chain([name.to_string()]).collect(),
    };
    follow(&branch[1..], path, line, found);
}

/// The module around; a parent beyond the root is the root, which is refused anyway.
fn parent(module: &[String]) -> Vec<String> {
    module[..module.len().saturating_sub(1)].to_vec()
}

/// The name of an inline module whose braces come after these tokens.
fn module_before(tokens: &[TokenTree]) -> Option<String> {
    match tokens {
        [.., keyword, TokenTree::Ident(name)] if is_ident(keyword, "mod") => Some(name.to_string()),
        _ => None,
    }
}

/// Whether the name before these tokens begins a path, or is a whole one that gets another name.
fn is_path(rest: &[TokenTree]) -> bool {
    is_separator(rest) || rest.first().is_some_and(|it| is_ident(it, "as"))
}

fn is_separator(rest: &[TokenTree]) -> bool {
    matches!(rest, [a, b, ..] if is_punct(a, ':') && is_punct(b, ':'))
}

fn ends_in_separator(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [.., a, b] if is_punct(a, ':') && is_punct(b, ':'))
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(it) if it.as_char() == wanted)
}

fn is_ident(token: &TokenTree, wanted: &str) -> bool {
    matches!(token, TokenTree::Ident(it) if it == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::said;

    /// Checks what is said about one line of code in `graph/node.rs`.
    fn check(code: &str, complaint: &str) {
        let said = said(imports_go_down, "graph/node.rs", code);
        assert_eq!(said.trim_end(), complaint, "{code}");
    }

    #[test]
    fn paths_that_go_down_or_stay_are_fine() {
        check(
            "use crate::error::{self, Error}; use crate::{types::Spec, kernels::{self, lanes::*}};",
            "",
        );
        check("use super::op::Op; use super::super::value::Value; use self::inner::X;", "");
        check(
            "pub use crate::graph::region::Region; use std::fmt; pub(in crate::graph) fn f() {}",
            "",
        );
        check("fn f(self: &Self) { crate::value::Value::from::<u8>(self.x as u8) }", "");
        check("#[cfg(test)] mod tests { use crate::plan::Plan; }", "");
        check("mod a { mod b { use super::super::super::op::Op; } }", "");
        check("/// See `crate::plan`.\nfn f() { \"crate::plan::Plan\"; }", "");
    }

    #[test]
    fn imports_that_go_up_are_found() {
        let up = "1: `graph` looks up at `plan`";
        check("use crate::plan::Plan;", up);
        check("use crate::plan;", up);
        check("use crate::plan as lower;", up);
        check("pub use crate::plan::*;", up);
        check("use crate::{error::Error, plan::{run::Run}};", up);
        check("use crate::{types::{Dim, Spec}, plan::{self, Run}};", &format!("{up}\n{up}"));
        check("use super::super::plan::Plan;", up);
        check("use self::super::super::plan::Plan;", up);
        check("mod inner { fn f() { super::super::super::plan::run(); } }", up);
        check("extern crate alloc; use graphfn::plan::Plan;", up);
        check("use ::graphfn::plan::Plan;", up);
    }

    #[test]
    fn paths_in_code_and_macros_that_go_up_are_found() {
        let up = "1: `graph` looks up at `plan`";
        check("fn f(plan: &crate::plan::Plan) {}", up);
        check("fn f() -> bool { [crate::plan::run()].is_empty() }", up);
        check("impl crate::plan::Runs for Node {}", up);
        check("fn f() { println!(\"{}\", crate::plan::VERSION); }", up);
        check("macro_rules! run { ($it:expr) => { $crate::plan::run($it) }; }", up);
        check("#[derive(crate::plan::Derive)] struct S;", up);
    }

    #[test]
    fn paths_that_hide_their_floor_are_found() {
        let root = "1: names the crate root: name a floor";
        check("use crate as all;", root);
        check("use crate::{self as all};", root);
        check("extern crate self as all;", root);
        check("use super::super as all;", root);
        check("use crate::*;", "1: `crate::*` hides its floor: name it by its own module");
        check("use super::super::*;", "1: `crate::*` hides its floor: name it by its own module");
        check("use crate::Plan;", "1: `crate::Plan` hides its floor: name it by its own module");
        check(
            "macro_rules! go { ($m:ident) => { $crate::$m::run() }; }",
            "1: `crate::$` hides its floor: name it by its own module",
        );
    }

    #[test]
    fn complaints_name_the_line() {
        check(
            "use crate::op::X;\n\nuse crate::{\n    error::Error,\n    trace::Trace,\n};",
            "1: `crate::op` hides its floor: name it by its own module\n5: `graph` looks up at `trace`",
        );
    }

    #[test]
    fn a_module_on_no_floor_is_found() {
        assert_eq!(
            said(imports_go_down, "common.rs", ""),
            "1: `common` is on no floor: add it to FLOORS\n"
        );
        assert_eq!(said(imports_go_down, "lib.rs", "pub use plan::Plan; use crate::plan;"), "");
    }
}
