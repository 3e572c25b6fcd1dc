// The official TypeScript client asks a table as it asks a model.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import OpenAI from "openai";

const model = "roundtable/quick";
const options = { apiKey: process.env.ROUNDTABLE_TOKEN, baseURL: process.env.PROOF_URL, maxRetries: 0 };
const client = new OpenAI(options);
const [program, ...words] = process.env.PROOF_LIST.split(" ");
const debates = () => new Map(JSON.parse(execFileSync(program, words)).map((row) => [row.id, row]));
const debateOf = (text) => text.split("/debates/").at(-1).split(")")[0];
const say = (content, more = {}, sent = {}) =>
  client.chat.completions.create({ model, messages: [{ role: "user", content }], ...more }, sent);
const same = { headers: { "Idempotency-Key": "typescript" } };

const models = [];
for await (const one of client.models.list()) models.push(one.id);
for (const name of ["roundtable", "roundtable/vote", model, "roundtable/hiring"]) assert(models.includes(name), name);

// One answer, and the same as a stream whose parts add up to it; by its key it is the same debate.
const whole = await say("TypeScript: tabs or spaces?", {}, same);
const text = whole.choices[0].message.content;
const first = debateOf(text);
const count = debates().size;
let parts = "";
let thought = "";
for await (const part of await say("TypeScript: tabs or spaces?", { stream: true }, same)) {
  parts += part.choices[0]?.delta.content ?? "";
  thought += part.choices[0]?.delta.reasoning_content ?? "";
}
assert.equal(parts, text);
assert.match(thought, /Bea: /);

// A follow-up in the same conversation.
const further = await client.chat.completions.create({
  model,
  messages: [
    { role: "user", content: "TypeScript: tabs or spaces?" },
    { role: "assistant", content: text },
    { role: "user", content: "TypeScript: and in Makefiles?" },
  ],
});
assert.equal(debates().get(debateOf(further.choices[0].message.content)).after, first);

// A connection that is dropped and asked again pays once.
const dropped = await say("TypeScript: who pays twice?", { stream: true });
for await (const _ of dropped) {
  dropped.controller.abort();
  break;
}
await say("TypeScript: who pays twice?");
assert.equal(debates().size, count + 2);

// The same by responses.
const response = await client.responses.create({ model, input: "TypeScript: one response?" }, same);
assert.equal(response.status, "completed");
let streamed = "";
let last;
for await (const event of await client.responses.create({ model, input: "TypeScript: one response?", stream: true }, same)) {
  if (event.type === "response.output_text.delta") streamed += event.delta;
  last = event;
}
assert.equal(streamed, response.output_text);
assert.equal(last.type, "response.completed");

const stranger = new OpenAI({ ...options, apiKey: "wrong" });
await assert.rejects(stranger.models.list(), { status: 401, code: "invalid_api_key" });
await assert.rejects(client.models.retrieve("roundtable/nobody"), { status: 404, code: "model_not_found" });
const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
await assert.rejects(say("Look!", { tools }), { status: 400, code: "unsupported_parameter", param: "tools" });
console.log(`TypeScript: openai, ${models.length} models, ${debates().size} debates, each paid for once`);
