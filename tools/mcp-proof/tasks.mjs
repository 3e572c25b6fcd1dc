// Tasks through the official package for them, beneath the TypeScript client: begun,
// followed, cancelled, picked up by another connection, and asked on the way. A
// client of the older era is given no task and gets its result in the call.

import { createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";
import { answered } from "./scenes.mjs";
import { CURIOUS, Person, QUICK, SLOW, connected, question } from "./table.mjs";

const INFO = { name: "mcp-proof", version: "1.0.0" };
const CAPABILITIES = { elicitation: { form: {} }, sampling: {} };
const START = "start_roundtable";

/** The client refuses results that are tasks, so their package wants a way past it. */
function past(transport) {
  const waiting = new Map();
  const usual = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const heard = waiting.get(message.id);
    if (!heard) return usual(message, extra);
    waiting.delete(message.id);
    const { result, error } = message;
    heard(error ? { kind: "error", error } : { kind: "result", result });
  };
  let number = 0;
  return (request) => new Promise((resolve, reject) => {
    const id = `past-${number += 1}`;
    waiting.set(id, resolve);
    transport.send({ jsonrpc: "2.0", id, ...request }).catch(reject);
  });
}

async function session(place, person) {
  const { client, transport } = await connected(place.era, { ...place.reach, capabilities: CAPABILITIES });
  const modern = place.era === "2026-07-28" && {
    rawDispatch: past(transport),
    v2RequestFraming: { protocolVersion: place.era, clientInfo: INFO, clientCapabilities: CAPABILITIES },
  };
  const onInputRequest = async ({ kind, params }) =>
    kind === "elicitation" ? person.fillIn(params) : person.speak();
  const tasks = createTaskSessionFromClient(client, { endpointId: "roundtable", onInputRequest, ...modern });
  const close = async () => {
    await tasks.close();
    await client.close();
  };
  return { client, tasks, close };
}

export async function tasks(place, schemas) {
  const person = new Person();
  const first = await session(place, person);
  const given = place.era === "2026-07-28" ? "task" : "immediate";
  await followed(place, first, schemas, given);
  if (given === "task") {
    await cancelled(place, first);
    await seated(place, first, person, schemas);
    for (const says of ["accept", "decline"]) await asked(place, first, person, says, schemas);
    await handedOn(place, first, person, schemas);
  }
  await first.close();
}

async function followed({ book, key }, { tasks }, schemas, given) {
  const states = new Set();
  const execution = await tasks.callTool(START, question(`${key}-task`, QUICK, { rounds: 2 }));
  book.equal("kind of answer", execution.kind, given);
  const onEvent = ({ task }) => { if (task) states.add(task.status); };
  const { outcome } = await execution.settle({ onEvent });
  book.equal("outcome", outcome.status, "completed");
  book.equal("status", book.fits(schemas[START], outcome.result).status, "completed");
  if (given === "task") book.holds("it was seen at work", states.has("working"), [...states]);
}

async function cancelled({ book, key }, { client, tasks }) {
  const topic = `Cancelled: ${key}`;
  const execution = await tasks.callTool(START, question(`${key}-task-cancel`, SLOW, { topic }));
  await execution.cancel();
  const { outcome } = await execution.settle();
  book.equal("outcome of a cancelled task", outcome.status, "cancelled");
  const { sessions } = (await client.callTool({ name: "list_sessions", arguments: {} })).structuredContent;
  const found = sessions.filter((one) => one.topic === topic);
  book.equal("what became of its debate", found[0]?.status, "paused");
}

async function seated({ book, key }, { tasks }, person, schemas) {
  const agents = ["Own=client", "Bea=ollama/fake-small"];
  const execution = await tasks.callTool(START, question(`${key}-task-seat`, agents));
  const { outcome } = await execution.settle();
  book.equal("status with a seat", book.fits(schemas[START], outcome.result).status, "completed");
  book.equal("times the client's model was asked", person.seats, 1);
}

/** Who will not answer is not asked for ever: the task ends and says what is open. */
async function asked({ book, key }, { tasks, client }, person, says, schemas) {
  person.says = says;
  const before = person.forms.length;
  const execution = await tasks.callTool(START, question(`${key}-task-${says}`, CURIOUS));
  const { outcome } = await execution.settle();
  book.equal("questions asked", person.forms.length - before, 1);
  book.equal("outcome", outcome.status, "completed");
  const seen = book.fits(schemas[START], outcome.result);
  if (says === "accept") book.equal("status", seen.status, "completed");
  else await answered({ client, book }, schemas, seen);
}

/** A task outlives the connection it was begun on. */
async function handedOn(place, first, person, schemas) {
  const { book, key } = place;
  const execution = await first.tasks.callTool(START, question(`${key}-task-on`, SLOW));
  let reference;
  await execution.handoff((kept) => { reference = kept; });
  const second = await session(place, person);
  const resumed = await second.tasks.resumeTask(reference);
  const { outcome } = await resumed.settle();
  book.equal("outcome on another connection", outcome.status, "completed");
  book.equal("status", book.fits(schemas[START], outcome.result).status, "completed");
  await second.close();
}
