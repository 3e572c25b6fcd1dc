// Drives the page of `roundtable serve` in a headless browser and prints what it found.
// Arguments: the folder of the packages, a folder for data and pictures, the browser, the
// program, the address of a provider that streams slowly; `visit` to only look at the
// debates that are there.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [modules, folder, browserPath, program, provider, errand] = process.argv.slice(2);
const load = createRequire(join(modules, "package.json"));
const { chromium } = load("playwright-core");
const axeSource = readFileSync(join(modules, "node_modules/axe-core/axe.min.js"), "utf8");
const TOKEN = "a-token-for-the-browser-check";
const WIDTHS = [390, 768, 1280];
const shots = join(folder, "pictures");
mkdirSync(shots, { recursive: true });
const found = { console: [], foreign: [], dialogs: 0, axe: {}, overflow: [], steps: [] };

const env = {
  HOME: folder, XDG_CONFIG_HOME: join(folder, "config"), ROUNDTABLE_DATA_DIR: join(folder, "data"),
  OLLAMA_BASE_URL: "http://127.0.0.1:9", LLAMACPP_BASE_URL: "http://127.0.0.1:9",
  LMSTUDIO_BASE_URL: "http://127.0.0.1:9", VLLM_BASE_URL: "http://127.0.0.1:9",
  CUSTOM_BASE_URL: provider, ROUNDTABLE_TOKEN: TOKEN, PATH: process.env.PATH,
};

let server = null, origin = "";
async function serve(listen) {
  server = spawn(program, ["serve", "--listen", listen], { env, stdio: ["ignore", "pipe", "pipe"] });
  origin = await new Promise((done, fail) => {
    let text = "";
    server.stderr.on("data", (bytes) => {
      text += bytes;
      const at = text.match(/http:\/\/([^\s/]+)\/mcp/);
      if (at) done("http://" + at[1]);
    });
    server.on("exit", (code) => fail(new Error("serve ended with " + code + ": " + text)));
  });
  server.removeAllListeners("exit");
}
const run = (...args) => new Promise((done) => {
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  child.stdout.on("data", (bytes) => { out += bytes; });
  child.stderr.on("data", (bytes) => { out += bytes; });
  child.on("exit", (code) => done({ code, out }));
});

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => found.console.push(error.message));
  page.on("console", (line) => { if (line.type() === "error" && !/ERR_CONNECTION|ERR_INCOMPLETE|Failed to load resource/.test(line.text())) found.console.push(line.text()); });
  page.on("dialog", (dialog) => { found.dialogs += 1; dialog.dismiss(); });
  page.on("request", (request) => { if (!request.url().startsWith("http://127.0.0.1") && !request.url().startsWith("data:")) found.foreign.push(request.url()); });
  return page;
}
async function signIn(page) {
  await page.goto(origin + "/");
  await page.fill("#t", TOKEN);
  await page.click("button:has-text('Sign in')");
  await page.waitForURL(origin + "/");
}
const overflows = (page) => page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
async function axe(page, name) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    // The page's own policy lets no foreign script in, so the checker is evaluated.
    const result = await page.evaluate(async ([source]) => {
      if (!window.axe) (0, eval)(source);
      return (await window.axe.run(document, { resultTypes: ["violations"] })).violations.map((one) => [one.id, one.nodes.length, one.nodes[0].target.join(" "), one.nodes[0].html.slice(0, 160)]);
    }, [axeSource]).catch((error) => ["not run: " + error.message.slice(0, 200)]);
    found.axe[name + "-" + colorScheme] = result;
  }
  await page.emulateMedia({ colorScheme: "light" });
}
// The view in three widths, in the dark, and as a picture.
async function look(page, name) {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    if (await overflows(page)) {
      const wide = await page.evaluate(() => [...document.querySelectorAll("body *")].filter((part) => part.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !part.closest("pre, .scroll, .vh, .tail")).slice(0, 4).map((part) => part.tagName + "." + part.className));
      found.overflow.push([name, width, wide]);
    }
    await page.screenshot({ path: join(shots, `${name}-${width}.png`), fullPage: true });
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.screenshot({ path: join(shots, `${name}-1280-dark.png`), fullPage: true });
  await page.emulateMedia({ colorScheme: "light" });
  await axe(page, name);
}
const done = (step) => found.steps.push(step);

