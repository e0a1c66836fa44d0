//! Complaints: what is wrong, where, and one thing to do about it, gathered until the end.
//! Knows nothing of what is complained about.

use proc_macro2::TokenStream;
use quote::ToTokens;

/// All that is wrong with one item.
#[derive(Default)]
pub(crate) struct Complaints(Vec<syn::Error>);

impl Complaints {
    /// Adds a complaint about `at`.
    pub(crate) fn add(&mut self, at: impl ToTokens, what: impl AsRef<str>, help: impl AsRef<str>) {
        let text = format!("{}\nhelp: {}", what.as_ref(), help.as_ref());
        self.0.push(syn::Error::new_spanned(at, text));
    }

    /// Adds what the parser says, with what to write instead.
    pub(crate) fn add_syntax(&mut self, error: &syn::Error, help: &str) {
        self.0.push(syn::Error::new(error.span(), format!("{error}\nhelp: {help}")));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The complaints as `compile_error!` items.
    pub(crate) fn to_tokens(&self) -> TokenStream {
        self.0.iter().map(syn::Error::to_compile_error).collect()
    }

    #[cfg(test)]
    pub(crate) fn texts(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}

/// A help line for a name that is not known: the nearest known one, then all of them.
pub(crate) fn did_you_mean<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let list = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match known.iter().min_by_key(|name| distance(unknown, name)) {
        Some(near) if is_near(unknown, near) => {
            format!("did you mean `{near}`? known here: {list}")
        }
        Some(_) => format!("known here: {list}"),
        None => "there are none to name here".to_owned(),
    }
}

fn is_near(unknown: &str, known: &str) -> bool {
    distance(unknown, known) <= known.len().div_ceil(3)
}

/// Edits (insert, remove, replace) from one word to the other; 0 when one holds the other whole.
fn distance(a: &str, b: &str) -> usize {
    if b.len() > 3 && a.contains(b) {
        return 0;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        let help = |word| did_you_mean(word, ["assoc", "handle", "signature"].into_iter());
        assert_eq!(
            help("handel"),
            "did you mean `handle`? known here: `assoc`, `handle`, `signature`"
        );
        assert!(help("input_signature").starts_with("did you mean `signature`?"));
        assert_eq!(help("jit_compile"), "known here: `assoc`, `handle`, `signature`");
    }
}
