// Shows a debate in the page that clients draw inside themselves, as a host would:
// the server is asked for the page, which sits in a frame in a frame, with the policy
// of the MCP Apps specification, and reaches the server through the host alone. Says
// what it found, as one JSON object on standard output. It decides nothing; the test
// does.
//
//   node app.mjs MODULES FOLDER BROWSER SERVER SESSION
//
// FOLDER takes the pictures. SERVER: the program, which finds its home in the
// environment. SESSION: the id of a debate that is over.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [modules, folder, browserPath, program, sessionId] = process.argv.slice(2);
const load = createRequire(join(modules, "package.json"));
const HOST = "http://host.example", SANDBOX = "http://sandbox.example";
// What a host must enforce for a page that names no addresses.
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; base-uri 'self'; object-src 'none'";

/** The server, one message a line. */
function begin() {
  const server = spawn(program, ["mcp"], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  let number = 0;
  createInterface({ input: server.stdout }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    waiting.get(id)?.(error ? { error } : { result });
    waiting.delete(id);
  });
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (method, params) => new Promise((resolve) => {
    number += 1;
    waiting.set(number, resolve);
    send({ id: number, method, params });
  });
  return { ask, send, end: () => server.stdin.end() };
}

const server = begin();
const capabilities = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };
await server.ask("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "host", version: "1" } });
server.send({ method: "notifications/initialized" });
const { tools } = (await server.ask("tools/list", {})).result;
const { resourceUri } = tools.find((tool) => tool.name === "get_consensus")._meta.ui;
const view = (await server.ask("resources/read", { uri: resourceUri })).result.contents[0];
const whole = (await server.ask("tools/call", { name: "get_consensus", arguments: { sessionId } })).result;

// The host's own page: starts the proxy, speaks the protocol, remembers what it heard.
const hostPage = `<!doctype html><html lang="en"><title>Host</title>
<style>body { margin: 0 } iframe { border: 0; width: 100%; height: 300px }</style>
<iframe id="proxy" title="App" sandbox="allow-scripts allow-same-origin" src="${SANDBOX}/proxy"></iframe>
<script>
const frame = document.getElementById("proxy");
window.heard = [];
window.say = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "${SANDBOX}");
window.addEventListener("message", async ({ source, data }) => {
  if (source !== frame.contentWindow) return;
  window.heard.push(data);
  const { id, method, params } = data;
  if (method === "ui/notifications/size-changed") frame.style.height = params.height + "px";
  if (method === "ui/initialize") window.say({ id, result: { protocolVersion: "2026-01-26",
    hostInfo: { name: "host", version: "1" }, hostCapabilities: { openLinks: {}, serverTools: {} }, hostContext: window.context } });
  else if (method === "tools/call") window.say({ id, ...await window.toServer(method, params) });
  else if (id !== undefined && method !== undefined) window.say({ id, result: {} });
});
</script></html>`;

// Between host and page: passes messages on, both ways, and does nothing else.
const proxyPage = `<!doctype html><html lang="en"><title>Proxy</title>
<style>html, body { margin: 0; height: 100% } iframe { display: block; border: 0; width: 100%; height: 100% }</style>
<iframe id="view" title="App" sandbox="allow-scripts" src="/view"></iframe>
<script>
const view = document.getElementById("view");
window.addEventListener("message", ({ source, data }) => {
  if (source === window.parent) view.contentWindow.postMessage(data, "*");
  if (source === view.contentWindow) window.parent.postMessage(data, "${HOST}");
});
</script></html>`;

const PAGES = {
  [`${HOST}/`]: { body: hostPage },
  [`${SANDBOX}/proxy`]: { body: proxyPage },
  [`${SANDBOX}/view`]: { body: view.text, headers: { "content-security-policy": POLICY } },
};

const { chromium } = load("playwright-core");
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });

/** The page in a host of these colours, after the call has begun. */
async function open(theme, width, seen) {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  page.on("console", (message) => seen.console.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => seen.console.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { seen.dialogs += 1; dialog.dismiss(); });
  await page.route("**", (route) => {
    const known = PAGES[route.request().url()];
    if (known) return route.fulfill({ contentType: "text/html; charset=utf-8", ...known });
    // The browser itself asks a new place for its icon.
    if (!route.request().url().endsWith("/favicon.ico")) seen.requests.push(route.request().url());
    return route.abort();
  });
  await page.exposeFunction("toServer", (method, params) => {
    seen.calls.push(params.name);
    return server.ask(method, params);
  });
  await page.addInitScript((theme) => { window.context = { theme, displayMode: "inline" }; }, theme);
  await page.goto(`${HOST}/`);
  const heard = (method) => page.waitForFunction((method) => window.heard.some((one) => one.method === method), method);
  await heard("ui/notifications/initialized");
  await page.evaluate((args) => window.say({ method: "ui/notifications/tool-input", params: { arguments: args } }), { sessionId });
  return page;
}

const drawn = (page) => page.frames().find((frame) => frame.url() === `${SANDBOX}/view`);
const result = (page, given) => page.evaluate((given) => window.say({ method: "ui/notifications/tool-result", params: given }), given);

/** All rounds of the debate are fetched through the host; then nothing is missing. */
const complete = (page) => drawn(page).waitForFunction((held) =>
  [...document.querySelectorAll("h2")].some((one) => one.textContent === "Rounds") &&
  document.querySelectorAll("summary[data-key^='round ']").length === held, whole.structuredContent.metadata.roundsHeld);