async function story() {
  await serve("127.0.0.1:0");
  const page = await open({ bypassCSP: true });
  // Wrong token, then the right one.
  await page.goto(origin + "/");
  found.redirected = page.url().includes("/sign-in");
  await page.fill("#t", "wrong");
  await page.click("button:has-text('Sign in')");
  found.wrongToken = await page.textContent("[role=alert]");
  await look(page, "sign-in");
  await signIn(page);
  done("signed in");
  await look(page, "empty");
  // A form with faults keeps what was typed.
  await page.goto(origin + "/new");
  await page.fill("#rounds", "40");
  await page.fill("#budget", "lots");
  await page.fill("#named", "Ada=custom/works, Brook=custom/fake-small");
  await page.click(".aside button[value=start]");
  await page.waitForSelector("[role=alert]");
  found.faults = await page.$$eval(".err", (all) => all.map((one) => one.textContent.trim()));
  found.kept = [await page.inputValue("#rounds"), await page.inputValue("#budget"), await page.inputValue("#named")];
  await look(page, "errors");
  done("faults shown");
  // Start, watch words arrive.
  await page.fill("#topic", "Shall we <b>paint</b> the shed green or blue?");
  await page.fill("#rounds", "3");
  await page.fill("#budget", "");
  await look(page, "new");
  await page.click(".aside button[value=start]");
  await page.waitForSelector("#live", { timeout: 20000 });
  const id = await page.getAttribute("#live", "data-id");
  const at = origin.replace("http://", "");
  await page.waitForFunction(() => [...document.querySelectorAll("[data-words]")].some((one) => one.textContent.length > 5), null, { timeout: 20000 });
  found.words = await page.$$eval("[data-words]", (all) => all.map((one) => one.textContent));
  await page.screenshot({ path: join(shots, "live-1280.png"), fullPage: true });
  done("words arrive");
  // A second browser, under the page's own policy, sees the same.
  const second = await open();
  await signIn(second);
  await second.goto(`${origin}/debates/${id}`);
  // Pause in one, seen in the other.
  await page.click("#live-controls button:has-text('Pause')");
  await second.waitForSelector("#live-controls button:has-text('Go on')", { timeout: 20000 });
  await page.waitForSelector("#live-controls button:has-text('Go on')", { timeout: 20000 });
  await look(page, "paused");
  done("paused in both");
  // A remark, and a focus.
  await page.fill("#rm", "Mind the neighbours.");
  await page.click(".ctl form.grow button");
  await page.waitForSelector(".toast:has-text('Remark')");
  found.remark = await page.textContent(".toast:has-text('Remark')");
  done("remarked");
  // The server is killed and comes back; the page finds its way.
  const before = await page.$$eval("#live-rounds article", (all) => all.map((one) => one.id));
  server.kill("SIGKILL");
  await page.waitForSelector("#lost:not([hidden])", { timeout: 20000 });
  await page.screenshot({ path: join(shots, "lost-1280.png"), fullPage: true });
  await serve(at);
  await page.waitForSelector("#lost[hidden]", { state: "attached", timeout: 30000 });
  done("back after a kill");
  await page.click("#live-controls button:has-text('Go on')");
  await page.waitForSelector("#live-controls button:has-text('Pause')", { timeout: 20000 });
  done("resumed");
  await page.waitForFunction((count) => document.querySelectorAll("#live-rounds article").length > count, before.length, { timeout: 60000 });
  const ids = await page.$$eval("#live-rounds article", (all) => all.map((one) => one.id));
  found.twice = ids.length !== new Set(ids).size;
  // A reload in mid-debate shows the same answers.
  await second.reload();
  const seen = await second.$$eval("#live-rounds article", (all) => all.map((one) => one.id));
  found.missing = ids.filter((one) => !seen.includes(one));
  await page.click("#live-controls button:has-text('Stop')");
  await page.click("#stop-dialog button:has-text('Stop')");
  await page.waitForSelector(".card", { timeout: 40000 });
  await second.waitForSelector(".card", { timeout: 40000 });
  done("stopped, and the card in both");
  found.bold = await page.$$eval(".question h1 b", (all) => all.length);
  await second.context().close();
  return page;
}

