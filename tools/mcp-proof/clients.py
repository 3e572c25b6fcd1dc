"""The official Python client against the server, in both eras and over both
transports: list, call, schema, progress, abort, questions, a seat, tasks.
All at once, since most of it is waiting.
Usage: clients.py URL"""

import asyncio
import json
import sys

import anyio
import mcp_types as types
from mcp import Client

import table
from tasks import Tasks

ANSWER = ('{"position": "Spaces.", "reasoning": "They look alike everywhere [ASSUME].", '
          '"keyPoints": ["They look alike."], "confidence": 0.8, "vote": {"ballot": "ACCEPT"}, '
          '"claims": [], "citations": []}')
TOOLS = 14
# What the list of tools may take on the wire, and a follower of `next` in calls.
MOST_BYTES, MOST_CALLS = 25_000, 8


class Person:
    """Whoever sits before the client: says yes or no, and lends a model."""

    def __init__(self):
        self.says, self.forms, self.seats = "accept", [], 0

    async def elicited(self, _context, form):
        self.forms.append(form.message)
        if self.says != "accept":
            return types.ElicitResult(action=self.says)
        knows = {"proceed": True, "answer": "Two cups a day."}
        content = {name: knows[name] for name in form.requested_schema["properties"]}
        return types.ElicitResult(action="accept", content=content)

    async def sampled(self, _context, _request):
        self.seats += 1
        content = types.TextContent(type="text", text=ANSWER)
        return types.CreateMessageResult(
            role="assistant", model="the-clients-own", content=content, stop_reason="endTurn")


async def listed(client, book):
    tools = (await client.list_tools()).tools
    book.equal("number of tools", len(tools), TOOLS)
    shown = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    size = len(json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode())
    book.holds(f"the list takes at most {MOST_BYTES} bytes", size <= MOST_BYTES, size)
    return {tool.name: tool.output_schema for tool in tools}


async def debated(client, book, schemas, key):
    """A debate in one call, with news on the way, and read again by its id."""
    heard = []

    async def news(progress, total, message):
        heard.append((progress, total, message))

    args = table.question(f"{key}-call", rounds=2)
    result = await client.call_tool("start_roundtable", args, progress_callback=news)
    done = book.fits(schemas, "start_roundtable", result)
    book.equal("status", done["status"], "completed")
    book.grows(heard)
    result = await client.call_tool("get_consensus", {"sessionId": done["sessionId"]})
    again = book.fits(schemas, "get_consensus", result)
    book.equal("debate read again", again["sessionId"], done["sessionId"])
    book.equal("its status", again["status"], "completed")


async def followed(client, book, schemas, key):
    """Whoever makes the first call that `next` names comes to the end in a few calls."""
    starts = {"quick": table.QUICK, "curious": table.CURIOUS}
    for name, agents in starts.items():
        tool, args = "start_roundtable", table.question(f"{key}-{name}-next", agents, waitSeconds=0)
        made = []
        for _ in range(MOST_CALLS):
            seen = book.fits(schemas, tool, await client.call_tool(tool, args))
            book.holds("no call is repeated with the same result", (tool, args, seen) not in made, seen)
            made.append((tool, args, seen))
            if seen["status"] == "completed":
                break
            tool, args = seen["next"][0]["tool"], seen["next"][0]["arguments"]
        book.equal(f"status of the {name} debate", seen["status"], "completed")
    # A stop returns when the debate is stopped, with its verdict.
    args = table.question(f"{key}-stop", table.SLOW, waitSeconds=0)
    begun = book.fits(schemas, "start_roundtable", await client.call_tool("start_roundtable", args))
    args = {"sessionId": begun["sessionId"], "action": "stop"}
    done = book.fits(schemas, "control_session", await client.call_tool("control_session", args))
    book.equal("status of the stopped debate", done["status"], "completed")
    book.holds("a stop has a verdict", done["decision"]["actionRecommendation"]["type"], done)


async def aborted(client, book, key, stays):
    """A call given up in mid-debate. Where the wire carries the wish, the debate
    is paused; a closed stream of the newer era says nothing, and it goes on."""
    began, topic = anyio.Event(), f"Given up: {key}"

    async def news(_progress, _total, _message):
        began.set()

    async def start():
        args = table.question(f"{key}-abort", table.SLOW, topic=topic)
        await client.call_tool("start_roundtable", args, progress_callback=news)

    async with anyio.create_task_group() as group:
        group.start_soon(start)
        await began.wait()
        group.cancel_scope.cancel()
    sessions = (await client.call_tool("list_sessions", {})).structured_content["sessions"]
    found = [one["sessionId"] for one in sessions if one["topic"] == topic]
    book.equal("debates with this topic", len(found), 1)
    session = {"sessionId": found[0]}
    if stays == "running":
        seen = await client.call_tool("get_consensus", session | {"waitSeconds": 0})
        book.equal("status after the stream closed", seen.structured_content["status"], "running")
        await client.call_tool("control_session", session | {"action": "pause"})
    for _ in range(40):
        seen = await client.call_tool("get_consensus", session | {"waitSeconds": 1})
        if seen.structured_content["status"] == "paused":
            break
    book.equal("status of the debate given up", seen.structured_content["status"], "paused")


async def questioned(client, book, schemas, person, key):
    """A debate that costs much is held when the user agrees, and not otherwise."""
    for says in ("accept", "decline", "cancel"):
        person.says, before = says, len(person.forms)
        args = table.question(f"{key}-{says}", table.PRICED)
        result = await client.call_tool("start_roundtable", args)
        book.equal("questions asked", len(person.forms) - before, 1)
        book.holds("the question names the cost", "$" in person.forms[-1], person.forms[-1])
        if says == "accept":
            done = book.fits(schemas, "start_roundtable", result)
            book.equal("status", done["status"], "completed")
        else:
            book.holds(f"{says} starts nothing", result.is_error, result.structured_content)


