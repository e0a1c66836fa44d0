//! What users call to draw a graph. Knows graphs and concrete functions, and leaves the writing to the formats.

use super::dot::dot;
use super::drawing::Drawing;
use super::html::html;
use super::mermaid::mermaid;
use crate::graph::Graph;
use crate::trace::ConcreteFunction;

impl Graph {
    /// The graph in DOT, the language of Graphviz: `dot -Tsvg`. Scopes are clusters, shapes stand on edges.
    ///
    /// ```
    /// # use graphfn::prelude::*;
    /// #[graph_fn]
    /// fn double(x: &Tensor) -> Tensor {
    ///     x + x
    /// }
    /// let concrete = double::concrete_function(&Tensor::from(1.0f32))?;
    /// let text = concrete.graph().to_dot();
    /// assert!(text.starts_with("digraph \"double\" {"));
    /// assert!(text.contains("label=\"add\\nAddV2\""));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn to_dot(&self) -> String {
        dot(&Drawing::of(self, &[]))
    }

    /// The graph in Mermaid, which Markdown shows in a block of that name. Scopes are subgraphs, shapes stand on edges.
    ///
    /// ```
    /// # use graphfn::prelude::*;
    /// #[graph_fn]
    /// fn double(x: &Tensor) -> Tensor {
    ///     x + x
    /// }
    /// let concrete = double::concrete_function(&Tensor::from(1.0f32))?;
    /// assert!(concrete.graph().to_mermaid().starts_with("flowchart TD\n"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn to_mermaid(&self) -> String {
        mermaid(&Drawing::of(self, &[]))
    }

    /// The graph as an HTML page, as [`ConcreteFunction::to_html`] is one, with this graph alone.
    pub fn to_html(&self) -> String {
        html(&self.name, &[("graph", Drawing::of(self, &[]))])
    }
}

impl ConcreteFunction {
    /// The function's graphs, as traced and after the passes, as one HTML page that needs nothing else.
    ///
    /// Scopes open and close by a click; nodes are found by name, op or line, and tell their type, attributes and the
    /// user's line; nodes that run as one step have one colour. It is light or dark as the reader's system is.
    ///
    /// ```
    /// # use graphfn::prelude::*;
    /// #[graph_fn]
    /// fn double(x: &Tensor) -> Tensor {
    ///     x + x
    /// }
    /// let page = double::concrete_function(&Tensor::from(1.0f32))?.to_html();
    /// assert!(page.starts_with("<!DOCTYPE html>"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn to_html(&self) -> String {
        // A graph that cannot be planned at these sizes is still a picture.
        let steps = self.steps().unwrap_or_default();
        let drawings = [
            ("as traced", Drawing::of(self.graph(), &[])),
            ("after the passes", Drawing::of(self.graph_optimised(), &steps)),
        ];
        html(self.name(), &drawings)
    }
}
