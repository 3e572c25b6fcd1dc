// What the TypeScript client does with the server, one scene a function.

import { CURIOUS, PRICED, QUICK, SLOW, call, question } from "./table.mjs";

const TOOLS = 14;
const MOST_BYTES = 25_000;

export async function list({ client, book }) {
  const { tools } = await client.listTools();
  book.equal("number of tools", tools.length, TOOLS);
  const size = Buffer.byteLength(JSON.stringify(tools));
  book.holds(`the list takes at most ${MOST_BYTES} bytes`, size <= MOST_BYTES, size);
  return Object.fromEntries(tools.map((tool) => [tool.name, tool.outputSchema]));
}

export async function debate({ client, book, key }, schemas) {
  const heard = [];
  const args = question(`${key}-call`, QUICK, { rounds: 2 });
  const onprogress = (news) => heard.push(news);
  // News that comes in one piece with the result reaches the client when it has
  // forgotten whom to tell; that it came is what counts here.
  client.onerror = ({ message }) => {
    const [, late] = /unknown token: (.*)$/s.exec(message) ?? [];
    if (late) heard.push(JSON.parse(late).params);
  };
  const result = await call(client, "start_roundtable", args, { onprogress });
  const done = book.fits(schemas.start_roundtable, result);
  book.equal("status", done.status, "completed");
  const [{ text }] = result.content;
  book.holds("the text is no copy of the data", text.length * 2 < JSON.stringify(done).length, text);
  book.grows(heard);
  const again = await call(client, "get_consensus", { sessionId: done.sessionId });
  book.equal("status, read again", book.fits(schemas.get_consensus, again).status, "completed");
}

export async function consent({ client, book, key, person }, schemas) {
  for (const says of ["accept", "decline", "cancel"]) {
    person.says = says;
    const before = person.forms.length;
    const result = await call(client, "start_roundtable", question(`${key}-${says}`, PRICED));
    book.equal("questions asked", person.forms.length - before, 1);
    book.holds("the question names the cost", person.forms.at(-1).includes("$"), person.forms);
    if (says === "accept") {
      book.equal("status", book.fits(schemas.start_roundtable, result).status, "completed");
    } else {
      book.holds(`${says} starts nothing`, result.isError, result.structuredContent);
    }
  }
}

/** An agent wants to know something: the user says it, or will not, or is not there. */
export async function context({ client, book, key, person }, schemas) {
  for (const says of ["accept", "decline", "cancel"]) {
    person.says = says;
    const before = person.forms.length;
    const args = question(`${key}-context-${says}`, CURIOUS);
    const result = await call(client, "start_roundtable", args);
    const seen = book.fits(schemas.start_roundtable, result);
    book.equal("questions asked", person.forms.length - before, 1);
    book.holds("it says who asks what", /Ann asks: How much tea/.test(person.forms.at(-1)), person.forms);
    if (says === "accept") {
      book.equal("status", seen.status, "completed");
    } else {
      await answered({ client, book }, schemas, seen);
      book.equal("questions asked twice", person.forms.length - before, 1);
    }
  }
}

/** What was not said to a form is said by a call. */
export async function answered({ client, book }, schemas, seen) {
  book.equal("status", seen.status, "needs_context");
  const [asked] = seen.contextRequests;
  book.holds("what is asked", asked.question.startsWith("How much tea"), asked);
  book.equal("what to call next", seen.next[0].tool, "continue_roundtable");
  const { sessionId } = seen;
  const contextResults = [{ requestId: asked.requestId, content: "Two cups a day." }];
  const result = await call(client, "continue_roundtable", { sessionId, contextResults });
  book.equal("status", book.fits(schemas.continue_roundtable, result).status, "completed");
}

export async function seat({ client, book, key, person }, schemas) {
  const agents = ["Own=client", "Bea=ollama/fake-small"];
  const args = question(`${key}-seat`, agents, { rounds: 2 });
  const result = await call(client, "start_roundtable", args);
  const done = book.fits(schemas.start_roundtable, result);
  book.equal("status", done.status, "completed");
  book.equal("times the client's model was asked", person.seats, 2);
  book.equal("whose model it was", done.agentResponses[0].model, "the-clients-own");
}

/** A call given up by the user in mid-debate; see clients.py for what follows. */
export async function abort({ client, book, key }, stays) {
  const given = new AbortController();
  let answered;
  const topic = `Given up: ${key}`;
  const args = question(`${key}-abort`, SLOW, { topic });
  const onprogress = () => given.abort("the user pressed stop");
  try {
    answered = await call(client, "start_roundtable", args, { onprogress, signal: given.signal });
  } catch (error) {
    book.holds("the call was given up by us", given.signal.aborted, String(error));
  }
  book.holds("a call that is given up has no answer", answered === undefined, answered);
  const { sessions } = (await call(client, "list_sessions", {})).structuredContent;
  const found = sessions.filter((one) => one.topic === topic);
  book.equal("debates with this topic", found.length, 1);
  const session = { sessionId: found[0].sessionId };
  const look = async (waitSeconds) =>
    (await call(client, "get_consensus", { ...session, waitSeconds })).structuredContent.status;
  if (stays === "running") {
    book.equal("status after the stream closed", await look(0), "running");
    await call(client, "control_session", { ...session, action: "pause" });
  }
  let status = "";
  for (let looks = 0; looks < 40 && status !== "paused"; looks += 1) status = await look(1);
  book.equal("status of the debate given up", status, "paused");
}

/** While somebody thinks for long, the client still hears that all is well. */
export async function heartbeat({ client, book, key }) {
  const heard = [];
  const onprogress = (news) => heard.push({ ...news, at: Date.now() });
  const args = question(`${key}-beat`, SLOW);
  const result = await call(client, "start_roundtable", args, { onprogress });
  book.equal("status", result.structuredContent.status, "completed");
  book.grows(heard);
  const again = heard.some((news, at) => at > 0 && news.message === heard[at - 1].message);
  book.holds("there is news though nothing is new", again, heard);
}
