// What a person does to a debate on the page when not all goes well: a seat that fails is
// dropped, a round is tried again, an agent's question is answered while the server goes
// away and comes back, a tab sleeps, a form is filled in wrongly, all of it by keyboard.
import { answers, begin, done, env, found, kill, look, open, origin, run, serve, signIn, stop, told, until } from "./page_tools.mjs";

const failing = "Ada=custom/works, Brook=custom/fake-small, Chen=custom/fault:bad_key";

/** A seat that fails is offered to be dropped, is asked no more, and the card says so. */
async function dropped(page) {
  await begin(page, "Shall Chen stay at the table?", failing, 9);
  await page.waitForSelector("#drop-3", { timeout: 60000 });
  found.failed = await page.textContent("#seat-3 .state");
  await page.focus("#drop-3");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".toast:has-text('dropped')", { timeout: 60000 });
  await page.waitForSelector("#seat-3 .state:has-text('left')", { timeout: 60000 });
  found.dropAgain = await page.locator("#drop-3, #drop-1, #drop-2").count();
  await page.waitForSelector("#r2", { timeout: 60000 });
  found.left = await page.textContent("#seat-3 .state");
  await stop(page);
  found.beware = await page.textContent(".card");
  done("a seat dropped");
}

/** A debate without a quorum waits, and is tried again from the page. */
async function triedAgain(page) {
  const id = await begin(page, "Shall it be tried again?", "Ada=custom/fake-small, Brook=custom/fault:bad_key@1", 1);
  const again = "#live-asks button:has-text('Try again now')";
  await page.waitForSelector(again, { timeout: 60000 });
  await look(page, "live-paused-failed");
  await page.click(again);
  await page.waitForSelector(".card", { timeout: 60000 });
  const log = JSON.parse((await run("sessions", "show", id, "--json")).out);
  found.tried = log.rounds.flatMap((round) => round.answers).length;
  done("tried again");
}

/** A question is answered; what is typed outlives a server that goes away. */
async function asked(page) {
  await begin(page, "How large shall the pot be?", "Ada=groq/calls:request_context, Brook=custom/fake-small", 1);
  const field = "form[data-answer] input[type=text]";
  await page.waitForSelector(field, { timeout: 60000 });
  await look(page, "live-asks");
  found.question = await page.textContent("form[data-answer] .said");
  // An empty answer is refused at its field.
  await page.click("form[data-answer] button:has-text('Send the answer')");
  await page.waitForSelector("form[data-answer] .err");
  found.askFault = await page.textContent("form[data-answer] .err");
  found.askInvalid = await page.getAttribute(field, "aria-invalid");
  await page.fill(field, "Four cups a day");
  const at = origin.replace("http://", "");
  kill();
  await page.waitForSelector("#lost:not([hidden])", { timeout: 60000 });
  found.lost = await page.textContent("#lost");
  await page.click("form[data-answer] button:has-text('Send the answer')");
  await page.waitForSelector(".toast:has-text('did not answer')");
  await serve(at);
  await page.waitForSelector("#lost[hidden]", { state: "attached", timeout: 60000 });
  found.typed = await page.inputValue(field);
  await page.click("form[data-answer] button:has-text('Send the answer')");
  await page.waitForSelector(".card", { timeout: 60000 });
  done("a question answered");
}

/** A person has a seat of their own: they answer, mend a fault, and pass. */
async function seated(page) {
  const id = await begin(page, "Do I sit here too?", "me, Ada=custom/fake-small, Brook=custom/fake-small", 2);
  const form = "#seat-1 form[data-answer]";
  await page.waitForSelector(form + " textarea", { timeout: 60000 });
  await look(page, "live-turn");
  found.turn = { state: await page.textContent("#seat-1 .state"), pill: await page.textContent("#live-head .pill"), others: await page.textContent("#seat-2 .state") };
  await page.click(form + " button:has-text('Send')");
  await page.waitForSelector(form + " .err");
  found.turn.empty = await page.getAttribute(form + " textarea", "aria-invalid");
  await page.fill(form + " textarea", "In stages. It is cheaper.");
  await page.fill(form + " input[name=confidence]", "very");
  await page.click(form + " button:has-text('Send')");
  await page.waitForSelector(form + " .err:has-text('whole number')");
  found.turn.fault = [await page.getAttribute(form + " input[name=confidence]", "aria-invalid"), await page.getAttribute(form + " textarea", "aria-invalid")];
  found.turn.kept = await page.inputValue(form + " textarea");
  await page.fill(form + " input[name=confidence]", "70");
  await page.click(form + " button:has-text('Send')");
  await page.waitForSelector("#live-head .steps:has-text('Round 2')", { timeout: 60000 });
  await page.waitForSelector(form + " textarea", { timeout: 60000 });
  found.turn.fresh = await page.inputValue(form + " textarea");
  await page.click(form + " button:has-text('Pass')");
  await page.waitForSelector(".card", { timeout: 60000 });
  const log = JSON.parse((await run("sessions", "show", id, "--json")).out);
  const mine = (round) => round.answers.map((one) => one.turn).filter((one) => one.agent === "me").map((one) => [one.answer.position, one.answer.confidence]);
  found.turn.answers = log.rounds.map(mine);
  found.turn.passed = log.rounds[1].gaps.map((gap) => [gap.agent, gap.class]);
  found.turn.models = log.rounds.flatMap((round) => round.answers).filter((one) => one.turn.agent !== "me").length;
  done("a seat of one's own");
}

