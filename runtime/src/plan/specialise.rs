//! A graph with unknown sizes at the sizes of one call. Knows shapes only.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::Graph;
use crate::types::{Spec, Symbol};
use std::collections::BTreeMap;

/// The graph with every size known, for inputs of these specs.
///
/// # Errors
/// If a size comes out negative.
pub fn specialise(graph: &Graph, inputs: &[Spec]) -> Result<Graph> {
    let mut sizes: BTreeMap<Symbol, usize> = BTreeMap::new();
    for (input, spec) in graph.inputs.iter().zip(inputs) {
        for (dim, size) in input.spec.shape().dims().iter().zip(spec.sizes()) {
            if let Some(symbol) = dim.as_symbol() {
                sizes.insert(symbol, *size);
            }
        }
    }
    let mut special = graph.clone();
    for (input, spec) in special.inputs.iter_mut().zip(inputs) {
        input.spec = *spec;
    }
    for node in &mut special.nodes {
        for spec in &mut node.outputs {
            if spec.known().is_some() {
                continue;
            }
            let shape = spec.shape().evaluate(&sizes).ok_or_else(|| {
                Error::new(
                    ErrorKind::Shape,
                    format!("shape {:?} has a negative size at {}", spec.shape(), at(&sizes)),
                )
                .with_help("the inputs are too small for this op")
                .at(node.place)
                .at_node(&node.name)
            })?;
            *spec = spec.with_shape(shape);
        }
    }
    Ok(special)
}

fn at(sizes: &BTreeMap<Symbol, usize>) -> String {
    let texts: Vec<String> =
        sizes.iter().map(|(symbol, size)| format!("{symbol:?} = {size}")).collect();
    texts.join(", ")
}
