//! What a trace holds that might be better an argument: a large constant. Knows graphs and places, and no op.

use crate::error::Place;
use crate::graph::{ConstantId, Graph, Ref};
use crate::kernels::bytes;

/// Above how many bytes a constant is worth a word.
const LARGE: usize = 1 << 20;

/// The hint about the large constants that a function captured in a trace, if it has any; `traced` is its caller's line.
pub fn large_constants(graph: &Graph, traced: Place) -> Option<String> {
    let sizes = graph.constants.iter().map(|it| bytes(it.spec())).enumerate();
    let large: Vec<(usize, usize)> = sizes.filter(|(_, bytes)| *bytes > LARGE).collect();
    let (at, most) = *large.iter().max_by_key(|(_, bytes)| *bytes)?;
    let others = match large.len() {
        1 => String::new(),
        count => {
            let total: usize = large.iter().map(|(_, bytes)| bytes).sum();
            format!(", and {} more: {total} bytes in all", count - 1)
        }
    };
    let spec = graph.constants[at].spec();
    Some(format!(
        "`{}` captured a constant {spec} of {most} bytes{others}\n  --> {}\n  \
         help: pass it as an argument: a constant stays in memory as long as its trace, and it does not follow later changes of what it was made from",
        graph.name,
        first_use(graph, ConstantId::new(at)).unwrap_or(traced)
    ))
}

/// The line that uses a constant first; none if it is only given back.
fn first_use(graph: &Graph, id: ConstantId) -> Option<Place> {
    let mut nodes = graph.nodes.iter();
    nodes.find(|node| node.inputs.contains(&Ref::Constant(id))).map(|node| node.place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;
    use std::sync::Arc;

    const PLACE: Place = Place { file: "a.rs", line: 3, column: 5 };

    fn check(values: &[Value], wanted: Option<&str>) {
        let mut graph = Graph { name: Arc::from("f"), ..Graph::default() };
        for value in values {
            graph.add_constant(value);
        }
        let found = large_constants(&graph, PLACE);
        let first_lines =
            found.as_deref().map(|it| it.split_once("\n  help: ").expect("it has a help line").0);
        assert_eq!(first_lines, wanted);
    }

    fn floats(count: usize) -> Value {
        Value::from_vec([count], vec![0.0f32; count])
    }

    #[test]
    fn constants_of_more_than_a_mebibyte_are_named_the_largest_first() {
        check(&[], None);
        check(&[floats(1 << 18)], None);
        check(
            &[floats(10), floats((1 << 18) + 1)],
            Some("`f` captured a constant f32[262145] of 1048580 bytes\n  --> a.rs:3:5"),
        );
        check(
            &[floats(300_000), floats(400_000), floats(350_000)],
            Some(
                "`f` captured a constant f32[400000] of 1600000 bytes, \
                 and 2 more: 4200000 bytes in all\n  --> a.rs:3:5",
            ),
        );
    }
}