/** A tab that slept while others watched shows the same when it wakes. */
async function slept(page) {
  const id = await begin(page, "Does a sleeping tab catch up?", "Ada=custom/works, Brook=custom/fake-small", 9);
  const second = await open();
  await signIn(second);
  await second.goto(`${origin}/debates/${id}`);
  const session = await page.context().newCDPSession(page);
  await session.send("Page.setWebLifecycleState", { state: "frozen" });
  await second.waitForSelector("#r2 article", { state: "attached", timeout: 60000 });
  await second.click("#live-controls button:has-text('Pause')");
  await second.waitForSelector("#live-controls button:has-text('Go on')", { timeout: 60000 });
  const there = await answers(second);
  await session.send("Page.setWebLifecycleState", { state: "active" });
  await until(async () => (await answers(page)).join() === there.join(), "the same answers in the tab that slept");
  const here = await answers(page);
  found.slept = { answers: here.length, twice: here.length !== new Set(here).size, order: [...here].sort().join() === here.join() };
  await second.context().close();
  done("a tab slept");
  return id;
}

/** The paused debate is steered, and another begun, without a mouse. */
async function keyed(page, id) {
  await page.goto(`${origin}/debates/${id}`);
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());
  const press = async (key) => { await page.keyboard.press(key); return focused(); };
  found.keys = { r: await press("r") };
  await page.keyboard.type("By hand.");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".toast:has-text('Remark')", { timeout: 60000 });
  found.keys.emptied = await page.inputValue("#rm");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("f");
  await page.waitForSelector("#focus-dialog[open]");
  await page.keyboard.press("Escape");
  // Keys are for the dialog until it is gone.
  await page.waitForSelector("#focus-dialog[open]", { state: "detached", timeout: 60000 });
  await page.waitForSelector("#live-controls button:has-text('Go on')", { timeout: 60000 });
  await page.keyboard.press("p");
  await page.waitForSelector("#live-controls button:has-text('Pause')", { timeout: 60000 });
  // Every stop can be reached with the tabulator, in the order of the page.
  const stops = await page.evaluate(() => {
    document.querySelector(".skip").focus();
    window.stops = [document.activeElement];
    return [...document.querySelectorAll("a[href], button, summary, input")].filter((one) => one.offsetParent !== null && !one.disabled).length;
  });
  for (let step = 1; step < Math.min(stops, 40); step += 1) {
    await page.keyboard.press("Tab");
    await page.evaluate(() => window.stops.push(document.activeElement));
  }
  // Parts that were drawn anew meanwhile have no place any more.
  found.keys.ordered = await page.evaluate(() => {
    const end = window.stops.findIndex((one, at) => one === document.body || window.stops.indexOf(one) < at);
    const there = window.stops.slice(0, end < 0 ? undefined : end).filter((one) => one.isConnected);
    return there.length > 10 && there.every((one, at) => at === 0 || Boolean(there[at - 1].compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING));
  });
  // Stop has no key of its own; it is a button with a question.
  await page.focus("#live-controls form[data-ask] button");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#stop-dialog[open]");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".card", { timeout: 60000 });
  await page.goto(origin + "/");
  await page.keyboard.press("j");
  found.keys.j = await page.evaluate(() => Boolean(document.activeElement.closest("li.deb")));
  found.keys.slash = await press("/");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("?");
  await page.waitForURL(origin + "/keys");
  await page.keyboard.press("n");
  await page.waitForURL(origin + "/new");
  // To the question, the agents and the button with the tabulator alone.
  const to = async (id) => until(async () => (await press("Tab")) === id, "the tabulator at " + id);
  await to("topic");
  await page.keyboard.type("Can it be begun by keyboard?");
  await to("named");
  await page.keyboard.type("Ada=custom/fake-small, Brook=custom/fake-small");
  await to("rounds");
  await page.keyboard.type("1");
  await to("Start the debate");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#live, .card", { timeout: 60000 });
  await page.waitForSelector(".card", { timeout: 60000 });
  done("by keyboard");
}

