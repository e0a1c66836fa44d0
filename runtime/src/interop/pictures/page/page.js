"use strict";
(() => {
    const data = JSON.parse(document.getElementById("data").textContent);
    const byId = (id) => document.getElementById(id);
    const [svg, canvas, details, found] = ["picture", "canvas", "details", "found"].map(byId);
    // Graphs of more nodes begin with their scopes closed.
    const FEW = 40;
    let graph, open, selected, view;

    const html = (name, text, click) => {
        const made = document.createElement(name);
        made.textContent = text;
        if (click) made.addEventListener("click", click);
        return made;
    };
    const draw = (parent, name, attrs, text) => {
        const made = document.createElementNS("http://www.w3.org/2000/svg", name);
        for (const [key, value] of Object.entries(attrs)) made.setAttribute(key, value);
        if (text !== undefined) made.textContent = text;
        parent.append(made);
        return made;
    };
    const scopeOf = (name) => name.slice(0, Math.max(0, name.lastIndexOf("/")));
    const leafOf = (name) => name.slice(name.lastIndexOf("/") + 1);
    // From the outermost scope inwards.
    const scopesOf = (name) => {
        const parts = scopeOf(name).split("/").filter((part) => part);
        return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
    };
    const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

    // What stands for a node: its outermost closed scope, or itself.
    const shownAs = (at) => {
        const closed = scopesOf(graph.nodes[at].name).find((scope) => !open.has(scope));
        return closed === undefined ? "n" + at : "s" + closed;
    };

    function layout() {
        const laid = new dagre.graphlib.Graph({ compound: true, multigraph: false });
        laid.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 34, marginx: 12, marginy: 12 });
        laid.setDefaultEdgeLabel(() => ({}));
        const counts = new Map();
        graph.nodes.forEach((node, at) => {
            const id = shownAs(at);
            counts.set(id, (counts.get(id) ?? 0) + 1);
            const inside = scopesOf(id[0] === "n" ? node.name : id.slice(1)).filter((it) => open.has(it));
            if (!laid.hasNode(id)) {
                const label = short(leafOf(id[0] === "n" ? node.name : id.slice(1)), 28);
                const below = id[0] === "n" ? short(node.what, 28) : "";
                laid.setNode(id, { width: Math.max(64, 7.2 * Math.max(label.length, below.length) + 20), height: 36, label, at });
            }
            let child = id;
            for (const scope of inside.reverse()) {
                if (!laid.hasNode("o" + scope)) laid.setNode("o" + scope, { scope });
                laid.setParent(child, "o" + scope);
                child = "o" + scope;
            }
        });
        for (const [from, to, types] of graph.edges) {
            const [a, b] = [shownAs(from), shownAs(to)];
            if (a === b) continue;
            const edge = laid.hasEdge(a, b) ? laid.edge(a, b) : { types: [], width: 0, height: 14, labelpos: "c" };
            edge.types.push(types);
            edge.width = 6 * textOf(edge).length;
            laid.setEdge(a, b, edge);
        }
        dagre.layout(laid);
        return { laid, counts };
    }

    const textOf = (edge) => (edge.types.length === 1 ? edge.types[0] : edge.types.length + " tensors");

    function render() {
        const { laid, counts } = layout();
        canvas.replaceChildren();
        const depth = (id) => id.split("/").length;
        const ids = laid.nodes();
        const opened = ids.filter((id) => id[0] === "o").sort((a, b) => depth(a) - depth(b));
        for (const id of opened) box(laid.node(id), id.slice(1), "scope opened", () => toggle(id.slice(1)));
        for (const { v, w } of laid.edges()) {
            const edge = laid.edge(v, w);
            const path = edge.points.map(({ x, y }, at) => (at ? "L" : "M") + x.toFixed(1) + " " + y.toFixed(1));
            draw(canvas, "path", { class: "edge", d: path.join("") });
            draw(canvas, "text", { class: "small", x: edge.x, y: edge.y }, textOf(edge));
        }
        for (const id of ids.filter((id) => id[0] !== "o")) {
            const place = laid.node(id);
            if (id[0] === "s") {
                const group = box(place, id.slice(1), "scope closed", () => toggle(id.slice(1)));
                draw(group, "text", { x: place.x, y: place.y - 7 }, place.label);
                draw(group, "text", { class: "small", x: place.x, y: place.y + 8 }, counts.get(id) + " nodes");
            } else {
                shape(place);
            }
        }
        const { width, height } = laid.graph();
        view.size = [Math.max(width, 1) || 1, Math.max(height, 1) || 1];
    }

    // A scope, open or closed.
    function box(place, scope, kind, click) {
        const group = draw(canvas, "g", { class: kind, "data-scope": scope, tabindex: 0, role: "button" });
        const { x, y, width, height } = place;
        draw(group, "rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 8 });
        draw(group, "title", {}, scope);
        if (kind.endsWith("opened")) draw(group, "text", { x, y: y - height / 2 + 9, class: "small" }, leafOf(scope));
        act(group, click);
        return group;
    }

    function shape(place) {
        const node = graph.nodes[place.at];
        const fused = node.fused === null ? "" : " fused";
        const chosen = selected === place.at ? " selected" : "";
        const group = draw(canvas, "g", { class: "node " + node.kind + fused + chosen, "data-name": node.name, tabindex: 0, role: "button" });
        if (fused) group.style.setProperty("--hue", (node.fused * 137) % 360);
        const { x, y, width, height } = place;
        draw(group, "rect", { x: x - width / 2, y: y - height / 2, width, height, rx: node.kind === "op" ? 5 : 16 });
        draw(group, "title", {}, node.name + "\n" + node.line);
        draw(group, "text", { x, y: y - 7 }, place.label);
        draw(group, "text", { class: "small", x, y: y + 8 }, short(node.what, 28));
        act(group, () => select(place.at));
    }

    function act(group, click) {
        group.addEventListener("click", (event) => {
            event.stopPropagation();
            if (!view.moved) click();
        });
        group.addEventListener("keydown", (event) => {
            if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                click();
            }
        });
    }

    function toggle(scope) {
        if (open.has(scope)) {
            for (const it of [...open]) if (it === scope || it.startsWith(scope + "/")) open.delete(it);
        } else {
            open.add(scope);
        }
        render();
    }

    function select(at) {
        selected = at;
        for (const scope of scopesOf(graph.nodes[at].name)) open.add(scope);
        render();
        tell(at);
    }

    // Reads out a node.
    function tell(at) {
        const node = graph.nodes[at];
        const list = document.createElement("dl");
        const row = (name, ...values) => {
            if (!values.length) return;
            list.append(html("dt", name));
            const cell = html("dd", "");
            cell.append(...values);
            list.append(cell);
        };
        const to = (other) => html("button", graph.nodes[other].name, () => { select(other); centre(other); });
        const ends = (mine, others) => [...new Set(graph.edges.filter((it) => it[mine] === at).map((it) => it[others]))].map(to);
        row("op", node.what);
        if (node.types) row("type", node.types);
        if (node.attrs) row(node.kind === "constant" ? "value" : "attributes", node.attrs);
        if (node.line) row("line", node.line);
        if (node.fused !== null) {
            const together = graph.nodes.map((it, other) => [it, other]).filter(([it]) => it.fused === node.fused);
            row("runs as one step with", ...together.filter(([, other]) => other !== at).map(([, other]) => to(other)));
        }
        row("inputs", ...ends(1, 0));
        row("used by", ...ends(0, 1));
        details.replaceChildren(html("h2", node.name), list);
    }

    function search() {
        const words = byId("search").value.toLowerCase().split(/\s+/).filter((it) => it);
        const fits = (node) => words.every((word) => (node.name + " " + node.what + " " + node.line).toLowerCase().includes(word));
        const hits = words.length ? graph.nodes.map((_, at) => at).filter((at) => fits(graph.nodes[at])).slice(0, 50) : [];
        found.replaceChildren(...hits.map((at) => {
            const item = document.createElement("li");
            item.append(html("button", graph.nodes[at].name, () => { select(at); centre(at); }));
            return item;
        }));
        if (words.length && !hits.length) found.append(html("li", "nothing found"));
    }

    function place() {
        canvas.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
    }

    function fit() {
        const { width, height } = svg.getBoundingClientRect();
        const [wide, high] = view.size;
        view.scale = Math.min(1.5, Math.max(0.05, Math.min(width / wide, height / high)));
        [view.x, view.y] = [(width - wide * view.scale) / 2, Math.max(0, (height - high * view.scale) / 2)];
        place();
    }

    function centre(at) {
        const box = [...canvas.querySelectorAll(".node")].find((it) => it.dataset.name === graph.nodes[at].name);
        const bounds = box.querySelector("rect").getBBox();
        const { width, height } = svg.getBoundingClientRect();
        view.scale = Math.max(view.scale, 0.8);
        view.x = width / 2 - (bounds.x + bounds.width / 2) * view.scale;
        view.y = height / 2 - (bounds.y + bounds.height / 2) * view.scale;
        place();
    }

    function show(number) {
        graph = data.graphs[number];
        selected = undefined;
        const all = new Set(graph.nodes.flatMap((node) => scopesOf(node.name)));
        open = graph.nodes.length > FEW ? new Set() : all;
        view = { x: 0, y: 0, scale: 1, size: [1, 1], moved: false };
        [...byId("graphs").children].forEach((tab, at) => tab.setAttribute("aria-selected", at === number));
        byId("open").onclick = () => { open = new Set(all); render(); fit(); };
        byId("close").onclick = () => { open = new Set(); render(); fit(); };
        render();
        fit();
        search();
    }

    function moves() {
        let from = null;
        svg.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; view.moved = false; });
        window.addEventListener("pointerup", () => { from = null; });
        window.addEventListener("pointermove", (event) => {
            if (!from) return;
            const [x, y] = [event.clientX - from[0], event.clientY - from[1]];
            if (!view.moved && Math.hypot(x, y) < 4) return;
            view.moved = true;
            [view.x, view.y, from] = [view.x + x, view.y + y, [event.clientX, event.clientY]];
            place();
        });
        svg.addEventListener("wheel", (event) => {
            event.preventDefault();
            const corner = svg.getBoundingClientRect();
            const [x, y] = [event.clientX - corner.left, event.clientY - corner.top];
            const scale = Math.min(4, Math.max(0.05, view.scale * Math.exp(-event.deltaY / 500)));
            [view.x, view.y] = [x - (x - view.x) * scale / view.scale, y - (y - view.y) * scale / view.scale];
            view.scale = scale;
            place();
        }, { passive: false });
    }

    byId("graphs").append(...data.graphs.map((it, at) => {
        const tab = html("button", it.label, () => show(at));
        tab.setAttribute("role", "tab");
        return tab;
    }));
    byId("fit").onclick = fit;
    byId("search").addEventListener("input", search);
    window.addEventListener("resize", fit);
    moves();
    if (data.graphs.length) show(0);
})();
