//! What every file of the source keeps besides its floor: size, docs, safety, honesty. Knows one file at a time.

use crate::source::{Complaint, Source};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The most lines of a file, unless it is listed in `LONG`.
const LINES: usize = 400;
/// The most lines of a listed file.
const MOST_LINES: usize = 600;
/// Files that are better long than split.
const LONG: &[&str] = &[];

/// Complains of long files.
pub fn files_are_short(source: &Source) -> Vec<Complaint> {
    let most = if LONG.contains(&source.path.as_str()) { MOST_LINES } else { LINES };
    let lines = source.lines.len();
    let text = format!("{lines} lines are too many, the most is {most}");
    (lines > most).then_some(Complaint { line: lines, text }).into_iter().collect()
}

/// Complains of globs that are shipped: they hide what a file uses and what it offers.
pub fn globs_are_named(source: &Source) -> Vec<Complaint> {
    #[derive(Default)]
    struct Globs(Vec<Complaint>);
    impl<'ast> Visit<'ast> for Globs {
        fn visit_use_glob(&mut self, glob: &'ast syn::UseGlob) {
            self.0.push(complaint(glob, "a glob hides names: write them out"));
        }
    }
    let mut globs = Globs::default();
    globs.visit_file(&source.shipped);
    globs.0
}

/// Complains of files that do not open with two sentences: what it is, and what it deliberately does not know.
pub fn modules_open_with_docs(source: &Source) -> Vec<Complaint> {
    let docs: Vec<&str> =
        source.lines.iter().map_while(|it| it.strip_prefix("//!")).map(str::trim).collect();
    let ends = |line: &&str| line.ends_with('.');
    let sentences =
        docs.join(" ").matches(". ").count() + docs.last().iter().filter(|it| ends(it)).count();
    let is_test = source.shipped.items.is_empty() && !source.file.items.is_empty();
    let silent = sentences < 2 && !source.is_root() && !is_test;
    let text = "opens without what it is and what it does not know".to_string();
    silent.then_some(Complaint { line: 1, text }).into_iter().collect()
}

/// Complains of what is not there yet, and of tests that do not run.
pub fn nothing_is_left_to_do(source: &Source) -> Vec<Complaint> {
    struct Stubs(Vec<Complaint>);
    impl<'ast> Visit<'ast> for Stubs {
        fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
            if attribute.path().is_ident("ignore") {
                self.0.push(complaint(attribute, "a test that is ignored tests nothing"));
            }
        }
    }
    let mut stubs = Stubs(Vec::new());
    stubs.visit_file(&source.file);
    each(source.file.to_token_stream(), &mut |tokens| {
        if let [TokenTree::Ident(name), TokenTree::Punct(bang), ..] = tokens
            && (name == "todo" || name == "unimplemented")
            && bang.as_char() == '!'
        {
            stubs.0.push(complaint(name, &format!("`{name}!` is not an answer")));
        }
    });
    stubs.0
}

/// Complains of code in `mod.rs`, which lists modules and what they offer.
pub fn roots_only_list(source: &Source) -> Vec<Complaint> {
    let items = source.shipped.items.iter().filter(|_| source.is_list());
    let code = items.filter(|item| match item {
        syn::Item::Mod(module) => module.content.is_some(),
        syn::Item::Use(_) | syn::Item::Macro(_) => false,
        _ => true,
    });
    code.map(|it| complaint(it, "`mod.rs` lists modules: move code to a file of its own")).collect()
}

/// Complains of source that comes from elsewhere, or macros that reach beyond their module unnamed.
pub fn sources_are_where_they_seem(source: &Source) -> Vec<Complaint> {
    struct Moved(Vec<Complaint>);
    impl<'ast> Visit<'ast> for Moved {
        fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
            if attribute.path().is_ident("path") || attribute.path().is_ident("macro_use") {
                self.0.push(complaint(attribute, "hides where something comes from"));
            }
        }

        fn visit_macro(&mut self, call: &'ast syn::Macro) {
            if call.path.is_ident("include") {
                self.0.push(complaint(call, "`include!` hides where something comes from"));
            }
            visit::visit_macro(self, call);
        }
    }
    let mut moved = Moved(Vec::new());
    moved.visit_file(&source.file);
    moved.0
}