async function others(page) {
  // The example, in full, is what most people see first.
  const example = await run("debate", "Should a five-person startup build its product as microservices or as a modular monolith?", "--quiet");
  found.example = example.code;
  await page.goto(origin + "/");
  await look(page, "debates");
  await page.click("li.deb a.a");
  await page.waitForSelector(".card");
  await look(page, "finished");
  found.sections = await page.$$eval("section.sec h2", (all) => all.map((one) => one.textContent));
  found.deadLinks = await page.$$eval("a[href^='#']", (all) => [...new Set(all.map((one) => one.getAttribute("href")).filter((href) => href.length > 1 && !document.getElementById(decodeURIComponent(href.slice(1)))))]);
  await page.emulateMedia({ media: "print" });
  const pdf = await page.pdf({ format: "A4", path: join(shots, "finished.pdf") });
  found.sheets = (pdf.toString("latin1").match(/\/Type\s*\/Page[^s]/g) || []).length;
  await page.emulateMedia({ media: "screen" });
  found.bytes = (await (await page.request.get(page.url())).body()).length;
  for (const [name, path] of [["compare", "/compare"], ["learning", "/learning"], ["agents", "/agents"], ["keys", "/keys"]]) {
    await page.goto(origin + path);
    await look(page, name);
  }
  await page.goto(origin + "/debates/none-such");
  found.unknown = await page.textContent("h1");
  // Without scripts everything is still there.
  const plain = await open({ javaScriptEnabled: false });
  await signIn(plain);
  await plain.click("li.deb a.a");
  found.plainCard = await plain.locator(".card .say p").count();
  await plain.context().close();
  // A change from elsewhere is refused.
  const evil = await page.request.post(origin + "/debates/x/stop", { headers: { Origin: "http://evil.example", "Sec-Fetch-Site": "cross-site" } });
  found.foreignPost = evil.status();
  const header = await page.request.get(origin + "/");
  found.policy = header.headers()["content-security-policy"];
}

// Looks at every debate of the list, under the page's own policy.
async function visit() {
  await serve("127.0.0.1:0");
  const page = await open();
  await signIn(page);
  const places = await page.$$eval("li.deb a.a", (all) => all.map((one) => one.getAttribute("href")));
  found.visited = [];
  for (const place of places) {
    await page.goto(origin + place);
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    await page.waitForTimeout(200);
    found.visited.push(await page.evaluate(() => ({
      scripts: document.querySelectorAll("main script, main iframe, main img, main object, main embed, main link, main style").length,
      handlers: [...document.querySelectorAll("*")].flatMap((one) => [...one.attributes].filter((a) => /^on/i.test(a.name) || (a.name === "href" && /^(javascript|data|vbscript):/i.test(a.value))).map((a) => a.name)),
      overflow: document.documentElement.scrollWidth > document.documentElement.clientWidth,
      title: document.querySelector("h1").textContent,
    })));
  }
}

try {
  if (errand === "visit") {
    await visit();
    throw null;
  }
  const page = await story();
  await others(page);
  // A debate that a terminal began is live here too.
  const child = run("debate", "Is the terminal live?", "--agents", "Ada=custom/works,Brook=custom/fake-small", "--rounds", "2", "--quiet");
  await page.goto(origin + "/");
  for (let tries = 0; tries < 40 && !(await page.locator("li.deb:has-text('Is the terminal live?')").count()); tries += 1) {
    await page.waitForTimeout(250);
    await page.reload();
  }
  await page.click("li.deb a:has-text('Is the terminal live?')");
  await page.waitForSelector(".card", { timeout: 60000 });
  found.terminal = (await child).code;
  done("a terminal's debate, to its card");
} catch (error) {
  if (error) found.error = String(error && error.stack ? error.stack : error).slice(0, 2000);
  const pages = error ? browser.contexts().flatMap((context) => context.pages()) : [];
  if (pages[0]) { await pages[0].screenshot({ path: join(shots, "error.png"), fullPage: true }).catch(() => {}); found.errorText = (await pages[0].innerText("main").catch(() => "")).slice(0, 600); }
} finally {
  if (server) server.kill("SIGKILL");
  await browser.close();
}
writeFileSync(1, JSON.stringify(found, null, 1));
