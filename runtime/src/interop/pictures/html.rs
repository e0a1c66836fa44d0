//! Drawings in one HTML file that needs no network: data, style, script, and the layout of the MIT-licensed `dagre`.
//! Knows the escapes of JSON in HTML; what is shown and how is the page's business.

use super::drawing::{Dot, Drawing};
use std::fmt::Write;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");
const DAGRE: &str = include_str!("page/dagre.min.js");
const LICENCE: &str = include_str!("page/dagre.LICENSE.txt");

/// The page of some drawings, each under a label.
pub(super) fn html(name: &str, drawings: &[(&str, Drawing)]) -> String {
    let graphs: Vec<String> =
        drawings.iter().map(|(label, drawing)| graph(label, drawing)).collect();
    let data = format!("{{\"name\":{},\"graphs\":[{}]}}", text(name), graphs.join(","));
    // What users wrote goes in last: nothing is looked for in it.
    let parts = [
        ("TITLE", escaped(name)),
        ("STYLE", STYLE.to_string()),
        ("DAGRE", format!("/* dagre\n{LICENCE}*/\n{DAGRE}")),
        ("SCRIPT", SCRIPT.to_string()),
        ("DATA", data),
    ];
    let mut page = String::new();
    for piece in PAGE.split("<!--") {
        match piece.split_once("-->") {
            Some((name, rest)) => {
                let part = parts.iter().find(|it| it.0 == name);
                page += &part.expect("the page asks for what there is").1;
                page += rest;
            }
            None => page += piece,
        }
    }
    page
}

fn graph(label: &str, drawing: &Drawing) -> String {
    let nodes: Vec<String> = drawing.dots.iter().map(node).collect();
    let edges: Vec<String> = drawing
        .lines
        .iter()
        .map(|line| format!("[{},{},{}]", line.from, line.to, text(&line.types)))
        .collect();
    let (nodes, edges) = (nodes.join(","), edges.join(","));
    format!("{{\"label\":{},\"nodes\":[{nodes}],\"edges\":[{edges}]}}", text(label))
}

fn node(dot: &Dot) -> String {
    let fused = dot.fused.map_or("null".to_string(), |it| it.to_string());
    format!(
        "{{\"name\":{},\"what\":{},\"kind\":{},\"types\":{},\"attrs\":{},\"line\":{},\"fused\":{fused}}}",
        text(&dot.name),
        text(&dot.what),
        text(dot.kind.word()),
        text(&dot.types),
        text(&dot.attrs),
        text(&dot.line),
    )
}

/// A JSON string that no HTML ends: no `<` stands in it, so no tag and no comment.
fn text(raw: &str) -> String {
    let mut text = "\"".to_string();
    for letter in raw.chars() {
        match letter {
            '"' => text += "\\\"",
            '\\' => text += "\\\\",
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(text, "\\u{:04x}", u32::from(letter));
            }
            control if control.is_control() => {
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            other => text.push(other),
        }
    }
    text + "\""
}

/// A text between tags.
fn escaped(raw: &str) -> String {
    raw.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_script_that_it_stands_in() {
        assert_eq!(
            text("</script><!--\"\\\n&"),
            "\"\\u003c/script\\u003e\\u003c!--\\\"\\\\\\u000a\\u0026\""
        );
        assert_eq!(escaped("a<b>&c"), "a&lt;b&gt;&amp;c");
    }

    #[test]
    fn dagre_comes_with_its_licence() {
        assert!(LICENCE.contains("Permission is hereby granted") && !LICENCE.contains("*/"));
        let page = html("f", &[]);
        assert!(page.contains(LICENCE) && page.ends_with("</html>\n"));
        assert!(!page.contains("http://") || page.contains("http://www.w3.org/2000/svg"));
    }
}
