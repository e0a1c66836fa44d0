//! A file of the source as text and as syntax, and the reading of a folder of them. Knows no rule.

use proc_macro2::TokenStream;
use quote::ToTokens;
use std::fs;
use std::path::Path;
use syn::visit_mut::{self, VisitMut};

/// What a rule has against a line.
pub struct Complaint {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub text: String,
}

/// A file of the source.
pub struct Source {
    /// Where it is, below the folder of its crate: `value/lock.rs`.
    pub path: String,
    /// Its text.
    pub lines: Vec<String>,
    /// Its syntax.
    pub file: syn::File,
    /// Its syntax without `#[cfg(test)]` parts; nothing if it is all tests.
    pub shipped: syn::File,
}

impl Source {
    /// The file with this text.
    pub fn parse(path: &str, text: &str) -> Source {
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut shipped = file.clone();
        WithoutTests.visit_file_mut(&mut shipped);
        let lines = text.lines().map(String::from).collect();
        Source { path: path.to_string(), lines, file, shipped }
    }

    /// The module it is: `["value", "lock"]`; nothing for the crate root.
    pub fn module(&self) -> Vec<String> {
        let path = self.path.strip_suffix(".rs").expect("only Rust files are read");
        path.split('/').filter(|it| !matches!(*it, "lib" | "mod")).map(String::from).collect()
    }

    /// Whether it is the root of its crate.
    pub fn is_root(&self) -> bool {
        self.path == "lib.rs"
    }

    /// Whether it is the list of a folder's modules.
    pub fn is_list(&self) -> bool {
        self.path.ends_with("mod.rs")
    }

    /// Its tokens, without tests.
    pub fn shipped_tokens(&self) -> TokenStream {
        self.shipped.to_token_stream()
    }

    /// The modules of their own files that it has only while testing.
    fn test_modules(&self) -> Vec<Vec<String>> {
        let tests = self.file.items.iter().filter_map(|item| match item {
            syn::Item::Mod(it) if it.content.is_none() && is_for_tests(&it.attrs) => {
                Some(it.ident.to_string())
            }
            _ => None,
        });
        tests.map(|name| self.module().into_iter().chain([name]).collect()).collect()
    }
}

/// All the Rust files below a folder, in the order of their paths; not those of `ui`, which are wrong on purpose.
pub fn read_all(folder: &Path) -> Vec<Source> {
    let mut sources = Vec::new();
    read_below(folder, "", &mut sources);
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    let tests: Vec<Vec<String>> = sources.iter().flat_map(Source::test_modules).collect();
    for source in &mut sources {
        if tests.iter().any(|it| source.module().starts_with(it)) {
            source.shipped.items.clear();
        }
    }
    sources
}

fn read_below(folder: &Path, prefix: &str, sources: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().expect("it was listed by name").to_string_lossy();
        if name == "ui" {
            continue;
        } else if path.is_dir() {
            read_below(&path, &format!("{prefix}{name}/"), sources);
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).expect("source is text");
            sources.push(Source::parse(&format!("{prefix}{name}"), &text));
        }
    }
}

struct WithoutTests;

impl VisitMut for WithoutTests {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        file.items.retain(|it| !is_for_tests(attributes(it)));
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            items.retain(|it| !is_for_tests(attributes(it)));
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_item_impl_mut(&mut self, block: &mut syn::ItemImpl) {
        block.items.retain(|it| !matches!(it, syn::ImplItem::Fn(it) if is_for_tests(&it.attrs)));
        visit_mut::visit_item_impl_mut(self, block);
    }
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(it) => &it.attrs,
        syn::Item::Fn(it) => &it.attrs,
        syn::Item::Impl(it) => &it.attrs,
        syn::Item::Macro(it) => &it.attrs,
        syn::Item::Mod(it) => &it.attrs,
        syn::Item::Struct(it) => &it.attrs,
        syn::Item::Use(it) => &it.attrs,
        _ => &[],
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|it| {
        it.path().is_ident("cfg")
            && it.parse_args::<syn::Path>().is_ok_and(|it| it.is_ident("test"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_not_shipped() {
        let text = "use a::b; #[cfg(test)] mod t { use c::d; } \
                    mod m { #[cfg(test)] fn e() {} } \
                    impl S { #[cfg(test)] fn f() {} fn g() {} } \
                    #[cfg(not(test))] fn h() {}";
        let shipped = Source::parse("x.rs", text).shipped_tokens().to_string();
        let left: Vec<bool> =
            "abcdefgh".chars().map(|it| shipped.contains(&format!(" {it} "))).collect();
        assert_eq!(left, [true, true, false, false, false, false, true, true], "{shipped}");
    }

    #[test]
    fn files_know_their_module() {
        let module = |path| Source::parse(path, "").module().join("::");
        assert_eq!(module("value/lock.rs"), "value::lock");
        assert_eq!(module("value/mod.rs"), "value");
        assert_eq!(module("lib.rs"), "");
        let list = Source::parse("value/mod.rs", "#[cfg(test)] mod tests; mod lock;");
        assert_eq!(list.test_modules(), [["value", "tests"]]);
    }
}
