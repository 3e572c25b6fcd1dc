// The same as killed.py, with the TypeScript client: a server killed in mid-debate,
// and the debate picked up by its id from the one that comes after it.
// Usage: killed.mjs PORT PORT

import { spawn } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { BINARY, ERAS, SCRATCH, SLOW, bookOf, call, connected, environment, pause, question, sum, told } from "./table.mjs";

const ports = process.argv.slice(2);

/** A debate in which one has spoken and the other has not. */
async function begin({ client, book, key }) {
  const args = question(key, SLOW, { waitSeconds: 0 });
  const { sessionId } = (await call(client, "start_roundtable", args)).structuredContent;
  for (let looks = 0; looks < 100; looks += 1) {
    const seen = (await call(client, "get_consensus", { sessionId, waitSeconds: 0 })).structuredContent;
    if (seen.progress?.turns === 1) return { sessionId };
    await pause(100);
  }
  book.holds("one of the two has spoken", false);
}

/** A server goes on with its own debates, which may be completed by then. */
async function pickUp({ client, book }, session, left = ["paused"]) {
  let done = { status: "running" };
  for (let looks = 0; looks < 100 && done.status === "running"; looks += 1) {
    done = (await call(client, "get_consensus", session)).structuredContent;
  }
  book.holds(`the status after the kill is one of ${left}`, left.includes(done.status), done.status);
  if (done.status === "paused") {
    book.equal("what to call next", done.next[0].tool, "continue_roundtable");
    done = (await call(client, "continue_roundtable", session)).structuredContent;
  }
  book.equal("the same debate", done.sessionId, session.sessionId);
  book.equal("status at the end", done.status, "completed");
  book.equal("answers", done.agentResponses.length, 2);
}

async function fails({ client, book }, session) {
  let why;
  await call(client, "get_consensus", session, { timeout: 20_000 }).catch((error) => { why = String(error); });
  book.holds("the client is told that its server is gone", why && !/timed out/i.test(why), why);
}

async function overStdio(era) {
  const key = `killed-typescript-${era}`;
  const book = bookOf(`kill -9 over stdio, ${era}`);
  const { client, transport } = await connected(era, { home: key });
  const session = await begin({ client, book, key });
  const gone = new Promise((closed) => { client.onclose = closed; });
  process.kill(transport.pid, "SIGKILL");
  await gone;
  await fails({ client, book }, session);
  const next = await connected(era, { home: key });
  await pickUp({ client: next.client, book }, session);
  await next.client.close();
  return book.count;
}

async function serve(port, home) {
  const log = openSync(`${SCRATCH}/${home}.log`, "a");
  const args = ["serve", "--listen", `127.0.0.1:${port}`];
  const server = spawn(BINARY, args, { env: environment(home), stdio: ["ignore", log, log] });
  for (let looks = 0; looks < 200; looks += 1) {
    if (await fetch(`http://127.0.0.1:${port}/mcp`).then(() => true, () => false)) return server;
    await pause(50);
  }
  server.kill("SIGKILL");
  throw new Error(`nothing listens at ${port}`);
}

/** A client of the newer era lives through it: it holds no connection. One of the
 * older era is told that its session is gone, and connects anew. */
async function overHttp(era, port) {
  const [url, key] = [`http://127.0.0.1:${port}/mcp`, `killed-typescript-http-${era}`];
  const book = bookOf(`kill -9 over HTTP, ${era}`);
  let server = await serve(port, key);
  // The server has made its token, and keeps it when it is killed.
  const token = readFileSync(`${SCRATCH}/${key}/data/server-token`, "utf8").trim();
  try {
    let { client } = await connected(era, { url, token });
    const session = await begin({ client, book, key });
    server.kill("SIGKILL");
    await once(server, "exit");
    server = await serve(port, key);
    if (era !== "2026-07-28") {
      await fails({ client, book }, session);
      ({ client } = await connected(era, { url, token }));
    }
    await pickUp({ client, book }, session, ["paused", "completed"]);
  } finally {
    server.kill("SIGKILL");
  }
  return book.count;
}

told(async () => {
  const runs = Object.keys(ERAS).flatMap((era, at) => [overStdio(era), overHttp(era, ports[at])]);
  const counts = await Promise.all(runs);
  return `kill -9 in mid-debate, TypeScript client: ${counts.length} of 4 picked up by id ` +
    `(2 eras x 2 transports), ${sum(counts)} checks hold`;
});
