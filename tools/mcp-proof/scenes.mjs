// What the TypeScript client does with the server, one scene a function.

const QUICK = ["Ann=ollama/fake-large", "Bea=ollama/fake-small"];
const PRICED = ["Ann=mistral/fake-large", "Bea=mistral/fake-small"];
export const SLOW = ["Ann=ollama/fake-large", "Bea=lmstudio/fake-small"];
const TOOLS = 14;

export function question(key, agents, more = {}) {
  return {
    topic: "Tabs or spaces?", agents, rounds: 1, clerk: "none", idempotencyKey: key,
    flags: { groupthinkDetection: { enabled: false } }, ...more,
  };
}

export const call = (client, name, args, options) =>
  client.callTool({ name, arguments: args }, options);

export async function list({ client, book }) {
  const { tools } = await client.listTools();
  book.equal("number of tools", tools.length, TOOLS);
  return Object.fromEntries(tools.map((tool) => [tool.name, tool.outputSchema]));
}

export async function debate({ client, book, key }, schemas) {
  const heard = [];
  const args = question(`${key}-call`, QUICK, { rounds: 2 });
  const onprogress = (news) => heard.push(news);
  const result = await call(client, "start_roundtable", args, { onprogress });
  const done = book.fits(schemas.start_roundtable, result);
  book.equal("status", done.status, "completed");
  book.holds("there is progress", heard.length >= 2, heard);
  const grows = heard.every((news, at) => at === 0 || news.progress > heard[at - 1].progress);
  book.holds("progress grows", grows, heard);
  book.holds("progress has words", heard.every((news) => news.message), heard);
  const again = await call(client, "get_consensus", { sessionId: done.sessionId });
  book.equal("status, read again", book.fits(schemas.get_consensus, again).status, "completed");
}

export async function consent({ client, book, key, person }, schemas) {
  for (const says of ["accept", "decline", "cancel"]) {
    person.says = says;
    const before = person.forms.length;
    const result = await call(client, "start_roundtable", question(`${key}-${says}`, PRICED));
    book.equal("questions asked", person.forms.length - before, 1);
    if (says === "accept") {
      book.equal("status", book.fits(schemas.start_roundtable, result).status, "completed");
    } else {
      book.holds(`${says} starts nothing`, result.isError, result.structuredContent);
    }
  }
}

export async function seat({ client, book, key, person }, schemas) {
  const agents = ["Own=client", "Bea=ollama/fake-small"];
  const args = question(`${key}-seat`, agents, { rounds: 2 });
  const result = await call(client, "start_roundtable", args);
  book.equal("status", book.fits(schemas.start_roundtable, result).status, "completed");
  book.equal("times the client's model was asked", person.seats, 2);
}

/** A call given up by the user in mid-debate; see clients.py for what follows. */
export async function abort({ client, book, key }, stays) {
  const given = new AbortController();
  let answered;
  const args = question(`${key}-abort`, SLOW);
  const onprogress = () => given.abort("the user pressed stop");
  try {
    answered = await call(client, "start_roundtable", args, { onprogress, signal: given.signal });
  } catch (error) {
    book.holds("the call was given up by us", given.signal.aborted, String(error));
  }
  book.holds("a call that is given up has no answer", answered === undefined, answered);
  const { sessions } = (await call(client, "list_sessions", {})).structuredContent;
  const session = { sessionId: sessions[0].sessionId };
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