/// Complains of `unsafe` blocks and impls without a `SAFETY` comment, which ends at most three lines above.
pub fn unsafe_is_argued_for(source: &Source) -> Vec<Complaint> {
    let mut found = Vec::new();
    each(source.file.to_token_stream(), &mut |tokens| {
        let [TokenTree::Ident(keyword), next, ..] = tokens else { return };
        let needs = match next {
            TokenTree::Group(block) => block.delimiter() == Delimiter::Brace,
            TokenTree::Ident(next) => next == "impl",
            _ => false,
        };
        if keyword == "unsafe" && needs && !is_argued(source, keyword.span().start().line) {
            found.push(complaint(keyword, "`unsafe` without a `SAFETY` comment"));
        }
    });
    found
}

/// Complains of `unwrap` where users may run into it.
pub fn unwrap_stays_in_tests(source: &Source) -> Vec<Complaint> {
    let mut found = Vec::new();
    each(source.shipped_tokens(), &mut |tokens| {
        if let [TokenTree::Ident(name), ..] = tokens
            && name == "unwrap"
        {
            found.push(complaint(name, "`unwrap` says nothing: `expect` says why it holds"));
        }
    });
    found
}

/// Whether the nearest comment, which ends at most three lines above this line, argues for safety.
fn is_argued(source: &Source, line: usize) -> bool {
    let is_comment = |line: &&String| line.trim_start().starts_with("//");
    let above = || source.lines[..line - 1].iter().rev();
    let Some(nearest) = above().take(3).position(|it| is_comment(&it)) else { return false };
    above().skip(nearest).take_while(is_comment).any(|it| it.contains("// SAFETY:"))
}

/// Hands over the rest of the tokens from each token on, in each group.
fn each(tokens: TokenStream, on_rest: &mut dyn FnMut(&[TokenTree])) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for at in 0..tokens.len() {
        on_rest(&tokens[at..]);
        if let TokenTree::Group(group) = &tokens[at] {
            each(group.stream(), on_rest);
        }
    }
}

/// Where `Op::lower` may be called: where its answer is checked, and by an op that answers for another.
const LOWERING: &[&str] = &["graph/lower.rs", "autodiff/overrides.rs"];

/// Complains of lowerings that are taken as they are: kernels trust them.
pub fn lowering_is_checked(source: &Source) -> Vec<Complaint> {
    struct Calls(Vec<Complaint>);
    impl<'ast> Visit<'ast> for Calls {
        fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
            if call.method == "lower" {
                self.0.push(complaint(&call.method, "ask `OpRef::lowered`, which checks"));
            }
            visit::visit_expr_method_call(self, call);
        }
    }
    let mut calls = Calls(Vec::new());
    if !LOWERING.contains(&source.path.as_str()) {
        calls.visit_file(&source.shipped);
    }
    calls.0
}

