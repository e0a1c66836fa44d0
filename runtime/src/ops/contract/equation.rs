//! What an einsum says: the axes of each operand as letters, and those of the result. Knows text, and no tensor.

use super::labelled::Label;
use crate::error::{Error, ErrorKind, Result};

/// Stands for the axes that have no letter: `...` in the user's text.
const REST: u8 = b'.';

/// The axes of operands and result. The macro has checked it; of graph text it is checked again when it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Equation {
    terms: Vec<String>,
    output: String,
}

impl Equation {
    /// That of terms of letters and full stops, each of which stands for the axes that have no letter.
    pub fn new(terms: &[&str], output: &str) -> Equation {
        Equation {
            terms: terms.iter().map(|it| (*it).to_string()).collect(),
            output: output.into(),
        }
    }

    /// As TensorFlow and NumPy write it.
    pub fn text(&self) -> String {
        let text = format!("{}->{}", self.terms.join(","), self.output);
        text.replace(char::from(REST), "...")
    }

    /// Reads what [`Equation::text`] writes.
    ///
    /// # Errors
    /// If it is not like that.
    pub fn parse(text: &str) -> Result<Equation> {
        let short = text.replace("...", ".");
        let wrong = || {
            let message = format!("attribute `equation` is {text:?}, which is no equation");
            Error::new(ErrorKind::Format, message).with_help("write it as `ij,jk->ik`")
        };
        let (terms, output) = short.split_once("->").ok_or_else(wrong)?;
        let equation = Equation::new(&terms.split(',').collect::<Vec<_>>(), output);
        let all = |term: &str| term.bytes().all(|it| it.is_ascii_alphabetic() || it == REST);
        let once = |term: &str| term.matches(char::from(REST)).count() <= 1;
        let is_known = |at: usize| {
            let (letter, before) = (output.as_bytes()[at], &output.as_bytes()[..at]);
            terms.as_bytes().contains(&letter) && !before.contains(&letter)
        };
        let has_rest = terms.as_bytes().contains(&REST) == output.as_bytes().contains(&REST);
        let fits = equation.terms.iter().chain([&equation.output]).all(|it| all(it) && once(it));
        if fits && has_rest && (0..output.len()).all(is_known) {
            Ok(equation)
        } else {
            Err(wrong())
        }
    }

    /// How many operands there are.
    pub fn count(&self) -> usize {
        self.terms.len()
    }

    /// The labels of an operand's axes.
    ///
    /// # Errors
    /// If it has another number of axes.
    pub fn labels(&self, operand: usize, rank: usize) -> Result<Vec<Label>> {
        let term = &self.terms[operand];
        let letters = term.bytes().filter(|it| *it != REST).count();
        let has_rest = letters < term.len();
        if rank < letters || (rank > letters && !has_rest) {
            let term = term.replace(char::from(REST), "...");
            let message = format!(
                "`einsum` needs an axis for each letter of `{term}`, found {rank} axes in operand {operand}"
            );
            return Err(Error::new(ErrorKind::Shape, message)
                .with_help("`...` stands for axes that have no letter, as in `...ij,jk->...ik`"));
        }
        Ok(spelled(term, rank - letters))
    }

    /// The labels of the result's axes, where so many have no letter.
    pub fn output(&self, rest: usize) -> Vec<Label> {
        spelled(&self.output, rest)
    }

    /// How many axes of operands of these ranks have no letter, at most.
    pub fn rest(&self, ranks: impl Iterator<Item = usize>) -> usize {
        let letters = |term: &String| term.bytes().filter(|it| *it != REST).count();
        let rests =
            self.terms.iter().zip(ranks).map(|(term, rank)| rank.saturating_sub(letters(term)));
        rests.max().unwrap_or(0)
    }
}

/// A term's labels; axes without a letter are counted from the last.
fn spelled(term: &str, rest: usize) -> Vec<Label> {
    let labels = term.bytes().flat_map(|it| match it {
        REST => (0..rest).rev().map(Label::Rest).collect(),
        letter => vec![Label::Letter(letter)],
    });
    labels.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for text in ["ij,jk->ik", "...ij,j->...i", "ii->", ",a->a", "->", "aB->Ba"] {
            assert_eq!(Equation::parse(text).unwrap().text(), text);
        }
    }

    #[test]
    fn what_is_no_equation_is_refused() {
        for text in ["ij,jk", "ij->ii", "ij->k", "i1->i", "...i->i", "i......->...", "i.->i"] {
            let error = Equation::parse(text).map(|it| it.text()).unwrap_err();
            assert_eq!(
                error.message(),
                format!("attribute `equation` is {text:?}, which is no equation")
            );
        }
    }
}
