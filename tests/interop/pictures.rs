//! Pictures of graphs: their structure as text, and the page in a browser, which clicks through itself:
//! `GRAPHFN_BROWSER=chromium cargo test --test interop pictures`. With `GRAPHFN_SCREENSHOTS=docs` it leaves pictures there.

use crate::folder::Folder;
use graphfn::{ConcreteFunction, prelude::*};
use std::path::Path;
use std::process::Command;

#[derive(Tree)]
struct Model {
    dense1: Dense,
    dense2: Dense,
}

impl Model {
    #[graph_fn]
    fn step(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let hidden = self.dense1.call(x);
        let loss = name_scope("loss").enter(|| (self.dense2.call(&hidden) - y).square().mean());
        GradientDescent::new(0.1f32).minimize(&loss);
        loss
    }
}

fn step() -> ConcreteFunction {
    let model = Model { dense1: Dense::new(8).activation(Activation::Relu), dense2: Dense::new(1) };
    let x = Tensor::linspace(-1.0f32, 1.0, 32).reshape([8, 4]);
    let y = x.sum_axis(KeepDims(1)).square();
    model.step(&x, &y);
    model.step_concrete_function(&x, &y).unwrap()
}

/// How deep the braces, or the subgraphs, of a text go; they are closed at its end.
fn deepest(text: &str, opens: impl Fn(&str) -> bool, closes: impl Fn(&str) -> bool) -> usize {
    let (mut depth, mut most) = (0usize, 0);
    for line in text.lines().map(str::trim) {
        if opens(line) {
            depth += 1;
            most = most.max(depth);
        } else if closes(line) {
            depth = depth.checked_sub(1).expect("what closes was open");
        }
    }
    assert_eq!(depth, 0, "{text}");
    most
}

