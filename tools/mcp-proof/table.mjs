// What the JavaScript scripts share: where the server is, what is debated, who sits
// before the client, and the book in which every check is written down.

import { mkdirSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import Ajv2020 from "ajv/dist/2020.js";

export const BINARY = process.env.PROOF_BINARY;
export const SCRATCH = process.env.PROOF_SCRATCH;
export const ERAS = { "2025-11-25": "legacy", "2026-07-28": { pin: "2026-07-28" } };
export const PAIRS = Object.keys(ERAS).flatMap((era) => [[era, "stdio"], [era, "http"]]);
export const QUICK = ["Ann=ollama/fake-large", "Bea=ollama/fake-small"];
export const PRICED = ["Ann=mistral/fake-large", "Bea=mistral/fake-small"];
export const SLOW = ["Ann=ollama/fake-large", "Bea=lmstudio/fake-small"];
/** Ann wants to know something of the user before she answers. */
export const CURIOUS = ["Ann=deepseek/deepseek-flash", "Bea=ollama/fake-small"];

/** All a server may know of this machine: no keys, no config of whoever runs this. */
export function environment(home) {
  const folder = `${SCRATCH}/${home}`;
  mkdirSync(folder, { recursive: true });
  const names = process.env.PROOF_KNOWN.split(" ");
  const known = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  return { ...known, HOME: folder, ROUNDTABLE_DATA_DIR: `${folder}/data` };
}

/** A client that is connected: over HTTP to this address, with the token of a server that
 * wants one, else to a child of its own. */
export async function connected(era, { url, token, home, capabilities = {}, person }) {
  const client = new Client({ name: "mcp-proof", version: "1.0.0" }, {
    capabilities, versionNegotiation: { mode: ERAS[era] },
  });
  person?.sitsAt(client);
  const transport = url
    ? new StreamableHTTPClientTransport(new URL(url), token && {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    })
    : new StdioClientTransport({ command: BINARY, args: ["mcp"], env: environment(home) });
  await client.connect(transport);
  return { client, transport };
}

/** What is checked is counted; the first thing that does not hold ends the run. */
export function bookOf(who) {
  const ajv = new Ajv2020({ strict: false });
  return {
    count: 0,
    holds(what, so, seen) {
      if (!so) throw new Error(`${who}: ${what}; seen: ${JSON.stringify(seen)}`.slice(0, 2000));
      this.count += 1;
    },
    equal(what, seen, wanted) {
      this.holds(`${what} should be ${JSON.stringify(wanted)}`, seen === wanted, seen);
    },
    fits(schema, result) {
      this.holds("it is no error", !result.isError, result.content);
      const valid = ajv.validate(schema, result.structuredContent);
      this.holds("the result fits its schema", valid, ajv.errors);
      return result.structuredContent;
    },
    grows(heard) {
      this.holds("there is progress", heard.length >= 2, heard);
      const grows = heard.every((news, at) => at === 0 || news.progress > heard[at - 1].progress);
      this.holds("progress grows", grows, heard);
      this.holds("progress has words", heard.every((news) => news.message), heard);
    },
  };
}

const ANSWER = JSON.stringify({
  position: "Spaces.", reasoning: "They look alike everywhere [ASSUME].", confidence: 0.8,
  keyPoints: ["They look alike."], vote: { ballot: "ACCEPT" }, claims: [], citations: [],
});

/** Whoever sits before a client: says yes or no, knows a thing, and lends a model. */
export class Person {
  says = "accept";
  forms = [];
  seats = 0;

  fillIn({ message, requestedSchema }) {
    this.forms.push(message);
    if (this.says !== "accept") return { action: this.says };
    const knows = { proceed: true, answer: "Two cups a day." };
    const asked = Object.keys(requestedSchema.properties);
    return { action: "accept", content: Object.fromEntries(asked.map((name) => [name, knows[name]])) };
  }

  speak() {
    this.seats += 1;
    const content = { type: "text", text: ANSWER };
    return { role: "assistant", model: "the-clients-own", stopReason: "endTurn", content };
  }

  sitsAt(client) {
    client.setRequestHandler("elicitation/create", async (request) => this.fillIn(request.params));
    client.setRequestHandler("sampling/createMessage", async () => this.speak());
  }
}

/** Arguments of a start that is like no other start. */
export function question(key, agents = QUICK, more = {}) {
  return {
    topic: "Tabs or spaces?", agents, rounds: 1, clerk: "none", idempotencyKey: key,
    flags: ["groupthinkDetection.enabled=false"], ...more,
  };
}

export const call = (client, name, args, options) =>
  client.callTool({ name, arguments: args }, options);

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Runs what a script is for; the line at the end is all it says when all is well. */
export async function told(script) {
  try {
    console.log(await script());
    process.exit(0);
  } catch (error) {
    console.error(`FAILED: ${error.stack ?? error}`);
    process.exit(1);
  }
}

export const sum = (counts) => counts.reduce((a, b) => a + b, 0);
