// Opens a log in TensorBoard, in a browser without a window, and complains of what is not shown.
// node tensorboard.mjs TENSORBOARD BROWSER PLAYWRIGHT LOG [FOLDER FOR SCREENSHOTS]

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [tensorboard, browserPath, playwright, log, pictures] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(resolve(playwright));

const port = 20000 + (process.pid % 20000);
const server = spawn(tensorboard, ["--logdir", log, "--port", String(port), "--host", "127.0.0.1"]);
const base = `http://127.0.0.1:${port}`;

async function up() {
    for (let tries = 0; tries < 150; tries++) {
        try {
            if ((await fetch(`${base}/data/runs`)).ok) return;
        } catch {
            // It is not up yet.
        }
        await new Promise((done) => setTimeout(done, 200));
    }
    throw new Error("TensorBoard does not answer");
}

function demand(holds, what) {
    if (!holds) throw new Error(`not shown: ${what}`);
}

async function look(page) {
    const shot = (name) => (pictures ? page.screenshot({ path: `${pictures}/${name}.png` }) : null);
    await page.goto(`${base}/#graphs&run=run`);
    // Playwright's selectors go through shadow roots.
    const node = (name) => page.locator(`g.node[data-name="${name}"]`);
    await node("gradients").waitFor({ timeout: 30000 });
    for (const scope of ["dense1", "loss", "gradients"]) {
        demand(await node(scope).count(), `the block ${scope}`);
    }
    await page.waitForTimeout(1500);
    await shot("tensorboard-graph");
    for (const scope of ["gradients", "gradients/loss", "gradients/loss/Square_grad"]) {
        await node(scope).locator("> .nodeshape").first().dblclick({ force: true, timeout: 10000 });
        await page.waitForTimeout(1500);
    }
    const inner = await page.locator('g.node[data-name^="gradients/loss/Square_grad/"]').count();
    demand(inner > 0, "the nodes of gradients/loss/Square_grad");
    const labels = await page.locator("svg text.edgeLabel, svg textPath").allTextContents();
    demand(labels.some((it) => it.includes("×")), `sizes on edges, only ${JSON.stringify(labels)}`);
    await shot("tensorboard-gradients");
    // A new page: TensorBoard does not follow the fragment of an old one.
    await page.goto("about:blank");
    await page.goto(`${base}/#scalars`);
    await page.getByText("loss").first().waitFor({ timeout: 30000 });
    for (const [plugin, tag] of [["histograms", "dense1/weight"], ["images", "pixels"], ["scalars", "loss"]]) {
        const tags = await (await fetch(`${base}/data/plugin/${plugin}/tags`)).json();
        demand(tag in (tags.run ?? {}), `${tag} among the ${plugin}: ${JSON.stringify(tags)}`);
    }
    const info = await (await fetch(`${base}/data/plugin/graphs/info`)).json();
    demand(JSON.stringify(info).includes("step 0"), `the times of a step: ${JSON.stringify(info)}`);
}

try {
    await up();
    const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
    const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    try {
        await look(page);
    } catch (error) {
        if (pictures) await page.screenshot({ path: `${pictures}/tensorboard-failed.png` });
        throw error;
    } finally {
        await browser.close();
    }
    console.log("all is shown");
} finally {
    server.kill();
}
