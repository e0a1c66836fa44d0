//! `einsum!`: the letters of its literal, read and checked, and the one call that they become.
//! Does not know what operands are; their sizes are the runtime's to compare.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, LitStr, Token};

use crate::complaint::Complaints;
use crate::hygiene;

/// Stands for `...` in what the runtime gets.
const REST: char = '.';

/// `"ij,jk->ik", &a, &b`.
struct Call {
    equation: LitStr,
    operands: Punctuated<Expr, Token![,]>,
}

impl Parse for Call {
    fn parse(input: ParseStream) -> syn::Result<Call> {
        let equation = input.parse()?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        Ok(Call { equation, operands: Punctuated::parse_terminated(input)? })
    }
}

/// What a literal says.
#[derive(Debug, PartialEq)]
struct Equation {
    terms: Vec<String>,
    output: String,
}

/// What is wrong with a literal, and what to do about it.
type Wrong = (String, String);

/// The call in the runtime, or one complaint.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    let mut complaints = Complaints::default();
    let call = match syn::parse2::<Call>(tokens) {
        Ok(call) => call,
        Err(error) => {
            complaints.add_syntax(&error, "write `einsum!(\"ij,jk->ik\", &a, &b)`");
            return complaints.to_tokens();
        }
    };
    let Call { equation, operands } = &call;
    let read = read(&equation.value()).and_then(|it| counted(it, operands.len()));
    match read {
        Ok(Equation { terms, output }) => {
            let place = hygiene::at(equation.span());
            let operands = operands.iter();
            let call = quote_spanned!(place=> ::graphfn::__private::einsum);
            quote!(#call(&[#(#terms),*], #output, &[#(::graphfn::__private::term(#operands)),*]))
        }
        Err((what, help)) => {
            complaints.add(equation, what, help);
            complaints.to_tokens()
        }
    }
}

/// The equation, if there are as many operands as terms.
fn counted(equation: Equation, operands: usize) -> Result<Equation, Wrong> {
    let terms = equation.terms.len();
    if terms == operands {
        return Ok(equation);
    }
    let what = format!(
        "the equation has {}, the call {}",
        several(terms, "term"),
        several(operands, "operand")
    );
    Err((what, "give each term one operand; commas part the terms".to_owned()))
}

fn several(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Reads a literal.
fn read(text: &str) -> Result<Equation, Wrong> {
    let text: String = text.chars().filter(|it| *it != ' ').collect();
    if text.is_empty() {
        let help = "write a letter for each axis, as in \"ij,jk->ik\"; a scalar is \"->\"";
        return Err(("the equation is empty".to_owned(), help.to_owned()));
    }
    let (terms, output) = match text.split_once("->") {
        Some((terms, output)) => (terms, Some(output)),
        None => (text.as_str(), None),
    };
    let terms = terms.split(',').map(letters).collect::<Result<Vec<String>, Wrong>>()?;
    let output = match output {
        Some(output) => letters(output)?,
        None => implied(&terms),
    };
    check_output(&terms, &output)?;
    Ok(Equation { terms, output })
}

/// A term with one full stop for its `...`.
fn letters(term: &str) -> Result<String, Wrong> {
    let short = term.replacen("...", &REST.to_string(), 1);
    let mut has_rest = false;
    for letter in short.chars() {
        let is_rest = letter == REST && term.contains("...") && !has_rest;
        has_rest |= is_rest;
        if !(is_rest || letter.is_ascii_alphabetic()) {
            let what = format!("an axis cannot be called `{letter}`");
            let help = "use letters from `a` to `z` and `A` to `Z`, commas between terms, one `->`, and one `...` in a term";
            return Err((what, help.to_owned()));
        }
    }
    Ok(short)
}

/// The output of an equation without one: what has no letter, and the letters that are there once, in order.
fn implied(terms: &[String]) -> String {
    let all: String = terms.concat();
    let mut once: Vec<char> =
        all.chars().filter(|it| *it != REST && all.matches(*it).count() == 1).collect();
    once.sort_unstable();
    let rest = all.contains(REST).then_some(REST);
    rest.into_iter().chain(once).collect()
}

fn check_output(terms: &[String], output: &str) -> Result<(), Wrong> {
    for (at, letter) in output.char_indices() {
        if output[..at].contains(letter) {
            let what = format!("the output has `{letter}` twice");
            return Err((
                what,
                "name each axis of the result once; for a diagonal matrix use `diag`".to_owned(),
            ));
        }
        if letter != REST && !terms.iter().any(|it| it.contains(letter)) {
            let what = format!("no term has the output's `{letter}`");
            return Err((what, "the axes of the result are axes of operands".to_owned()));
        }
    }
    match (terms.iter().any(|it| it.contains(REST)), output.contains(REST)) {
        (true, false) => Err((
            "a term has `...` and the output has not".to_owned(),
            "axes without a letter are kept: write `...` in the output too, or give them letters"
                .to_owned(),
        )),
        (false, true) => Err((
            "the output has `...` and no term has".to_owned(),
            "write `...` in a term too, or leave it out".to_owned(),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_read_and_an_output_is_implied() {
        let is = |text: &str, terms: &[&str], output: &str| {
            let terms = terms.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(read(text), Ok(Equation { terms, output: output.to_owned() }));
        };
        is("bij, bjk -> bik", &["bij", "bjk"], "bik");
        is("ij,jk", &["ij", "jk"], "ik");
        is("ba", &["ba"], "ab");
        is("ii", &["ii"], "");
        is("...ij,j...", &[".ij", "j."], ".i");
        is(",a->a", &["", "a"], "a");
        is("->", &[""], "");
    }

    #[test]
    fn each_mistake_is_named() {
        let is = |text: &str, what: &str| assert_eq!(read(text).unwrap_err().0, what);
        is("", "the equation is empty");
        is("  ", "the equation is empty");
        is("ij->ik", "no term has the output's `k`");
        is("ij->ii", "the output has `i` twice");
        is("i1->i", "an axis cannot be called `1`");
        is("i->j->k", "an axis cannot be called `-`");
        is("i..->i", "an axis cannot be called `.`");
        is("......i->i", "an axis cannot be called `.`");
        is("...i->i", "a term has `...` and the output has not");
        is("i->...i", "the output has `...` and no term has");
        let equation = read("ij,jk->ik").unwrap();
        assert_eq!(
            counted(equation, 1).unwrap_err().0,
            "the equation has 2 terms, the call 1 operand"
        );
    }
}
