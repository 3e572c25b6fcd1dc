// The official TypeScript client against the server, in both eras and over both
// transports: list, call, schema, progress, abort, questions, a seat, and its own
// limit of 60 seconds. Usage: client.mjs URL [long ROUNDS]

import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import Ajv2020 from "ajv/dist/2020.js";
import { abort, consent, debate, list, seat } from "./scenes.mjs";
import { cutOff } from "./limit.mjs";

const [url, what, rounds] = process.argv.slice(2);
const KNOWN = ["OLLAMA_BASE_URL", "LMSTUDIO_BASE_URL", "MISTRAL_BASE_URL", "MISTRAL_API_KEY",
  "LLAMACPP_BASE_URL", "VLLM_BASE_URL", "XDG_CONFIG_HOME"];
const ERAS = { "2025-11-25": "legacy", "2026-07-28": { pin: "2026-07-28" } };

function environment(home) {
  const folder = `${process.env.PROOF_SCRATCH}/${home}`;
  mkdirSync(folder, { recursive: true });
  const known = Object.fromEntries(KNOWN.map((name) => [name, process.env[name]]));
  return { ...known, HOME: folder, ROUNDTABLE_DATA_DIR: `${folder}/data` };
}

function transportOf(kind, home) {
  if (kind === "http") return new StreamableHTTPClientTransport(new URL(url));
  return new StdioClientTransport({
    command: process.env.PROOF_BINARY, args: ["mcp"], env: environment(home),
  });
}

/** What is checked is counted; the first thing that does not hold ends the run. */
function bookOf(who) {
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
  };
}

const ANSWER = JSON.stringify({
  position: "Spaces.", reasoning: "They look alike everywhere [ASSUME].", confidence: 0.8,
  keyPoints: ["They look alike."], vote: { ballot: "ACCEPT" }, claims: [], citations: [],
});

/** Whoever sits before the client: says yes or no, and lends a model. */
function personAt(client) {
  const person = { says: "accept", forms: [], seats: 0 };
  client.setRequestHandler("elicitation/create", async (request) => {
    person.forms.push(request.params.message);
    if (person.says !== "accept") return { action: person.says };
    return { action: "accept", content: { proceed: true } };
  });
  client.setRequestHandler("sampling/createMessage", async () => {
    person.seats += 1;
    const content = { type: "text", text: ANSWER };
    return { role: "assistant", model: "the-clients-own", stopReason: "endTurn", content };
  });
  return person;
}

async function one(era, kind) {
  const key = `typescript-${era}-${kind}-${randomUUID()}`;
  const book = bookOf(`typescript, ${era}, ${kind}`);
  const capabilities = what === "long" ? {} : { elicitation: { form: {} }, sampling: {} };
  const client = new Client({ name: "mcp-proof", version: "1.0.0" }, {
    capabilities, versionNegotiation: { mode: ERAS[era] },
  });
  const person = what === "long" ? undefined : personAt(client);
  await client.connect(transportOf(kind, `typescript-${what ?? "short"}-${era}`));
  const place = { client, book, key, person };
  if (what === "long") {
    await cutOff(place, Number(rounds));
  } else {
    const silent = kind === "http" && era === "2026-07-28";
    const schemas = await list(place);
    await debate(place, schemas);
    await consent(place, schemas);
    await seat(place, schemas);
    await abort(place, silent ? "running" : "paused");
  }
  await client.close();
  return book.count;
}

const sum = (counts) => counts.reduce((a, b) => a + b, 0);

try {
  const pairs = Object.keys(ERAS).flatMap((era) => [[era, "stdio"], [era, "http"]]);
  if (what === "long") {
    const counts = await Promise.all(pairs.map(([era, kind]) => one(era, kind)));
    console.log(`TypeScript client's own limit of 60 s: ${counts.length} debates cut off and ` +
      `picked up by id, ${sum(counts)} checks hold`);
  } else {
    const counts = [];
    for (const [era, kind] of pairs) counts.push(await one(era, kind));
    console.log(`TypeScript client: 2 eras x 2 transports, ${sum(counts)} checks hold (list, ` +
      "call, schema, progress, abort, consent given and refused, seat)");
  }
  process.exit(0);
} catch (error) {
  console.error(`FAILED: ${error.stack ?? error}`);
  process.exit(1);
}