fn complaint(at: &impl Spanned, text: &str) -> Complaint {
    Complaint { line: at.span().start().line, text: text.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rule, said};

    /// Checks on which lines a rule complains.
    fn check(rule: Rule, path: &str, text: &str, lines: &[usize]) {
        let said = said(rule, path, text);
        let found = said.lines().map(|it| it.split(':').next().unwrap().parse().unwrap());
        assert_eq!(found.collect::<Vec<usize>>(), lines, "{text}\n{said}");
    }

    #[test]
    fn long_files_are_found() {
        check(files_are_short, "a.rs", &"\n".repeat(LINES), &[]);
        check(files_are_short, "a.rs", &"\n".repeat(LINES + 1), &[LINES + 1]);
    }

    #[test]
    fn globs_are_found_but_in_tests() {
        check(globs_are_named, "a.rs", "use b::c;\nuse b::*;\npub use c::{d, e::*};", &[2, 3]);
        check(globs_are_named, "a.rs", "#[cfg(test)]\nmod tests { use super::*; }", &[]);
    }

    #[test]
    fn files_without_docs_are_found() {
        let rule = modules_open_with_docs;
        check(rule, "a.rs", "//! What it is. What it does not know.\nfn f() {}", &[]);
        check(rule, "a.rs", "//! What it is,\n//! in short. And what\n//! it does not know.", &[]);
        check(rule, "a.rs", "//! What it is (v1.5), and\n//! what it does not know.", &[1]);
        check(rule, "a.rs", "/// A function. It is documented.\nfn f() {}", &[1]);
        check(rule, "a.rs", "fn f() {}", &[1]);
        check(rule, "lib.rs", "fn f() {}", &[]);
    }

    #[test]
    fn stubs_and_ignored_tests_are_found() {
        let rule = nothing_is_left_to_do;
        check(rule, "a.rs", "fn f() {\n    todo!()\n}\nfn g() { unimplemented!(\"x\") }", &[2, 4]);
        check(rule, "a.rs", "macro_rules! m {\n    () => { todo!() };\n}", &[2]);
        check(
            rule,
            "a.rs",
            "mod tests {\n    #[test]\n    #[ignore = \"slow\"]\n    fn f() {}\n}",
            &[3],
        );
        check(rule, "a.rs", "/// Not todo!().\nfn todo() { \"todo!()\"; todo() }", &[]);
    }

    #[test]
    fn code_in_lists_is_found() {
        let list =
            "//! Docs.\nmod a;\npub use a::A;\nmacro_rules! m { () => {} }\npub(crate) use m;";
        check(roots_only_list, "b/mod.rs", list, &[]);
        check(
            roots_only_list,
            "b/mod.rs",
            "mod a;\nfn f() {}\nmod c { }\nconst D: u8 = 0;",
            &[2, 3, 4],
        );
        check(roots_only_list, "b/c.rs", "fn f() {}", &[]);
    }

    #[test]
    fn source_from_elsewhere_is_found() {
        let rule = sources_are_where_they_seem;
        check(rule, "a.rs", "mod b;\n#[path = \"../plan.rs\"]\nmod c;", &[2]);
        check(rule, "a.rs", "#[macro_use]\nmod b;\nfn f() {\n    include!(\"x.rs\")\n}", &[1, 4]);
    }

    #[test]
    fn unsafe_without_an_argument_is_found() {
        let rule = unsafe_is_argued_for;
        check(rule, "a.rs", "fn f() {\n    unsafe { g() }\n}\nunsafe impl Send for S {}", &[2, 4]);
        check(rule, "a.rs", "// SAFETY: it is.\nunsafe impl Send for S {}", &[]);
        check(
            rule,
            "a.rs",
            "fn f() {\n// SAFETY: a\n// b\n// c\n// d\n// e\nlet x =\nunsafe { g() };\n}",
            &[],
        );
        check(rule, "a.rs", "// SAFETY: it is.\n\n\n\n\nfn f() { unsafe { g() } }", &[6]);
        check(rule, "a.rs", "// Not an argument.\nfn f() { unsafe { g() } }", &[2]);
        check(rule, "a.rs", "macro_rules! m {\n    () => { unsafe { g() } };\n}", &[2]);
        check(rule, "a.rs", "/// # Safety\n/// None.\nunsafe fn f(g: unsafe fn()) {}", &[]);
        check(rule, "a.rs", "#[cfg(test)]\nmod tests {\n    fn f() { unsafe { g() } }\n}", &[3]);
    }

    #[test]
    fn lowerings_that_are_not_checked_are_found() {
        let text = "fn f() {\n    op.lower(a, b);\n    op.lowered(a, b);\n}";
        check(lowering_is_checked, "plan/fuse.rs", text, &[2]);
        check(lowering_is_checked, "graph/lower.rs", text, &[]);
    }

    #[test]
    fn unwrap_is_found_but_in_tests() {
        let rule = unwrap_stays_in_tests;
        check(rule, "a.rs", "fn f() {\n    g().unwrap();\n    h.map(Option::unwrap)\n}", &[2, 3]);
        check(rule, "a.rs", "macro_rules! m {\n    () => { x.unwrap() };\n}", &[2]);
        check(rule, "a.rs", "fn f() { g().unwrap_or(1); h().expect(\"unwrap\") }", &[]);
        check(rule, "a.rs", "#[cfg(test)]\nmod tests {\n    fn f() { g().unwrap() }\n}", &[]);
    }
}
