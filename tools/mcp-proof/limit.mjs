// The TypeScript client gives every call 60 seconds unless it is told otherwise,
// however much progress it hears. A debate that lasts longer must be found again.

import { SLOW, call, question } from "./table.mjs";

export async function cutOff({ client, book, key }, rounds) {
  const topic = `Long: ${key}`;
  const args = question(key, SLOW, { topic, rounds, waitSeconds: 600 });
  let why = "";
  try {
    await call(client, "start_roundtable", args, { onprogress: () => {} });
  } catch (error) {
    why = String(error.message);
  }
  book.holds("the client's limit cut the call off", /timed out/i.test(why), why);
  const { sessions } = (await call(client, "list_sessions", {})).structuredContent;
  const found = sessions.filter((one) => one.topic === topic);
  book.equal("debates with this topic", found.length, 1);
  const { sessionId } = found[0];
  const look = async (more) =>
    (await call(client, "get_consensus", { sessionId, ...more })).structuredContent.status;
  // Time ran out, which is not the wish to stop.
  let status = await look({ waitSeconds: 0 });
  book.equal("status after the cut", status, "running");
  for (let looks = 0; looks < 20 && status === "running"; looks += 1) status = await look({});
  book.equal("status at the end", status, "completed");
}
