//! A drawing in Mermaid, which Markdown of many sites shows. Knows its escapes.

use super::drawing::{Drawing, Kind, Scope};
use std::fmt::Write;

/// The drawing as a Mermaid flowchart, scopes as subgraphs.
pub(super) fn mermaid(drawing: &Drawing) -> String {
    let mut text = "flowchart TD\n".to_string();
    let mut number = 0;
    scope(drawing, &drawing.scopes(), "  ", &mut number, &mut text);
    for line in &drawing.lines {
        let label = quoted(&line.types);
        let _ = writeln!(text, "  n{} -->|{label}| n{}", line.from, line.to);
    }
    text
}

fn scope(
    drawing: &Drawing,
    inside: &Scope<'_>,
    indent: &str,
    number: &mut usize,
    text: &mut String,
) {
    for at in &inside.dots {
        let dot = &drawing.dots[*at];
        let label = match dot.kind {
            Kind::Op if dot.leaf() != dot.what => format!("{}\n{}", dot.leaf(), dot.what),
            Kind::Constant if !dot.attrs.is_empty() => dot.attrs.clone(),
            _ => dot.leaf().to_string(),
        };
        let label = quoted(&label);
        let (open, close) = match dot.kind {
            Kind::Input | Kind::Output => ("([", "])"),
            Kind::Variable => ("[(", ")]"),
            Kind::Constant | Kind::Op | Kind::Assign => ("[", "]"),
        };
        let _ = writeln!(text, "{indent}n{at}{open}{label}{close}");
    }
    for (name, inner) in &inside.scopes {
        let _ = writeln!(text, "{indent}subgraph s{number} [{}]", quoted(name));
        *number += 1;
        scope(drawing, inner, &format!("{indent}  "), number, text);
        let _ = writeln!(text, "{indent}end");
    }
}

/// A text between quotes: Mermaid writes what it would read as its own by entities, with `#` for `&`.
fn quoted(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '\n' => escaped += "<br/>",
            '"' | '#' | '<' | '>' | '&' | '`' | '\\' => {
                let _ = write!(escaped, "#{};", u32::from(letter));
            }
            other => escaped.push(other),
        }
    }
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_mermaid_would_read_is_written_by_number() {
        assert_eq!(super::quoted("a\"<b>\n#1"), "\"a#34;#60;b#62;<br/>#35;1\"");
    }
}
