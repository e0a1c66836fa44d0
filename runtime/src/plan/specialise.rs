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
    let mut special = evaluated(graph, &sizes)?;
    for (input, spec) in special.inputs.iter_mut().zip(inputs) {
        input.spec = *spec;
    }
    Ok(special)
}

/// A graph and the regions in it, with every size known.
fn evaluated(graph: &Graph, sizes: &BTreeMap<Symbol, usize>) -> Result<Graph> {
    let mut special = graph.clone();
    let known = |spec: Spec| {
        let shape = spec.shape().evaluate(sizes);
        shape.map(|shape| spec.with_shape(shape)).ok_or_else(|| {
            let message = format!("shape {:?} has a negative size at {}", spec.shape(), at(sizes));
            Error::new(ErrorKind::Shape, message).with_help("the inputs are too small for this op")
        })
    };
    for input in &mut special.inputs {
        input.spec = known(input.spec)?;
    }
    for node in &mut special.nodes {
        let placed = |error: Error| error.at(node.place).at_node(&node.name);
        for spec in &mut node.outputs {
            if spec.known().is_none() {
                *spec = known(*spec).map_err(placed)?;
            }
        }
        node.kind = node.kind.with_regions(|region| evaluated(region, sizes))?;
    }
    Ok(special)
}

fn at(sizes: &BTreeMap<Symbol, usize>) -> String {
    let texts: Vec<String> =
        sizes.iter().map(|(symbol, size)| format!("{symbol:?} = {size}")).collect();
    texts.join(", ")
}
