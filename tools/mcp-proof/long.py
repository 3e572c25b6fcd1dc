"""Debates that last longer than their clients wait, with the official Python
client: one that asks again in time, and one that is cut off at its hard limit and
comes back with the debate's id. Both eras, both transports, all at once.
Usage: long.py URL ROUNDS"""

import asyncio
import sys
import time

from mcp import Client, MCPError

import table

LIMIT = 60


async def until_over(client, book, session):
    """Looks again and again, each look within the limit."""
    for _ in range(20):
        seen = await client.call_tool("get_consensus", {"sessionId": session})
        content = seen.structured_content
        if content["status"] != "running":
            book.equal("status at the end", content["status"], "completed")
            return
    book.holds("the debate is over some time", False, content)


async def in_time(client, book, args):
    """The usual wait is shorter than the limit: no call fails."""
    begun = (await client.call_tool("start_roundtable", args)).structured_content
    book.equal("status after the first wait", begun["status"], "running")
    book.equal("what to call next", begun["next"][0]["tool"], "get_consensus")
    await until_over(client, book, begun["sessionId"])


async def cut_off(client, book, args):
    """The client gives up first; the debate goes on and is found again."""
    cut = False
    try:
        await client.call_tool("start_roundtable", args | {"waitSeconds": 600})
    except MCPError as error:
        cut = "timed out" in str(error).lower()
    book.holds("the client's limit cut the call off", cut)
    listed = (await client.call_tool("list_sessions", {})).structured_content
    found = [one for one in listed["sessions"] if one["topic"] == args["topic"]]
    book.equal("debates with this topic", len(found), 1)
    session = found[0]["sessionId"]
    seen = await client.call_tool("get_consensus", {"sessionId": session, "waitSeconds": 0})
    # Time ran out, which is not the wish to stop.
    book.equal("status after the cut", seen.structured_content["status"], "running")
    await until_over(client, book, session)


async def one(server, era, transport, how, rounds):
    name = f"{how.__name__}-{era}-{transport}"
    book = table.Book(f"python, {name}")
    began = time.monotonic()
    async with Client(server, mode=table.ERAS[era], read_timeout_seconds=LIMIT) as client:
        args = table.question(name, table.SLOW, topic=f"Long: {name}", rounds=rounds)
        await how(client, book, args)
    lasted = time.monotonic() - began
    book.holds("it lasted longer than the limit", lasted > LIMIT, lasted)
    return book.count, lasted


async def main(url, rounds):
    runs = [
        one(table.stdio(f"long-{how.__name__}-{era}") if transport == "stdio" else url,
            era, transport, how, rounds)
        for era in table.ERAS for transport in ("stdio", "http") for how in (in_time, cut_off)
    ]
    done = await asyncio.gather(*runs)
    checks, longest = sum(count for count, _ in done), max(lasted for _, lasted in done)
    print(f"Hard limit of {LIMIT} s: {len(done)} debates of up to {longest:.0f} s picked up by id, "
          f"{checks} checks hold")


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
