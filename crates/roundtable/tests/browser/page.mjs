// Drives the page of `roundtable serve` in a headless browser and prints what it found.
// The errand `visit` only looks at the debates that are there.
import { join } from "node:path";
import { answers, done, errand, found, kill, look, open, origin, run, serve, shots, signIn, stop, told, until } from "./page_tools.mjs";

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
  await page.fill("#topic", "Shall we <b>paint</b> the shed green or blue?");
  await page.fill("#rounds", "3");
  await page.fill("#budget", "");
  await look(page, "new");
  // Both are signed in before it starts: it does not wait for slow browsers.
  const second = await open();
  await signIn(second);
  await page.click(".aside button[value=start]");
  await page.waitForSelector("#live", { timeout: 60000 });
  const id = await page.getAttribute("#live", "data-id");
  const at = origin.replace("http://", "");
  await page.waitForFunction(() => [...document.querySelectorAll("[data-words]")].some((one) => one.textContent.length > 5), null, { timeout: 60000 });
  found.words = await page.$$eval("[data-words]", (all) => all.map((one) => one.textContent));
  await page.screenshot({ path: join(shots, "live-1280.png"), fullPage: true });
  done("words arrive");
  // A second browser, under the page's own policy, sees the same.
  await second.goto(`${origin}/debates/${id}`);
  // Pause in one, seen in the other.
  await page.click("#live-controls button:has-text('Pause')");
  await second.waitForSelector("#live-controls button:has-text('Go on')", { timeout: 60000 });
  await page.waitForSelector("#live-controls button:has-text('Go on')", { timeout: 60000 });
  await look(page, "paused");
  done("paused in both");
  // A remark, and a focus.
  await page.fill("#rm", "Mind the neighbours.");
  await page.click(".ctl form.grow button");
  await page.waitForSelector(".toast:has-text('Remark')");
  found.remark = await page.textContent(".toast:has-text('Remark')");
  done("remarked");
  await page.click("#live-controls button:has-text('Go on')");
  await page.waitForSelector("#live-controls button:has-text('Pause')", { timeout: 60000 });
  done("resumed");
  // The server is killed while agents write, and comes back; the page finds its way.
  await page.waitForSelector("[data-words]", { timeout: 60000 });
  const before = await answers(page);
  kill();
  await page.waitForSelector("#lost:not([hidden])", { timeout: 60000 });
  await page.screenshot({ path: join(shots, "lost-1280.png"), fullPage: true });
  await serve(at);
  await page.waitForSelector("#lost[hidden]", { state: "attached", timeout: 60000 });
  done("back after a kill");
  await page.waitForFunction((count) => document.querySelectorAll("#live-rounds article").length > count, before.length, { timeout: 60000 });
  const ids = await answers(page);
  found.twice = ids.length !== new Set(ids).size;
  // A reload in mid-debate shows the same answers.
  await second.reload();
  const seen = await answers(second);
  found.missing = ids.filter((one) => !seen.includes(one));
  await stop(page);
  await second.waitForSelector(".card", { timeout: 60000 });
  // All that the log holds is on the page, once.
  const log = JSON.parse((await run("sessions", "show", id, "--json")).out);
  const held = log.rounds.flatMap((round) => round.answers.map(({ turn }) => `round-${turn.round}-seat-${turn.seat + 1}`));
  const shown = await page.$$eval("#rounds article", (all) => all.map((one) => one.id));
  found.held = { held: held.length, lost: held.filter((one) => !shown.includes(one)), twice: shown.length !== new Set(shown).size, more: shown.length - held.length };
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
  // How it turned out is recorded, and changes what was learned.
  await page.check("input[name=accuracy][value='1']");
  await page.fill("#os", "It was right.");
  await page.click("#outcome button:has-text('Record the outcome')");
  await page.waitForSelector(".banner.good:has-text('Outcome recorded')", { timeout: 60000 });
  await page.goto(origin + "/compare");
  await page.click("button:has-text('Compare')");
  await page.waitForSelector(".cmp", { timeout: 60000 });
  found.compared = await page.$$eval(".cmp a", (all) => new Set(all.map((one) => one.href)).size);
  await look(page, "compared");
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

await told(async () => {
  if (errand === "visit") return visit();
  const page = await story();
  await others(page);
  // A debate that a terminal began is live here too: its words arrive as they are written.
  const child = run("debate", "Is the terminal live?", "--agents", "Ada=custom/works,Brook=custom/fake-small", "--rounds", "2", "--quiet");
  await until(async () => {
    await page.goto(origin + "/");
    return page.locator("li.deb:has-text('Is the terminal live?')").count();
  }, "the terminal's debate in the list");
  await page.click("li.deb a:has-text('Is the terminal live?')");
  await page.waitForSelector("#live", { timeout: 60000 });
  found.elsewhere = await page.locator("#live-asks:has-text('Live from elsewhere')").count();
  await page.waitForSelector(".card", { timeout: 120000 });
  found.terminal = (await child).code;
  done("a terminal's debate, to its card");
});