async def curious(client, book, schemas, person, key):
    """An agent wants to know something: the user says it, or will not."""
    for says in ("accept", "decline", "cancel"):
        person.says, before = says, len(person.forms)
        args = table.question(f"{key}-context-{says}", table.CURIOUS)
        seen = book.fits(schemas, "start_roundtable", await client.call_tool("start_roundtable", args))
        book.equal("questions asked", len(person.forms) - before, 1)
        book.holds("it says who asks what", "Ann asks: How much tea" in person.forms[-1], person.forms)
        if says == "accept":
            book.equal("status", seen["status"], "completed")
            continue
        await answered(client, book, schemas, seen)
        book.equal("questions asked twice", len(person.forms) - before, 1)


async def answered(client, book, schemas, seen):
    """What was not said to a form is said by a call."""
    book.equal("status", seen["status"], "needs_context")
    book.equal("what to call next", seen["next"][0]["tool"], "continue_roundtable")
    asked = seen["contextRequests"][0]
    book.holds("what is asked", asked["question"].startswith("How much tea"), asked)
    told = [{"requestId": asked["requestId"], "content": "Two cups a day."}]
    args = {"sessionId": seen["sessionId"], "contextResults": told}
    result = await client.call_tool("continue_roundtable", args)
    book.equal("status", book.fits(schemas, "continue_roundtable", result)["status"], "completed")


async def heartbeat(server, era, transport):
    """While somebody thinks for long, the client still hears that all is well."""
    key = f"python-beat-{era}-{transport}"
    book, heard = table.Book(key), []

    async def news(progress, total, message):
        heard.append((progress, total, message))

    async with Client(server, mode=table.ERAS[era]) as client:
        args = table.question(key, table.SLOW)
        done = await client.call_tool("start_roundtable", args, progress_callback=news)
        book.equal("status", done.structured_content["status"], "completed")
    book.grows(heard)
    words = [message for _progress, _total, message in heard]
    book.holds("there is news though nothing is new", any(a == b for a, b in zip(words, words[1:])), heard)
    return book.count


async def seated(client, book, schemas, person, key):
    """The client's own model takes a seat and is asked once a round."""
    person.seats, person.says = 0, "accept"
    args = table.question(f"{key}-seat", ["Own=client", "Bea=ollama/fake-small"], rounds=2)
    done = book.fits(schemas, "start_roundtable", await client.call_tool("start_roundtable", args))
    book.equal("status", done["status"], "completed")
    book.equal("times the client's model was asked", person.seats, 2)


async def tasked(server, book, schemas, key):
    """A client that declares tasks gets one, and the result from it."""
    person = Person()
    tasks = Tasks(person)
    async with Client(server, mode="2026-07-28", extensions=[tasks], elicitation_callback=person.elicited,
                      sampling_callback=person.sampled) as client:
        await client.list_tools()
        args = table.question(f"{key}-task", rounds=2)
        done = book.fits(schemas, "start_roundtable", await client.call_tool("start_roundtable", args))
        book.equal("status", done["status"], "completed")
        book.holds("it was a task", tasks.seen and tasks.seen[-1] == "completed", tasks.seen)
        args = table.question(f"{key}-task-cancel", table.SLOW)
        tasks.cancel_next = True
        await client.call_tool("start_roundtable", args)
        book.equal("state of a cancelled task", tasks.seen[-1], "cancelled")
        args = table.question(f"{key}-task-seat", ["Own=client", "Bea=ollama/fake-small"])
        done = book.fits(schemas, "start_roundtable", await client.call_tool("start_roundtable", args))
        book.equal("status with a seat", done["status"], "completed")
        book.equal("times the client's model was asked", person.seats, 1)
        for says in ("accept", "decline"):
            person.says, before = says, len(person.forms)
            args = table.question(f"{key}-task-{says}", table.CURIOUS)
            seen = book.fits(schemas, "start_roundtable", await client.call_tool("start_roundtable", args))
            book.equal("questions asked", len(person.forms) - before, 1)
            wanted = "completed" if says == "accept" else "needs_context"
            book.equal("status of the task's debate", seen["status"], wanted)


async def one(server, era, transport):
    key = f"python-{era}-{transport}"
    book, person = table.Book(key), Person()
    async with Client(server, mode=table.ERAS[era], elicitation_callback=person.elicited,
                      sampling_callback=person.sampled) as client:
        book.equal("protocol", client.protocol_version, era)
        schemas = await listed(client, book)
        await debated(client, book, schemas, key)
        await followed(client, book, schemas, key)
        await questioned(client, book, schemas, person, key)
        await curious(client, book, schemas, person, key)
        await seated(client, book, schemas, person, key)
        silent = transport == "http" and era == "2026-07-28"
        await aborted(client, book, key, "running" if silent else "paused")
    if era == "2026-07-28":
        await tasked(server, book, schemas, key)
    return book.count


async def main(url):
    runs = [
        scenes(table.stdio(f"python-{scenes.__name__}-{era}") if transport == "stdio" else url, era, transport)
        for era in table.ERAS for transport in ("stdio", "http") for scenes in (one, heartbeat)
    ]
    total = sum(await asyncio.gather(*runs))
    print(f"Python client: 2 eras x 2 transports, {total} checks hold (list, call, schema, progress, heartbeat, "
          "next, stop, abort, consent and context given and refused, seat, tasks)")


asyncio.run(main(sys.argv[1]))
