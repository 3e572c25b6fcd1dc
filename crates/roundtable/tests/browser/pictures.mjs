// Takes the pictures of the README from the real program: the built-in example, live and
// finished, in the light, in the dark and on a phone. The errand is the folder they go to.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { errand, found, open, origin, serve, signIn, told } from "./page_tools.mjs";

const EXAMPLE = "Should a five-person startup build its product as microservices or as a modular monolith?";

/** What the window shows, in a format that is small. */
async function take(page, name) {
  await page.evaluate(() => document.fonts.ready);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 82 });
  const bytes = Buffer.from(data, "base64");
  writeFileSync(join(errand, `${name}.webp`), bytes);
  found.steps.push(`${name}.webp: ${bytes.length} bytes`);
}

await told(async () => {
  await serve("127.0.0.1:0");
  const page = await open({ viewport: { width: 1280, height: 960 } });
  await signIn(page);
  await page.goto(origin + "/new");
  await page.fill("#topic", EXAMPLE);
  await page.click(".aside button[value=start]");
  await page.waitForSelector("#live", { timeout: 60000 });
  // Somebody writes, and a round is over, where the example leaves the time for it.
  await page.waitForFunction(() => document.querySelector("#r2") && [...document.querySelectorAll("[data-words]")].some((one) => one.textContent.length > 120), null, { timeout: 20000 })
    .then(() => take(page, "live"), () => found.steps.push("live: the example was too fast"));
  await page.waitForSelector(".card", { timeout: 60000 });
  const place = page.url();
  await page.goto(place);
  await take(page, "finished");
  await page.emulateMedia({ colorScheme: "dark" });
  await take(page, "finished-dark");
  await page.locator("#map").scrollIntoViewIfNeeded();
  await page.evaluate(() => document.querySelector("#map").scrollIntoView());
  await page.emulateMedia({ colorScheme: "light" });
  await take(page, "map");
  const phone = await open({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 });
  await signIn(phone);
  await phone.goto(place);
  await take(phone, "phone");
});
