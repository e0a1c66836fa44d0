//! A drawing in DOT, the language of Graphviz. Knows its escapes.

use super::drawing::{Drawing, Kind, Scope};
use std::fmt::Write;

/// The drawing as a DOT file, scopes as clusters.
pub(super) fn dot(drawing: &Drawing) -> String {
    let mut text = String::new();
    let name = quoted(&drawing.name);
    let _ = writeln!(text, "digraph {name} {{");
    // Without the newer way to rank nodes, Graphviz gives up on some graphs of nested scopes: "trouble in init_rank".
    text += "  graph [fontname=\"sans-serif\", newrank=true];\n";
    text +=
        "  node [fontname=\"sans-serif\", shape=box, style=\"rounded,filled\", fillcolor=white];\n";
    text += "  edge [fontname=\"sans-serif\", fontsize=10];\n";
    scope(drawing, &drawing.scopes(), "", "  ", &mut text);
    for line in &drawing.lines {
        let label = quoted(&line.types);
        let _ = writeln!(text, "  n{} -> n{} [label={label}];", line.from, line.to);
    }
    text + "}\n"
}

fn scope(drawing: &Drawing, inside: &Scope<'_>, path: &str, indent: &str, text: &mut String) {
    for at in &inside.dots {
        let dot = &drawing.dots[*at];
        let label = match dot.kind {
            Kind::Op if dot.leaf() != dot.what => format!("{}\n{}", dot.leaf(), dot.what),
            Kind::Constant if !dot.attrs.is_empty() => dot.attrs.clone(),
            _ => dot.leaf().to_string(),
        };
        let (label, tip) = (quoted(&label), quoted(&format!("{}\n{}", dot.name, dot.line)));
        let style = style(dot.kind);
        let _ = writeln!(text, "{indent}n{at} [label={label}, tooltip={tip}{style}];");
    }
    for (name, inner) in &inside.scopes {
        let path = if path.is_empty() { name.to_string() } else { format!("{path}/{name}") };
        let (id, label) = (quoted(&format!("cluster_{path}")), quoted(name));
        let _ = writeln!(text, "{indent}subgraph {id} {{");
        let _ = writeln!(text, "{indent}  label={label};");
        scope(drawing, inner, &path, &format!("{indent}  "), text);
        let _ = writeln!(text, "{indent}}}");
    }
}

fn style(kind: Kind) -> &'static str {
    match kind {
        Kind::Input => ", shape=ellipse, fillcolor=\"#dbeafe\"",
        Kind::Variable => ", shape=cylinder, style=filled, fillcolor=\"#fef3c7\"",
        Kind::Constant => ", shape=plaintext, style=\"\"",
        Kind::Op => "",
        Kind::Assign => ", fillcolor=\"#fde68a\"",
        Kind::Output => ", shape=ellipse, fillcolor=\"#dcfce7\"",
    }
}

/// A text between quotes: in DOT a backslash is one only twice.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    #[test]
    fn quotes_and_backslashes_end_no_label() {
        assert_eq!(super::quoted("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"");
    }
}
