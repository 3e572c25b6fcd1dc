// Opens exported files in the programs they are meant for and says what it found,
// as one JSON object on standard output. It decides nothing; the test does.
//
//   node check.mjs MODULES FOLDER BROWSER
//
// MODULES: where the packages of package.json are installed. FOLDER: holds
// report.html, map.mmd and map.argdown, as many of them as there are, and takes
// pictures and the PDF. BROWSER: the program to start.

import { createRequire } from "node:module";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, folder, browserPath] = process.argv.slice(2);
const load = createRequire(join(modules, "package.json"));
const file = (name) => join(folder, name);
const found = {};

const { chromium } = load("playwright-core");
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--disable-gpu"],
});

async function report() {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  const seen = { console: [], requests: [], dialogs: 0, axe: {} };
  page.on("console", (message) => seen.console.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => seen.console.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { seen.dialogs += 1; dialog.dismiss(); });
  const address = pathToFileURL(file("report.html")).href;
  page.on("request", (request) => {
    if (request.url() !== address) seen.requests.push(request.url());
  });
  for (const colours of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: colours });
    await page.goto(address);
    seen[`${colours}Paper`] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    // The page's own policy forbids scripts; the checker comes in beside it.
    const axe = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");
    await page.evaluate(axe);
    const checked = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    seen.axe[colours] = checked.violations.map((one) => ({
      id: one.id, impact: one.impact, nodes: one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)),
    }));
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = false; }));
    await page.screenshot({ path: file(`report-${colours}.png`) });
  }
  seen.shape = await page.evaluate(() => {
    const count = (query) => document.querySelectorAll(query).length;
    const drawn = [...document.querySelectorAll(".fig svg")].map((svg) => {
      const box = svg.getBoundingClientRect();
      return { width: box.width, height: box.height, parts: svg.querySelectorAll("*").length };
    }).filter((one) => one.width > 0);
    // No node of the map lies over another.
    const nodes = [...document.querySelectorAll(".map .node")].map((one) => one.getBoundingClientRect());
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const overlaps = nodes.flatMap((one, at) => nodes.slice(at + 1).filter((other) => meet(one, other))).length;
    const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
    return {
      title: document.title,
      drawn,
      overlaps,
      claims: ids.filter((id) => /^C\d+$/.test(id)).sort((a, b) => a.slice(1) - b.slice(1)),
      panels: count(".multi figure"),
      sources: count("li.src"),
      answers: count(".say-block"),
      twice: ids.filter((id, at) => ids.indexOf(id) !== at),
      scripts: count("script"),
      handlers: [...document.querySelectorAll("*")].flatMap((one) =>
        [...one.attributes].filter((a) => /^on/i.test(a.name)).map((a) => a.name)),
      foreign: count("iframe, object, embed, img, form, input, base, link, audio, video, source, template, math"),
      badLinks: [...document.querySelectorAll("a[href]")].map((a) => a.getAttribute("href"))
        .filter((href) => !/^(#|https?:)/i.test(href)),
      looseLinks: [...document.querySelectorAll("a[href^=http]")].filter((a) => !/noopener/.test(a.rel)).length,
      deadAnchors: [...document.querySelectorAll("a[href^='#']")].map((a) => a.getAttribute("href").slice(1))
        .filter((id) => !document.getElementById(id)),
      overflow: document.documentElement.scrollWidth > document.documentElement.clientWidth,
      text: document.body.innerText,
    };
  });
  seen.tabbed = [];
  await page.evaluate(() => window.scrollTo(0, 0));
  const stops = await page.evaluate(() =>
    [...document.querySelectorAll("a[href], summary, [tabindex='0']")]
      .filter((one) => !one.closest("details:not([open])") || one.matches("details > summary"))
      .length);
  // The order shows itself early; hundreds of stops only take time.
  for (let step = 0; step < Math.min(stops, 60); step += 1) {
    await page.keyboard.press("Tab");
    seen.tabbed.push(await page.evaluate(() => {
      const one = document.activeElement;
      const all = [...document.querySelectorAll("*")];
      return { place: all.indexOf(one), name: one.tagName.toLowerCase(), label: (one.getAttribute("aria-label") || one.textContent || "").slice(0, 40) };
    }));
  }
  seen.stops = stops;
  const summary = page.locator("#rounds summary").first();
  if (await summary.count()) {
    await summary.focus();
    await page.keyboard.press("Enter");
    seen.opened = await page.evaluate(() => document.querySelector("#rounds details").open);
  }
  // On a telephone nothing is wider than the window, and nothing is cut off.
  seen.cut = [];
  await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 740 });
    seen.cut.push(...await page.evaluate(() => {
      const edge = document.documentElement.clientWidth + 1;
      const wide = document.documentElement.scrollWidth > edge - 1 ? ["page"] : [];
      const parts = [...document.querySelectorAll("main *")].filter((one) => !one.closest("svg, .vh, pre"));
      const cut = parts.filter((one) => {
        const box = one.getBoundingClientRect();
        const hidden = getComputedStyle(one).overflowX === "hidden" && one.scrollWidth > one.clientWidth + 1;
        return box.width > 0 && (box.right > edge || hidden);
      });
      return wide.concat(cut.slice(0, 5).map((one) => `${document.documentElement.clientWidth}: ${one.tagName}.${one.className} ${one.textContent.slice(0, 40)}`));
    }));
  }
  await page.screenshot({ path: file("report-narrow.png") });
  await page.setViewportSize({ width: 1200, height: 900 });
  await page.emulateMedia({ media: "print" });
  seen.printedRounds = await page.evaluate(() => {
    document.querySelectorAll("details").forEach((one) => { one.open = false; });
    return [...document.querySelectorAll("#rounds details > summary")].filter((one) => one.getBoundingClientRect().height > 0).length;
  });
  const pdf = await page.pdf({ path: file("report.pdf"), format: "A4" });
  seen.sheets = (pdf.toString("latin1").match(/\/Type\s*\/Page[^s]/g) || []).length;
  await page.close();
  return seen;
}

