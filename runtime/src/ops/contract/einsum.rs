//! Sums of products, said with a letter for each axis. Knows what the letters ask for; two operands at a time do it.

use super::equation::Equation;
use super::labelled::{Label, Labelled, product};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attr, Attrs, Entry, Lowered, Op, Parsed, Sample, Specs, Tensor, apply, or_raise, raise,
};
use crate::ops::operand::Operand;
use crate::ops::pure::pure;
use crate::ops::rows::{check_type, different_types};
use crate::ops::samples::{call, varied};
use crate::types::{DType, Dim, Shape, Spec};
use smallvec::smallvec;

/// The types that sums keep.
const TYPES: &[DType] = &[DType::F32, DType::F64, DType::I32, DType::I64];

/// What the macro `einsum!` calls: terms of letters, `.` for the axes that have none, all checked.
#[track_caller]
pub fn einsum(terms: &[&str], output: &str, operands: &[Tensor]) -> Tensor {
    let operands: Vec<&Tensor> = operands.iter().collect();
    apply(Einsum { equation: Equation::new(terms, output) }, &operands, "einsum")
}

/// An operand of `einsum!`.
#[track_caller]
pub fn term(operand: impl Operand) -> Tensor {
    let Some(dtype) = operand.own_type() else {
        let message = "`einsum` cannot tell the element type of a bare number";
        raise(
            Error::new(ErrorKind::Type, message).with_help("give it one: `Tensor::from(2.0f32)`"),
        );
    };
    or_raise(operand.operand(dtype)).into_owned()
}

/// A sum of products over labelled axes.
#[derive(Debug)]
struct Einsum {
    equation: Equation,
}

/// A label, its size, and the operand that it is from.
type Sized = (Label, Dim, usize);

impl Einsum {
    /// The size of each label, once.
    ///
    /// # Errors
    /// If an operand has another number of axes, or a label two sizes.
    fn sizes(&self, operands: &[Spec]) -> Result<Vec<Sized>> {
        let mut sizes: Vec<Sized> = Vec::new();
        for (operand, spec) in operands.iter().enumerate() {
            for (label, size) in
                self.equation.labels(operand, spec.rank())?.into_iter().zip(spec.shape().dims())
            {
                let found = sizes.iter_mut().find(|it| it.0 == label);
                match (found, label) {
                    (None, _) => sizes.push((label, size.clone(), operand)),
                    (Some((_, known, _)), _) if known == size => {}
                    // Axes without a letter broadcast.
                    (Some(_), Label::Rest(_)) if *size == 1 => {}
                    (Some(known), Label::Rest(_)) if known.1 == 1 => {
                        *known = (label, size.clone(), operand)
                    }
                    (Some(known), _) => return Err(two_sizes(known, size, operand)),
                }
            }
        }
        Ok(sizes)
    }

    /// The labels of the result.
    fn output(&self, operands: &[Spec]) -> Vec<Label> {
        self.equation.output(self.equation.rest(operands.iter().map(|it| it.rank())))
    }
}

fn two_sizes((label, known, before): &Sized, size: &Dim, operand: usize) -> Error {
    let name = match label {
        Label::Letter(letter) => char::from(*letter).to_string(),
        _ => "...".to_string(),
    };
    let message = format!(
        "`einsum` needs one size for `{name}`, found {known} in operand {before} and {size} in operand {operand}"
    );
    let help = if known.known().is_some() && size.known().is_some() {
        "axes of one letter have one size; use another letter, or `broadcast_to`"
    } else {
        "whether they are equal is not known while tracing: give equal sizes one name in the signature"
    };
    Error::new(ErrorKind::Shape, message).with_help(help)
}