/** A finished debate is asked further, and branched off; each page leads to the others. */
async function further(page) {
  const first = new URL(page.url()).pathname;
  await page.fill("#fu", "And what follows from it?");
  await page.click("#ask button");
  await page.waitForURL(/\/new\?/);
  found.further = { topic: await page.inputValue("#topic"), told: await page.textContent(".banner") };
  await page.fill("#rounds", "1");
  await page.click("button:has-text('Start the debate')");
  await page.waitForSelector(".card", { timeout: 60000 });
  await look(page, "further");
  found.further.back = await page.getAttribute("a[href='" + first + "']", "href");
  await page.goto(origin + first);
  found.further.on = await page.$$eval("a[href^='/debates/']", (all) => all.filter((one) => one.textContent.includes("what follows")).length);
  await page.click("#fork button");
  await page.waitForSelector(".card", { timeout: 60000 });
  found.further.branch = new URL(page.url()).pathname !== first && (await page.textContent("main")).includes("Branched off after round 1");
  done("asked further");
}

/** Debates are found by domain and state, and the form keeps what was looked for. */
async function finding(page) {
  const lines = async (query) => {
    await page.goto(origin + "/?" + query);
    return page.$$eval("li.deb a.a", (all) => all.length);
  };
  found.finding = { all: (await lines("")) > 0, state: await lines("state=unfinished"), domain: await lines("domain=No+such"), kept: await page.inputValue("#domain") };
  done("found");
}

/** Without scripts a form that fails comes back with its fault and what was typed. */
async function plain() {
  const page = await open({ javaScriptEnabled: false });
  await signIn(page);
  await page.click("li.deb a.a");
  await page.fill("#os", "It went well enough.");
  const place = page.url();
  // A browser would not send it without a choice; a bad value must not get in either.
  const cookie = (await page.context().cookies()).map((one) => `${one.name}=${one.value}`).join("; ");
  const post = (path, data) => page.request.post(place + path, { form: data, headers: { Origin: origin, "Sec-Fetch-Site": "same-origin", Cookie: cookie } });
  const refused = await post("/outcome", { summary: "It went well enough.", accuracy: "much" });
  const text = await refused.text();
  found.outcome = { status: refused.status(), kept: text.includes("It went well enough."), fault: text.includes("outcome-err") };
  found.noSuchAction = (await post("/dance", {})).status();
  await page.goto(origin + "/debates/00000000-none");
  found.unknown = [await page.textContent("h1"), await page.textContent("main")];
  await page.goto(origin + "/no/such/page");
  found.noPage = await page.textContent("h1");
  await page.context().close();
  done("without scripts");
}

/** A link signs in once, and says so when it is used again. */
async function linked() {
  const at = origin.replace("http://", "");
  const link = (await run("open", "--print", "--listen", at)).out.match(/http:\/\/\S+/)[0];
  const page = await open();
  await page.goto(link);
  found.linked = new URL(page.url()).pathname;
  await page.context().clearCookies();
  await page.goto(link);
  found.usedLink = await page.textContent("[role=alert]");
  await page.goto(origin + "/sign-in/1.x.00");
  found.badLink = await page.textContent("[role=alert]");
  await page.context().close();
  done("a link, once");
}

await told(async () => {
  // A model of a provider with a key is offered tools; one of an own server is not.
  env.GROQ_API_KEY = "a-key";
  await serve("127.0.0.1:0");
  await linked();
  const page = await open({ bypassCSP: true });
  await signIn(page);
  await dropped(page);
  await triedAgain(page);
  await asked(page);
  await seated(page);
  const id = await slept(page);
  await keyed(page, id);
  await further(page);
  await finding(page);
  await plain();
});