#[test]
fn dot_has_a_cluster_for_each_scope_and_a_line_for_each_use() {
    let text = step().graph().to_dot();
    assert!(text.starts_with("digraph \"step\" {\n") && text.ends_with("}\n"));
    assert!(deepest(&text, |it| it.ends_with('{'), |it| it == "}") >= 4);
    for part in [
        "subgraph \"cluster_dense1\" {",
        "subgraph \"cluster_gradients/loss/Square_grad\" {",
        "label=\"Square_grad\";",
        "label=\"weight\"",
        "[label=\"f32[8, 4]\"];",
        "[label=\"f32[8, 8]\"];",
        "pictures.rs:",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    let uses = |line: &str| line.contains(" -> ");
    let graph = step().graph().clone();
    let inputs: usize = graph.nodes.iter().map(|node| node.inputs.len()).sum();
    let reads = graph.nodes.iter().filter(|node| node.kind.name() == "ReadVariableOp").count();
    assert_eq!(text.lines().filter(|it| uses(it)).count(), inputs + reads + graph.outputs.len());
}

/// Graphviz lays out what it reads: `GRAPHFN_DOT=dot`. Adam's step has scopes in scopes, and was once too much for it.
#[test]
fn graphviz_draws_a_step_of_training() {
    let Some(graphviz) = std::env::var_os("GRAPHFN_DOT") else {
        eprintln!("skipped: set GRAPHFN_DOT to Graphviz's `dot` to draw with it");
        return;
    };
    let model = Model { dense1: Dense::new(8).activation(Activation::Relu), dense2: Dense::new(1) };
    let (x, y) = (Tensor::ones::<f32>([8, 4]), Tensor::ones::<f32>([8, 1]));
    let function = graphfn::graph_fn(|model: &Model, optimizer: &Adam, x: &Tensor, y: &Tensor| {
        let loss = (model.dense2.call(&model.dense1.call(x)) - y).square().mean();
        optimizer.minimize(&loss);
        loss
    });
    let arguments = (&model, &Adam::new(0.01), &x, &y);
    function.call(arguments);
    let concrete = function.concrete_function(arguments).unwrap();
    let folder = Folder::new("graphviz");
    for graph in [concrete.graph(), concrete.graph_optimised(), step().graph()] {
        let (file, picture) = (folder.path("step.dot"), folder.path("step.svg"));
        std::fs::write(&file, graph.to_dot()).unwrap();
        let done = Command::new(&graphviz).arg("-Tsvg").arg(&file).arg("-o").arg(&picture).output();
        let done = done.expect("GRAPHFN_DOT names Graphviz's `dot`");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let drawn = std::fs::read_to_string(&picture).unwrap();
        assert_eq!(drawn.matches("class=\"edge\"").count(), graph.to_dot().matches(" -> ").count());
    }
}

#[test]
fn mermaid_has_a_subgraph_for_each_scope() {
    let text = step().graph_optimised().to_mermaid();
    assert!(text.starts_with("flowchart TD\n"));
    assert!(deepest(&text, |it| it.starts_with("subgraph "), |it| it == "end") >= 3);
    for part in ["[\"dense1\"]", "-->|\"f32[8, 4]\"|", "[(\"weight\")]", "weight (next)"] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}

/// The regions of a branch and a loop are scopes of their node, and variables in them are those around.
#[test]
fn branches_and_loops_are_scopes() {
    let w = Variable::new("w", 1.0f32);
    let function = graphfn::graph_fn(move |x: &Tensor| {
        let y = graphfn::cond(&x.sum().greater(0.0), || x * &w, || -x);
        graphfn::while_loop(y, |y| y.sum().less(100.0), |y| y.square() + 1.0)
    });
    let concrete = function.concrete_function(&Tensor::from([1.0f32, 2.0])).unwrap();
    for graph in [concrete.graph(), concrete.graph_optimised()] {
        let text = graph.to_dot();
        assert!(deepest(&text, |it| it.ends_with('{'), |it| it == "}") >= 3, "{text}");
        for part in ["label=\"then\";", "label=\"else\";", "label=\"cond\";", "label=\"body\";"] {
            assert!(text.contains(part), "no {part} in\n{text}");
        }
        assert_eq!(text.matches("shape=cylinder").count(), 1, "{text}");
        let dots: Vec<&str> =
            text.lines().filter_map(|it| it.trim().split_once(" [label")).map(|it| it.0).collect();
        for line in dots.iter().filter_map(|it| it.split_once(" -> ")) {
            assert!(dots.contains(&line.0) && dots.contains(&line.1), "{line:?} in\n{text}");
        }
    }
    assert!(concrete.to_html().contains("/then/"));
}

/// Names that would end a string, a tag or a script where they are not escaped.
#[test]
fn what_users_write_ends_no_label_and_no_script() {
    let function = graphfn::graph_fn(|x: &Tensor| {
        name_scope("scope").enter(|| x.square().named("</script><!--\"&"))
    });
    let concrete = function.concrete_function(&Tensor::from([1.0f32])).unwrap();
    let page = concrete.to_html();
    assert_eq!(page.matches("</script>").count(), 3, "the page's own");
    assert!(!page.contains("<!--"));
    let text = concrete.graph().to_dot();
    assert!(
        text.lines()
            .filter(|it| it.contains("label="))
            .all(|it| it.ends_with("];") || it.ends_with("\";")),
        "{text}"
    );
}

/// What the page is asked to do, and to find then; it writes what it found into its title.
const CLICKS: &str = r##"
<script>
(() => {
    const wrong = [];
    const demand = (holds, what) => { if (!holds) wrong.push(what); };
    const all = (selector) => [...document.querySelectorAll(selector)];
    const click = (element) => element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    const scope = (name, kind) => all(".scope." + kind).find((it) => it.dataset.scope === name);
    const node = (name) => all(".node").find((it) => it.dataset.name === name);
    try {
        demand(all("#graphs button").map((it) => it.textContent).join() === "as traced,after the passes", "tabs");
        demand(scope("gradients", "closed") && scope("dense1", "closed"), "closed scopes at the start");
        demand(all(".node").every((it) => !it.dataset.name.includes("/")), "only outer nodes at the start");
        click(scope("dense1", "closed"));
        demand(scope("dense1", "opened") && node("dense1/MatMul"), "an open scope shows its nodes");
        demand(all("path.edge").length > 0 && all("text.small").some((it) => it.textContent.includes("f32[")), "types on edges");
        click(node("dense1/MatMul"));
        const details = document.getElementById("details").textContent;
        demand(details.includes("dense1/MatMul") && details.includes("f32[8, 8]"), "details of a node: " + details);
        demand(/\.rs:\d+:\d+/.test(details), "the line of a node");
        demand(node("dense1/MatMul").classList.contains("selected"), "the selected node is marked");
        click(scope("dense1", "opened"));
        demand(scope("dense1", "closed") && !node("dense1/MatMul"), "a scope closes");
        const search = document.getElementById("search");
        search.value = "square_grad mul";
        search.dispatchEvent(new Event("input"));
        const hits = all("#found button");
        demand(hits.length > 0 && hits.every((it) => it.textContent.includes("Square_grad")), "search finds");
        click(hits[0]);
        demand(scope("gradients/loss/Square_grad", "opened"), "a found node's scopes open");
        demand(all(".selected").length === 1, "a found node is selected");
        search.value = "no such node";
        search.dispatchEvent(new Event("input"));
        demand(document.getElementById("found").textContent === "nothing found", "search says that nothing is found");
        click(all("#graphs button")[1]);
        click(document.getElementById("open"));
        demand(all(".closed").length === 0 && all(".opened").length > 2, "all scopes open");
        const fused = all(".node.fused");
        demand(fused.length > 1 && fused.every((it) => it.style.getPropertyValue("--hue")), "steps are coloured");
        click(fused[0]);
        demand(document.getElementById("details").textContent.includes("runs as one step with"), "a step's nodes are told");
        const before = document.getElementById("canvas").getAttribute("transform");
        document.getElementById("picture").dispatchEvent(new WheelEvent("wheel", { deltaY: -200, clientX: 300, clientY: 300, cancelable: true }));
        demand(document.getElementById("canvas").getAttribute("transform") !== before, "the wheel zooms");
        click(document.getElementById("close"));
        demand(all(".opened").length === 0, "all scopes close");
        demand(getComputedStyle(document.body).backgroundColor === "BACK", "background " + getComputedStyle(document.body).backgroundColor);
    } catch (error) {
        wrong.push(String(error.stack));
    }
    document.body.innerHTML = wrong.length ? "WRONG: " + wrong.join("; ") : "ALL IS " + "SHOWN";
})();
</script>
</body>"##;

/// What a picture of the page shows: a node of an open scope, and its details.
const SHOWN: &str = r##"
<script>
const search = document.getElementById("search");
document.querySelectorAll("#graphs button")[1].click();
search.value = "loss/sub";
search.dispatchEvent(new Event("input"));
document.querySelector("#found button").click();
document.getElementById("fit").click();
</script>
</body>"##;

/// Chromium on a page, without a window.
fn browser(arguments: &[&str], page: &Path) -> Option<String> {
    let browser = std::env::var_os("GRAPHFN_BROWSER")?;
    let done = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1200,800"])
        .args(arguments)
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("GRAPHFN_BROWSER names a Chromium");
    Some(String::from_utf8_lossy(&done.stdout).into_owned())
}

#[test]
fn the_page_works_in_a_browser() {
    let folder = Folder::new("page");
    let page = step().to_html();
    for (mode, back) in [("1", "rgb(255, 255, 255)"), ("0", "rgb(13, 17, 23)")] {
        let file = folder.path(&format!("page{mode}.html"));
        std::fs::write(&file, page.replace("</body>", &CLICKS.replace("BACK", back))).unwrap();
        let scheme = format!("--blink-settings=preferredColorScheme={mode}");
        let Some(told) = browser(&[&scheme, "--dump-dom"], &file) else {
            eprintln!("skipped: set GRAPHFN_BROWSER to Chromium to click through the page");
            return;
        };
        assert!(told.contains("ALL IS SHOWN"), "{}", told.split("<body>").last().unwrap_or(&told));
    }
    if let Ok(pictures) = std::env::var("GRAPHFN_SCREENSHOTS") {
        for (name, mode) in [("light", "1"), ("dark", "0")] {
            let file = folder.path("shown.html");
            std::fs::write(&file, page.replace("</body>", SHOWN)).unwrap();
            let shot = format!("--screenshot={pictures}/page-{name}.png");
            browser(&[&format!("--blink-settings=preferredColorScheme={mode}"), &shot], &file);
        }
    }
}
