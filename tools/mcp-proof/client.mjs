// The official TypeScript client against the server, in both eras and over both
// transports: list, call, schema, progress, abort, questions, a seat, tasks, and its
// own limit of 60 seconds. Usage: client.mjs URL [long ROUNDS]

import { randomUUID } from "node:crypto";
import { abort, consent, context, debate, heartbeat, list, seat } from "./scenes.mjs";
import { PAIRS, Person, bookOf, connected, sum, told } from "./table.mjs";
import { cutOff } from "./limit.mjs";
import { tasks } from "./tasks.mjs";

const [url, what, rounds] = process.argv.slice(2);

async function one(era, kind, scenes) {
  const key = `typescript-${scenes.name}-${era}-${kind}-${randomUUID()}`;
  const book = bookOf(`typescript, ${era}, ${kind}`);
  const person = scenes === short ? new Person() : undefined;
  const reach = kind === "http" ? { url } : { home: `typescript-${scenes.name}-${era}` };
  const capabilities = person ? { elicitation: { form: {} }, sampling: {} } : {};
  const { client } = await connected(era, { ...reach, capabilities, person });
  await scenes({ client, book, key, person, era, kind, reach });
  await client.close();
  return book.count;
}

async function short(place) {
  const { era, kind } = place;
  const schemas = await list(place);
  await debate(place, schemas);
  await consent(place, schemas);
  await context(place, schemas);
  place.person.says = "accept";
  await seat(place, schemas);
  // A closed stream of the newer era says nothing of a wish to stop.
  await abort(place, kind === "http" && era === "2026-07-28" ? "running" : "paused");
  await tasks(place, schemas);
}

const long = (place) => cutOff(place, Number(rounds));

told(async () => {
  if (what === "long") {
    const counts = await Promise.all(PAIRS.map(([era, kind]) => one(era, kind, long)));
    return `TypeScript client's own limit of 60 s: ${counts.length} debates cut off and ` +
      `picked up by id, ${sum(counts)} checks hold`;
  }
  const all = [short, heartbeat].flatMap((scenes) => PAIRS.map(([era, kind]) => one(era, kind, scenes)));
  const counts = await Promise.all(all);
  return `TypeScript client: 2 eras x 2 transports, ${sum(counts)} checks hold (list, call, schema, progress, ` +
    "heartbeat, abort, consent and context given and refused, seat, tasks)";
});