async function mermaid() {
  const page = await browser.newPage();
  const seen = { console: [], dialogs: 0 };
  page.on("pageerror", (error) => seen.console.push(error.message));
  page.on("dialog", (dialog) => { seen.dialogs += 1; dialog.dismiss(); });
  await page.setContent("<!doctype html><title>map</title><div id=out></div>");
  await page.addScriptTag({ path: join(modules, "node_modules/mermaid/dist/mermaid.min.js") });
  const text = readFileSync(file("map.mmd"), "utf8");
  Object.assign(seen, await page.evaluate(async (text) => {
    window.mermaid.initialize({ startOnLoad: false, securityLevel: "loose", maxTextSize: 1e6, maxEdges: 5000 });
    try {
      const parsed = await window.mermaid.parse(text);
      const drawn = await window.mermaid.render("drawn", text);
      document.getElementById("out").innerHTML = drawn.svg;
      await new Promise((done) => setTimeout(done, 50));
      const out = document.getElementById("out");
      return {
        kind: parsed.diagramType,
        nodes: out.querySelectorAll("g.node").length,
        edges: out.querySelectorAll("path.flowchart-link").length,
        foreign: out.querySelectorAll("script, iframe, img, object, embed, form, input, a").length,
        handlers: [...out.querySelectorAll("*")].flatMap((one) =>
          [...one.attributes].filter((a) => /^on/i.test(a.name)).map((a) => a.name)),
        text: [...out.querySelectorAll("g.node")].map((one) => one.textContent),
      };
    } catch (error) {
      return { error: String(error && error.message ? error.message : error) };
    }
  }, text));
  await page.close();
  return seen;
}

function argdown() {
  const core = load("@argdown/core");
  const app = new core.ArgdownApplication();
  app.addPlugin(new core.ParserPlugin(), "parse-input");
  for (const name of ["DataPlugin", "ModelPlugin", "RegroupPlugin", "TagPlugin"]) {
    if (core[name]) app.addPlugin(new core[name](), "build-model");
  }
  const response = app.run({
    process: ["parse-input", "build-model"],
    input: readFileSync(file("map.argdown"), "utf8"),
    logLevel: "error",
  });
  const errors = [...(response.lexerErrors || []), ...(response.parserErrors || []), ...(response.exceptions || [])];
  const statements = response.statements || {};
  return {
    errors: errors.slice(0, 5).map((error) => String(error.message).slice(0, 300)),
    statements: Object.keys(statements),
    arguments: Object.keys(response.arguments || {}),
    relations: (response.relations || []).map((one) => [one.from?.title, one.relationType, one.to?.title]),
    tags: Object.keys(response.tags || {}),
    texts: Object.fromEntries(Object.entries(statements).map(([title, one]) =>
      [title, (one.members || []).map((member) => member.text).filter(Boolean).join("\n")])),
  };
}

try {
  if (existsSync(file("report.html"))) found.report = await report();
  if (existsSync(file("map.mmd"))) found.mermaid = await mermaid();
  if (existsSync(file("map.argdown"))) found.argdown = argdown();
} finally {
  await browser.close();
}
writeFileSync(1, JSON.stringify(found));
