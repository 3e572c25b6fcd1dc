// A server of `roundtable serve` and a browser in front of it, for the scripts beside
// this. Arguments of each: the folder of the packages, a folder for data and pictures, the
// browser, the program, the address of a provider that streams slowly, and an errand.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [modules, folder, browserPath, program, provider, wanted] = process.argv.slice(2);
export const errand = wanted;
const load = createRequire(join(modules, "package.json"));
const { chromium } = load("playwright-core");
const axeSource = readFileSync(join(modules, "node_modules/axe-core/axe.min.js"), "utf8");
export const TOKEN = "a-token-for-the-browser-check";
const WIDTHS = [390, 768, 1280];
export const shots = join(folder, "pictures");
mkdirSync(shots, { recursive: true });
export const found = { console: [], foreign: [], dialogs: 0, axe: {}, overflow: [], steps: [] };

/** What the program finds in its environment; a script may add to it before it serves. */
export const env = {
  HOME: folder, XDG_CONFIG_HOME: join(folder, "config"), ROUNDTABLE_DATA_DIR: join(folder, "data"),
  OLLAMA_BASE_URL: "http://127.0.0.1:9", LLAMACPP_BASE_URL: "http://127.0.0.1:9",
  LMSTUDIO_BASE_URL: "http://127.0.0.1:9", VLLM_BASE_URL: "http://127.0.0.1:9",
  CUSTOM_BASE_URL: provider, GROQ_BASE_URL: provider, ROUNDTABLE_TOKEN: TOKEN, PATH: process.env.PATH,
};

let server = null;
/** The address of the server that runs. */
export let origin = "";
export const kill = () => { if (server) server.kill("SIGKILL"); };
export async function serve(listen) {
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
export const run = (...args) => new Promise((done) => {
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  child.stdout.on("data", (bytes) => { out += bytes; });
  child.stderr.on("data", (bytes) => { out += bytes; });
  child.on("exit", (code) => done({ code, out }));
});

export const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
export async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => found.console.push(error.message));
  page.on("console", (line) => { if (line.type() === "error" && !/ERR_CONNECTION|ERR_INCOMPLETE|Failed to load resource/.test(line.text())) found.console.push(line.text()); });
  page.on("dialog", (dialog) => { found.dialogs += 1; dialog.dismiss(); });
  page.on("request", (request) => { if (!request.url().startsWith("http://127.0.0.1") && !request.url().startsWith("data:")) found.foreign.push(request.url()); });
  return page;
}
export async function signIn(page) {
  await page.goto(origin + "/");
  await page.fill("#t", TOKEN);
  await page.click("button:has-text('Sign in')");
  await page.waitForURL(origin + "/");
}
export const overflows = (page) => page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
export async function axe(page, name) {
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
export async function look(page, name) {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    if (await overflows(page)) {
      const wide = await page.evaluate(() => [...document.querySelectorAll("body *")].filter((part) => part.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !part.closest("pre, .scroll, .vh, .tail")).slice(0, 4).map((part) => part.tagName + "." + part.className + " " + part.textContent.slice(0, 200)));
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
export const done = (step) => found.steps.push(step);

/** Tries again what a busy machine may not have done yet. */
export async function until(check, what, seconds = 60) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
    const value = await check();
    if (value) return value;
    await new Promise((go) => setTimeout(go, 150));
  }
  throw new Error("it never came to this: " + what);
}
/** Fills in the form of a new debate and starts it; its id. */
export async function begin(page, topic, agents, rounds) {
  await page.goto(origin + "/new");
  await page.fill("#topic", topic);
  await page.fill("#named", agents);
  await page.fill("#rounds", String(rounds));
  await page.click(".aside button[value=start]");
  await page.waitForSelector("#live", { timeout: 30000 });
  return page.getAttribute("#live", "data-id");
}
/** Stops the debate of a page by its button, to its card. */
export async function stop(page) {
  await page.click("#live-controls button:has-text('Stop')");
  await page.click("#stop-dialog button:has-text('Stop')");
  await page.waitForSelector(".card", { timeout: 60000 });
}
export const answers = (page) => page.$$eval("#live-rounds article", (all) => all.map((one) => one.id));
/** Runs a story, and prints what it found whatever becomes of it. */
export async function told(story) {
  try {
    await story();
  } catch (error) {
    found.error = String(error && error.stack ? error.stack : error).slice(0, 2000);
    const pages = browser.contexts().flatMap((context) => context.pages());
    if (pages[0]) {
      await pages[0].screenshot({ path: join(shots, "error.png"), fullPage: true }).catch(() => {});
      found.errorText = (await pages[0].innerText("main").catch(() => "")).slice(0, 600);
    }
  } finally {
    kill();
    await browser.close();
  }
  writeFileSync(1, JSON.stringify(found, null, 1));
}
