//! Runs of one body for one trace: what a later one does differently. Knows nodes, and no trace.

use crate::error::{Error, ErrorKind, Place};
use crate::graph::{Builder, Graph, Node, NodeKind, Tensors};

/// Tensors of the right spec for a run that is of no use: they lead nowhere.
pub(super) fn doomed(builder: &Builder, node: Node) -> Tensors {
    Builder::new(Graph { name: builder.graph.name.clone(), ..Graph::default() }).add(node)
}

/// The complaint about a run that does not do what an earlier run did.
pub(super) fn difference(earlier: &Node, now: &Node) -> Option<Error> {
    let same = match (&earlier.kind, &now.kind) {
        (NodeKind::Op(a), NodeKind::Op(b)) => a.is_same(b),
        (NodeKind::Read(a), NodeKind::Read(b)) | (NodeKind::Assign(a), NodeKind::Assign(b)) => {
            a == b
        }
        (NodeKind::Mark, NodeKind::Mark) => true,
        (NodeKind::Gradient(a), NodeKind::Gradient(b)) => a == b,
        _ => false,
    };
    let same = same && earlier.inputs == now.inputs && earlier.outputs == now.outputs;
    (!same).then(|| {
        differs(
            &format!("it made `{}` where an earlier run made `{}`", now.name, earlier.name),
            now.place,
        )
    })
}

/// The complaint that a body does not do the same in each run.
pub(super) fn differs(what: &str, place: Place) -> Error {
    Error::new(ErrorKind::Trace, format!("the body does not do the same in each run: {what}"))
        .with_help("keep time, random numbers of the host, and the order of hash maps out of the function, or pass them as arguments")
        .at(place)
}