impl Op for Einsum {
    fn name(&self) -> &'static str {
        "Einsum"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("equation", Attr::Text(self.equation.text()))
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        if inputs.len() != self.equation.count() {
            let (wanted, found) = (self.equation.count(), inputs.len());
            let message =
                format!("`einsum` needs an operand for each of {wanted} terms, found {found}");
            return Err(Error::new(ErrorKind::Format, message).with_help("commas part the terms"));
        }
        for input in inputs {
            if input.dtype() != inputs[0].dtype() {
                return Err(different_types("einsum", inputs[0], *input));
            }
            check_type("einsum", input.dtype(), TYPES)?;
        }
        let sizes = self.sizes(inputs)?;
        let size = |label: Label| sizes.iter().find(|it| it.0 == label).map(|it| it.1.clone());
        let dims: Option<Vec<Dim>> = self.output(inputs).into_iter().map(size).collect();
        let dims = dims.expect("the letters of the output are letters of the operands");
        Ok(smallvec![inputs[0].with_shape(Shape::new(dims))])
    }

    pure!(Composite, Expand);

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            let specs: Vec<Spec> = inputs.iter().map(Tensor::spec).collect();
            let sizes = self.sizes(&specs).expect("`infer` took these operands");
            let output = self.output(&specs);
            let broadcasts = |of: &Labelled, label: Label| {
                let is_one = matches!(label, Label::Rest(_)) && of.size(label) == 1;
                is_one && sizes.iter().any(|it| it.0 == label && it.1 != 1)
            };
            let operand = |at: usize| {
                let labels = self.equation.labels(at, inputs[at].rank());
                let labels = labels.expect("`infer` took these operands");
                let all = Labelled::new(&inputs[at], labels);
                all.squeezed(|label| broadcasts(&all, label))
            };
            let operands: Vec<Labelled> = (0..inputs.len()).map(operand).collect();
            vec![sum_of_products(operands, &output).ordered(&output)]
        }))
    }
}

/// The product of all, from the first on, with every label summed as soon as nobody needs it.
#[track_caller]
fn sum_of_products(operands: Vec<Labelled>, output: &[Label]) -> Labelled {
    let needed = |others: &[Labelled], label: Label| {
        output.contains(&label) || others.iter().any(|it| it.labels.contains(&label))
    };
    let mut done: Option<Labelled> = None;
    for at in 0..operands.len() {
        let later = &operands[at + 1..];
        let before = done.as_slice();
        let own = operands[at].clone().summed(|it| needed(later, it) || needed(before, it));
        done = Some(match done {
            None => own,
            Some(done) => product(&done, &own, |it| needed(later, it)),
        });
    }
    done.expect("an equation has a term")
}

/// The op of this file.
pub(super) const OPS: &[Entry] = &[Entry {
    name: "Einsum",
    make: |attrs: &Parsed| {
        Ok(Einsum { equation: Equation::parse(&attrs.text("equation")?)? }.into())
    },
    samples,
}];

/// Equations, and the sizes of their operands.
const CASES: &[(&str, &[&[usize]])] = &[
    ("ij,jk->ik", &[&[2, 3], &[3, 4]]),
    ("bij,bjk->bik", &[&[2, 3, 2], &[2, 2, 1]]),
    ("ij->ji", &[&[2, 3]]),
    ("ij->", &[&[2, 3]]),
    ("ii->i", &[&[3, 3]]),
    ("ijij->ij", &[&[2, 3, 2, 3]]),
    ("i,j->ij", &[&[2], &[3]]),
    ("i,i,i->i", &[&[3], &[3], &[3]]),
    ("ij,kj,k->i", &[&[2, 3], &[2, 3], &[2]]),
    ("abc,cbd->da", &[&[2, 2, 3], &[3, 2, 2]]),
    ("...ij,...jk->...ik", &[&[2, 1, 2, 3], &[3, 3, 1]]),
    (",i->i", &[&[], &[3]]),
    ("ik,kj->ij", &[&[2, 0], &[0, 3]]),
];

fn samples() -> Vec<Sample> {
    let of = |dtype: DType| {
        CASES.iter().map(move |(text, sizes)| {
            let equation = Equation::parse(text).expect("the text is an equation");
            call(Einsum { equation }, sizes.iter().map(|it| varied(dtype, it)))
        })
    };
    TYPES.iter().flat_map(|dtype| of(*dtype)).collect()
}
