"""The official Python client against the server, in both eras and over both
transports: list, call, schema, progress, abort, questions, a seat, tasks.
Usage: clients.py URL"""

import asyncio
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


class Person:
    """Whoever sits before the client: says yes or no, and lends a model."""

    def __init__(self):
        self.says, self.forms, self.seats = "accept", [], 0

    async def elicited(self, _context, form):
        self.forms.append(form.message)
        if self.says == "accept":
            return types.ElicitResult(action="accept", content={"proceed": True})
        return types.ElicitResult(action=self.says)

    async def sampled(self, _context, _request):
        self.seats += 1
        content = types.TextContent(type="text", text=ANSWER)
        return types.CreateMessageResult(
            role="assistant", model="the-clients-own", content=content, stop_reason="endTurn")


async def listed(client, book):
    tools = (await client.list_tools()).tools
    book.equal("number of tools", len(tools), TOOLS)
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


async def aborted(client, book, key, stays):
    """A call given up in mid-debate. Where the wire carries the wish, the debate
    is paused; a closed stream of the newer era says nothing, and it goes on."""
    began = anyio.Event()

    async def news(_progress, _total, _message):
        began.set()

    async def start():
        topic = f"Given up: {key}"
        args = table.question(f"{key}-abort", table.SLOW, topic=topic)
        await client.call_tool("start_roundtable", args, progress_callback=news)

    async with anyio.create_task_group() as group:
        group.start_soon(start)
        await began.wait()
        group.cancel_scope.cancel()
    sessions = (await client.call_tool("list_sessions", {})).structured_content["sessions"]
    book.holds("a debate given up is kept", sessions)
    session = {"sessionId": sessions[0]["sessionId"]}
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


async def seated(client, book, schemas, person, key):
    """The client's own model takes a seat and is asked once a round."""
    person.seats = 0
    args = table.question(f"{key}-seat", ["Own=client", "Bea=ollama/fake-small"], rounds=2)
    done = book.fits(schemas, "start_roundtable", await client.call_tool("start_roundtable", args))
    book.equal("status", done["status"], "completed")
    book.equal("times the client's model was asked", person.seats, 2)


async def tasked(server, book, schemas, key):
    """A client that declares tasks gets one, and the result from it."""
    tasks = Tasks()
    async with Client(server, mode="2026-07-28", extensions=[tasks]) as client:
        await client.list_tools()
        args = table.question(f"{key}-task", rounds=2)
        done = book.fits(schemas, "start_roundtable", await client.call_tool("start_roundtable", args))
        book.equal("status", done["status"], "completed")
        book.holds("it was a task", tasks.seen and tasks.seen[-1] == "completed", tasks.seen)
        args = table.question(f"{key}-task-cancel", table.SLOW)
        tasks.cancel_next = True
        await client.call_tool("start_roundtable", args)
        book.equal("state of a cancelled task", tasks.seen[-1], "cancelled")


async def one(server, era, transport):
    key = f"python-{era}-{transport}"
    book, person = table.Book(key), Person()
    async with Client(server, mode=table.ERAS[era], elicitation_callback=person.elicited,
                      sampling_callback=person.sampled) as client:
        book.equal("protocol", client.protocol_version, era)
        schemas = await listed(client, book)
        await debated(client, book, schemas, key)
        await questioned(client, book, schemas, person, key)
        await seated(client, book, schemas, person, key)
        silent = transport == "http" and era == "2026-07-28"
        await aborted(client, book, key, "running" if silent else "paused")
    if era == "2026-07-28":
        await tasked(server, book, schemas, key)
    return book.count


async def main(url):
    total = 0
    for era in table.ERAS:
        total += await one(table.stdio(f"python-{era}"), era, "stdio")
        total += await one(url, era, "http")
    print(f"Python client: 2 eras x 2 transports, {total} checks hold "
          "(list, call, schema, progress, abort, consent given and refused, seat, tasks)")


asyncio.run(main(sys.argv[1]))
