//! The option `signature(x: f32[?, 784], y: i32[n])`: element types and sizes written by the user.
//! Does not know what a signature is matched against.

use proc_macro2::{Ident, TokenStream};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{LitInt, Token, bracketed};

use crate::complaint::{Complaints, did_you_mean};

const DTYPES: [&str; 6] = ["f32", "f64", "i32", "i64", "u8", "bool"];
const NOT_A_SIZE: &str = "a size is a number, `?` or a name";
const EXAMPLE: &str = "write `signature(x: f32[?, 784], y: i32[n])`";

/// One entry: what a parameter is declared to be.
pub(crate) struct Declared {
    pub(crate) name: Ident,
    pub(crate) dtype: Ident,
    pub(crate) dims: Vec<DeclaredDim>,
}

/// One size of an entry.
pub(crate) enum DeclaredDim {
    /// `784`: this size.
    Known(LitInt),
    /// `?`: any size.
    Unknown,
    /// `n`: any size, the same wherever `n` stands.
    Named(Ident),
}

/// Reads what stands between the parentheses.
pub(crate) fn parse(tokens: TokenStream, complaints: &mut Complaints) -> Vec<Declared> {
    let entries = Punctuated::<Declared, Token![,]>::parse_terminated.parse2(tokens);
    let entries: Vec<Declared> = match entries {
        Ok(entries) => entries.into_iter().collect(),
        Err(error) => {
            complaints.add_syntax(&error, EXAMPLE);
            return vec![];
        }
    };
    for (i, entry) in entries.iter().enumerate() {
        if entries[..i].iter().any(|earlier| earlier.name == entry.name) {
            let what = format!("`{}` is declared twice in `signature`", entry.name);
            complaints.add(&entry.name, what, "keep one of the two");
        }
        let dtype = entry.dtype.to_string();
        if !DTYPES.contains(&dtype.as_str()) {
            let what = format!("`{dtype}` is not an element type of a tensor");
            complaints.add(&entry.dtype, what, did_you_mean(&dtype, DTYPES.into_iter()));
        }
    }
    entries
}

impl Parse for Declared {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let dtype = input.parse()?;
        let dims = if input.peek(syn::token::Bracket) {
            let sizes;
            bracketed!(sizes in input);
            Punctuated::<DeclaredDim, Token![,]>::parse_terminated(&sizes)?.into_iter().collect()
        } else {
            vec![]
        };
        Ok(Declared { name, dtype, dims })
    }
}

impl Parse for DeclaredDim {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if input.parse::<Option<Token![?]>>()?.is_some() {
            return Ok(DeclaredDim::Unknown);
        }
        if input.peek(LitInt) {
            let size: LitInt = input.parse()?;
            return match size.base10_parse::<usize>() {
                Ok(_) => Ok(DeclaredDim::Known(size)),
                Err(_) => Err(syn::Error::new(size.span(), NOT_A_SIZE)),
            };
        }
        let name = input.parse::<Ident>();
        let name = name.map_err(|error| syn::Error::new(error.span(), NOT_A_SIZE))?;
        Ok(DeclaredDim::Named(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn complaints(tokens: TokenStream) -> Vec<String> {
        let mut complaints = Complaints::default();
        parse(tokens, &mut complaints);
        complaints.texts()
    }

    #[test]
    fn sizes_are_numbers_question_marks_and_names() {
        let entries = parse(quote!(x: f32[?, 784], y: i32[n], z: f64), &mut Complaints::default());
        assert_eq!(entries.len(), 3);
        assert!(matches!(&entries[0].dims[..], [DeclaredDim::Unknown, DeclaredDim::Known(_)]));
        assert!(matches!(&entries[1].dims[..], [DeclaredDim::Named(name)] if name == "n"));
        assert!(entries[2].dims.is_empty());
    }

    #[test]
    fn each_mistake_has_its_own_message() {
        assert_eq!(
            complaints(quote!(x: f3[2], x: f32)),
            [
                "`f3` is not an element type of a tensor\nhelp: did you mean `f32`? \
                 known here: `f32`, `f64`, `i32`, `i64`, `u8`, `bool`",
                "`x` is declared twice in `signature`\nhelp: keep one of the two",
            ]
        );
        assert!(complaints(quote!(x: f32[-1]))[0].starts_with("a size is a number, `?` or a name"));
    }
}
