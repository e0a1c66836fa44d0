//! The options in `#[graph_fn(..)]`, each read on its own so that one mistake hides no other.
//! Does not know what item the options stand on.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{LitBool, Token};

use crate::complaint::{Complaints, did_you_mean};
use crate::declared::{self, Declared};

const KNOWN: [&str; 5] = ["assoc", "autograph", "handle", "in_trait", "signature"];

/// What the user asked for. The words as written are kept, for complaints about them.
pub(crate) struct Options {
    pub(crate) assoc: Option<Ident>,
    pub(crate) in_trait: Option<Ident>,
    pub(crate) handle: Handle,
    pub(crate) signature: Vec<Declared>,
    /// Whether control flow on tensors may be rewritten.
    pub(crate) autograph: bool,
}

/// What the handle of a free function is called.
pub(crate) enum Handle {
    /// Like the function.
    Own,
    /// `handle = Name`.
    Named(Ident),
    /// `handle = none`, with the word `none` as written.
    None(Ident),
}

impl Options {
    /// Reads the options; what cannot be read is complained about and left at its default.
    pub(crate) fn parse(tokens: TokenStream, complaints: &mut Complaints) -> Options {
        let mut options = Options {
            assoc: None,
            in_trait: None,
            handle: Handle::Own,
            signature: vec![],
            autograph: true,
        };
        let mut seen: Vec<String> = vec![];
        for entry in split_at_commas(tokens) {
            let Ok(Entry { name, value }) = syn::parse2::<Entry>(entry.clone()) else {
                complaints.add(entry, "an option starts with its name", known_options());
                continue;
            };
            let word = name.to_string();
            if seen.contains(&word) {
                complaints.add(&name, format!("`{word}` is given twice"), "keep one of the two");
                continue;
            }
            options.set(&name, value, complaints);
            seen.push(word);
        }
        options
    }

    fn set(&mut self, name: &Ident, value: TokenStream, complaints: &mut Complaints) {
        match name.to_string().as_str() {
            "assoc" => self.assoc = flag(name, &value, complaints),
            "in_trait" => self.in_trait = flag(name, &value, complaints),
            "autograph" => match syn::parse2::<Assigned<LitBool>>(value) {
                Ok(Assigned(switch)) => self.autograph = switch.value,
                Err(_) => complaints.add(
                    name,
                    "`autograph` takes `true` or `false`",
                    "write `autograph = false`",
                ),
            },
            "handle" => match syn::parse2::<Assigned<Ident>>(value) {
                Ok(Assigned(none)) if none == "none" => self.handle = Handle::None(none),
                Ok(Assigned(chosen)) => self.handle = Handle::Named(chosen),
                Err(_) => complaints.add(
                    name,
                    "`handle` takes a name",
                    "write `handle = Name`, or `handle = none`",
                ),
            },
            "signature" => match parenthesised(value) {
                Some(entries) => self.signature = declared::parse(entries, complaints),
                None => complaints.add(
                    name,
                    "`signature` takes parameters in parentheses",
                    "write `signature(x: f32[?, 784], y: i32[n])`",
                ),
            },
            unknown => complaints.add(
                name,
                format!("`#[graph_fn]` has no option `{unknown}`"),
                did_you_mean(unknown, KNOWN.into_iter()),
            ),
        }
    }
}

/// An option: a name and what follows it.
struct Entry {
    name: Ident,
    value: TokenStream,
}

impl Parse for Entry {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        Ok(Entry { name: input.parse()?, value: input.parse()? })
    }
}

/// `= value`.
struct Assigned<T>(T);

impl<T: Parse> Parse for Assigned<T> {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        input.parse::<Token![=]>()?;
        input.parse().map(Assigned)
    }
}

fn flag(name: &Ident, value: &TokenStream, complaints: &mut Complaints) -> Option<Ident> {
    if !value.is_empty() {
        complaints.add(name, format!("`{name}` takes no value"), format!("write `{name}` alone"));
    }
    Some(name.clone())
}

fn parenthesised(tokens: TokenStream) -> Option<TokenStream> {
    let mut tokens = tokens.into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::Parenthesis => {
            Some(group.stream())
        }
        _ => None,
    }
}

fn split_at_commas(tokens: TokenStream) -> Vec<TokenStream> {
    let mut entries = vec![TokenStream::new()];
    for token in tokens {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ',' => entries.push(TokenStream::new()),
            other => entries.last_mut().expect("there is always a last one").extend([other]),
        }
    }
    entries.retain(|entry| !entry.is_empty());
    entries
}

fn known_options() -> String {
    did_you_mean("", KNOWN.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn complaints(tokens: TokenStream) -> Vec<String> {
        let mut complaints = Complaints::default();
        Options::parse(tokens, &mut complaints);
        complaints.texts()
    }

    #[test]
    fn all_options_are_read() {
        let mut complaints = Complaints::default();
        let tokens = quote!(handle = Add, autograph = false, signature(x: f32[?, 3]), assoc);
        let options = Options::parse(tokens, &mut complaints);
        assert!(complaints.is_empty());
        assert!(matches!(options.handle, Handle::Named(name) if name == "Add"));
        assert_eq!(options.signature.len(), 1);
        assert!(options.assoc.is_some() && options.in_trait.is_none());
    }

    #[test]
    fn all_mistakes_are_told_at_once() {
        let texts = complaints(quote!(handel = Add, assoc, assoc, autograph = 3, in_trait = 1));
        assert_eq!(
            texts,
            [
                "`#[graph_fn]` has no option `handel`\nhelp: did you mean `handle`? known here: \
                 `assoc`, `autograph`, `handle`, `in_trait`, `signature`",
                "`assoc` is given twice\nhelp: keep one of the two",
                "`autograph` takes `true` or `false`\nhelp: write `autograph = false`",
                "`in_trait` takes no value\nhelp: write `in_trait` alone",
            ]
        );
    }
}
