//! Every op by name: what the parser makes ops from, and what the tests of all ops walk. Knows the families.

use super::rows::{Binary, Unary, binary_samples, unary_samples};
use super::{
    activations, arithmetic, broadcast, cast, compare, contract, elementwise, functions, index,
    indicator, loss, matmul, movement, normalize, random, reduce, scan, select, sequence, source,
    times,
};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Attr, Entry, OpRef, Parsed, Sample};
use std::collections::HashMap;

/// The families of ops that have attributes.
const OPS: &[&[&[Entry]]] = &[
    &[activations::OPS, broadcast::OPS, cast::OPS, scan::OPS, select::OPS, times::OPS],
    &[indicator::OPS, matmul::OPS, random::OPS, sequence::OPS, source::OPS],
    contract::OPS,
    index::OPS,
    loss::OPS,
    movement::OPS,
    normalize::OPS,
    reduce::OPS,
];

/// The families of rows of one input.
const UNARY: &[&[Unary]] =
    &[activations::UNARY, elementwise::UNARY, functions::UNARY, source::UNARY];

/// The families of rows of two inputs.
const BINARY: &[&[Binary]] = &[arithmetic::BINARY, compare::BINARY];

/// The op of this name with these attributes.
///
/// # Errors
/// If there is no such op, or an attribute is missing or wrong.
pub fn make(name: &str, attrs: &Parsed) -> Result<OpRef> {
    if let Some(row) = UNARY.iter().copied().flatten().find(|row| row.name == name) {
        return Ok(OpRef::Static(row));
    }
    if let Some(row) = BINARY.iter().copied().flatten().find(|row| row.name == name) {
        return Ok(OpRef::Static(row));
    }
    if let Some(made) = reduce::make(name, attrs) {
        return made;
    }
    match entries().find(|entry| entry.name == name) {
        Some(entry) => (entry.make)(attrs),
        None => Err(Error::new(ErrorKind::Format, format!("there is no op `{name}`"))
            .with_help("graph text uses TensorFlow's op names, such as `AddV2` and `MatMul`")),
    }
}

/// Whether graph text that names an op can be read back.
pub(crate) fn is_readable(op: &OpRef) -> bool {
    let names = rows().map(|row| row.0).chain(entries().map(|entry| entry.name));
    let attrs = op.attrs();
    names.into_iter().any(|name| name == op.name())
        && !attrs.iter().any(|(_, it)| matches!(it, Attr::Opaque(_)))
}

/// Calls of every op: all types, ordinary and singular points.
pub fn samples() -> Vec<Sample> {
    let unary = UNARY.iter().copied().flatten().flat_map(unary_samples);
    let binary = BINARY.iter().copied().flatten().flat_map(binary_samples);
    let others = entries().flat_map(|entry| (entry.samples)());
    unary.chain(binary).chain(reduce::rows().flat_map(reduce::samples)).chain(others).collect()
}

/// An op that graphfn has: what it is called, what it does, and calls that try it.
#[derive(Debug)]
pub struct OpInfo {
    /// What it is called.
    pub name: &'static str,
    /// What it does, in a sentence; ops with attributes say it at their methods.
    pub doc: Option<&'static str>,
    /// Calls of it with each element type, at ordinary and singular points.
    pub samples: Vec<Sample>,
}

/// Every op that graphfn has: for those who write a pass, an exporter, or a test that walks all ops.
///
/// ```
/// let ops = graphfn::op_table();
/// let exp = ops.iter().find(|op| op.name == "Exp").unwrap();
/// assert_eq!(exp.doc, Some("The exponential, `e^x`."));
/// ```
pub fn op_table() -> Vec<OpInfo> {
    let mut samples: HashMap<&'static str, Vec<Sample>> = HashMap::new();
    for sample in self::samples() {
        samples.entry(sample.op.name()).or_default().push(sample);
    }
    let mut info =
        |name, doc| OpInfo { name, doc, samples: samples.remove(name).unwrap_or_default() };
    let mut all: Vec<OpInfo> = rows().map(|(name, doc)| info(name, Some(doc))).collect();
    all.extend(entries().map(|entry| info(entry.name, None)));
    all
}

/// Name and doc of each row.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let unary = UNARY.iter().copied().flatten().map(|row| (row.name, row.doc));
    let binary = BINARY.iter().copied().flatten().map(|row| (row.name, row.doc));
    unary.chain(binary).chain(reduce::rows().map(|row| (row.name, row.doc)))
}

/// What the built-in ops are called, those included that no text can make.
pub fn op_names() -> impl Iterator<Item = &'static str> {
    rows()
        .map(|row| row.0)
        .chain(entries().map(|entry| entry.name))
        .chain(["HostCall", "Initializer"])
}

fn entries() -> impl Iterator<Item = &'static Entry> {
    OPS.iter().copied().flatten().copied().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Tensor, run_eagerly};
    use std::collections::BTreeSet;

    fn names() -> impl Iterator<Item = &'static str> {
        rows().map(|it| it.0).chain(entries().map(|entry| entry.name))
    }

    #[test]
    fn every_op_has_a_name_of_its_own() {
        let mut seen = BTreeSet::new();
        for name in names() {
            assert!(name.chars().all(|it| it.is_ascii_alphanumeric()), "{name}");
            assert!(name.starts_with(|it: char| it.is_ascii_uppercase()), "{name}");
            assert!(seen.insert(name), "two ops are called {name}");
        }
    }

    #[test]
    fn every_row_has_a_doc() {
        for (name, doc) in rows() {
            assert!(doc.ends_with('.') && doc.len() > 10, "{name}: {doc:?}");
            assert!(!doc.contains("  "), "{name}: {doc:?}");
        }
    }

    #[test]
    fn every_op_is_tried_and_made_again_from_its_name_and_attributes() {
        let mut tried = BTreeSet::new();
        for Sample { op, inputs } in samples() {
            let attrs = op.attrs();
            let parsed =
                attrs.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
            let made = make(op.name(), &Parsed(parsed)).unwrap();
            assert!(made.is_same(&op), "{made:?} was made of {op:?}{attrs}");
            let inputs: Vec<Tensor> = inputs.into_iter().map(Tensor::from).collect();
            let outputs = run_eagerly(&op, &inputs.iter().collect::<Vec<_>>());
            assert!(outputs.is_ok(), "{op:?}{attrs} of {inputs:?}: {outputs:?}");
            tried.insert(op.name());
        }
        assert_eq!(tried, names().collect());
    }

    #[test]
    fn an_op_that_does_not_exist_is_refused_by_name() {
        let error = make("Frobnicate", &Parsed::default()).unwrap_err();
        assert_eq!(error.message(), "there is no op `Frobnicate`");
    }
}
