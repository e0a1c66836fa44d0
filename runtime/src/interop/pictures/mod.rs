//! Pictures of graphs that need no other program: DOT, Mermaid, and one HTML page. Knows graphs, and no op.

mod dot;
mod drawing;
mod face;
mod html;
mod mermaid;