/** The frame is as high as the page in it wants to be. */
const settled = (page) => page.waitForFunction(() => {
  const sizes = window.heard.filter((one) => one.method === "ui/notifications/size-changed");
  return sizes.length > 0 && document.getElementById("proxy").clientHeight === sizes.at(-1).params.height;
});

/** A picture of all of it: the window is made as high as the frame, and painted. */
async function pictured(page, name) {
  await settled(page);
  const height = await page.evaluate(() => document.getElementById("proxy").clientHeight);
  await page.setViewportSize({ width: page.viewportSize().width, height });
  await drawn(page).evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.screenshot({ path: join(folder, name) });
}

async function shown(theme, seen) {
  const page = await open(theme, 760, seen);
  await result(page, whole);
  await complete(page);
  await settled(page);
  const frame = drawn(page);
  seen.papers[theme] = await frame.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await pictured(page, `app-${theme}.png`);
  await frame.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
  await frame.evaluate(readFileSync(load.resolve("axe-core/axe.min.js"), "utf8"));
  const checked = await frame.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  seen.axe[theme] = checked.violations.map((one) => ({ id: one.id, nodes: one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)) }));
  await pictured(page, `app-${theme}-open.png`);
  seen.shape = await frame.evaluate(() => {
    const texts = (query) => [...document.querySelectorAll(query)].map((one) => one.textContent);
    const [table, curve] = [...document.querySelectorAll("svg")];
    return {
      answer: document.querySelector("h1").textContent,
      headings: texts("h2"),
      seats: table?.querySelectorAll(".seat").length,
      points: curve?.querySelectorAll(".seat").length,
      agents: texts("summary[data-key^='agent '] b"),
      rounds: texts("summary[data-key^='round '] b"),
      sources: texts(".sources li"),
      links: texts(".sources button").length,
      overflow: document.documentElement.scrollWidth > document.documentElement.clientWidth,
      cut: document.documentElement.scrollHeight > window.innerHeight,
      foreign: document.querySelectorAll("iframe, object, embed, img, form, input, base, link, a, audio, video, template, math").length,
      scripts: document.querySelectorAll("script").length,
      handlers: [...document.querySelectorAll("*")].flatMap((one) => [...one.attributes].filter((a) => /^on/i.test(a.name)).map((a) => a.name)),
      text: document.body.innerText,
    };
  });
  return page;
}

/** A debate that runs is looked at again by the page itself, until it is over. */
async function followed(seen) {
  const page = await open("light", 360, seen);
  const { decision, evidence, ...rest } = whole.structuredContent;
  const progress = { round: 1, rounds: 3, turns: 4, turnsExpected: 9, percent: 44, pollAfterSeconds: 5 };
  const running = { ...rest, status: "running", summary: "Round 2 of 3 is held.", agentResponses: [], progress };
  await result(page, { content: [], structuredContent: running });
  await drawn(page).waitForSelector("[role=progressbar]");
  await pictured(page, "app-running.png");
  // The reader opens a round meanwhile; it must not be shut when the page is drawn anew.
  const opened = drawn(page).locator("summary[data-key='round 1']");
  // Pressed from within: a pointer could miss it while the page grows.
  await opened.evaluate((summary) => { summary.focus(); summary.click(); });
  await drawn(page).waitForFunction((answer) => document.querySelector("h1").textContent === answer, decision.answer);
  await complete(page);
  await pictured(page, "app-narrow.png");
  const kept = await drawn(page).evaluate(() => {
    const [round] = [...document.querySelectorAll("summary[data-key='round 1']")];
    return { open: round.parentElement.open, focused: document.activeElement === round };
  });
  const overflow = await drawn(page).evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  await page.close();
  return { kept, overflow };
}

/** What else a host may say: other colours, a refusal, a question, the end. */
async function minded(page, seen) {
  const context = { theme: "light", styles: { variables: { "--color-background-primary": "rgb(1, 2, 3)", "--evil": "url(http://127.0.0.1:9/)" } } };
  await page.evaluate((context) => window.say({ method: "ui/notifications/host-context-changed", params: context }), context);
  await drawn(page).waitForFunction(() => getComputedStyle(document.body).backgroundColor === "rgb(1, 2, 3)");
  const evil = await drawn(page).evaluate(() => document.documentElement.style.getPropertyValue("--evil"));
  const link = drawn(page).locator(".sources button").first();
  const linked = await link.count() > 0;
  if (linked) await link.click();
  for (const [id, method] of [["p", "ping"], ["x", "no/such"], ["t", "ui/resource-teardown"]]) {
    await page.evaluate(([id, method]) => window.say({ id, method, params: {} }), [id, method]);
  }
  await page.waitForFunction(() => window.heard.some((one) => one.id === "t"));
  const heard = await page.evaluate(() => window.heard.filter((one) => ["p", "x", "t"].includes(one.id) || one.method === "ui/open-link"));
  await page.close();
  const refused = await open("light", 760, seen);
  await result(refused, { isError: true, content: [{ type: "text", text: "There is no such debate." }] });
  await drawn(refused).waitForFunction(() => document.body.innerText.includes("There is no such debate."));
  await refused.close();
  return { evil, linked, heard };
}

const seen = { mimeType: view.mimeType, console: [], requests: [], dialogs: 0, calls: [], axe: {}, papers: {} };
try {
  await (await shown("light", seen)).close();
  const page = await shown("dark", seen);
  seen.minded = await minded(page, seen);
  seen.calls = [];
  seen.followed = await followed(seen);
} finally {
  await browser.close();
  server.end();
}
writeFileSync(1, JSON.stringify({ ...seen, whole: whole.structuredContent }));
