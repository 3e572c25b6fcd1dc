"""A server that is killed in mid-debate, and a client that picks the debate up by
its id from the server that comes after it. Usage: killed.py PORT PORT"""

import asyncio
import os
import signal
import subprocess
import sys
import urllib.request
from urllib.error import HTTPError, URLError

from mcp import Client, MCPError

import table


async def begin(client, book, key):
    """A debate in which one has spoken and the other has not."""
    args = table.question(key, table.SLOW, waitSeconds=0)
    begun = (await client.call_tool("start_roundtable", args)).structured_content
    session = {"sessionId": begun["sessionId"]}
    for _ in range(100):
        seen = (await client.call_tool("get_consensus", session | {"waitSeconds": 0})).structured_content
        if seen.get("progress", {}).get("turns") == 1:
            return session
        await asyncio.sleep(0.1)
    book.holds("one of the two has spoken", False, seen)


async def pick_up(client, book, session, left=("paused",)):
    """`left`: a server goes on with its own debates, which may be completed by then."""
    for _ in range(100):
        done = (await client.call_tool("get_consensus", session)).structured_content
        if done["status"] != "running":
            break
    book.holds(f"the status after the kill is one of {left}", done["status"] in left, done["status"])
    if done["status"] == "paused":
        book.equal("what to call next", done["next"][0]["tool"], "continue_roundtable")
        done = (await client.call_tool("continue_roundtable", session)).structured_content
    book.equal("the same debate", done["sessionId"], session["sessionId"])
    book.equal("status at the end", done["status"], "completed")
    book.equal("answers", len(done["agentResponses"]), 2)


async def over_stdio(era):
    home = f"killed-{era}"
    book = table.Book(f"kill -9 over stdio, {era}")
    session = None
    try:
        async with Client(table.stdio(home), mode=table.ERAS[era]) as client:
            session = await begin(client, book, home)
            os.kill(int((table.SCRATCH / f"{home}.pid").read_text()), signal.SIGKILL)
    except Exception as error:  # A client may say that its server is gone, or not.
        book.holds("the debate had begun", session, error)
    async with Client(table.stdio(home), mode=table.ERAS[era]) as client:
        await pick_up(client, book, session)
    return book.count


def serve(port, home):
    log = open(table.SCRATCH / f"{home}.log", "a")
    command = [table.BINARY, "serve", "--listen", f"127.0.0.1:{port}", "--no-token"]
    return subprocess.Popen(command, env=table.environment(home), stdout=log, stderr=log)


async def listening(url):
    for _ in range(200):
        try:
            urllib.request.urlopen(url).close()
        except HTTPError:
            return
        except URLError:
            await asyncio.sleep(0.05)
        else:
            return
    sys.exit(f"FAILED: nothing listens at {url}")


async def fails(client, book, session):
    """A client of the older era is told that its session is gone."""
    why = None
    try:
        await client.call_tool("get_consensus", session, read_timeout_seconds=20)
    except MCPError as error:
        why = str(error)
    book.holds("the client is told that its server is gone", why and "timed out" not in why.lower(), why)


async def over_http(era, port):
    """A client of the newer era lives through it: it holds no connection. One of
    the older era connects anew."""
    url, home = f"http://127.0.0.1:{port}/mcp", f"killed-http-{era}"
    book = table.Book(f"kill -9 over HTTP, {era}")
    server = serve(port, home)
    try:
        await listening(url)
        async with Client(url, mode=table.ERAS[era]) as client:
            session = await begin(client, book, home)
            server.kill()
            server.wait()
            server = serve(port, home)
            await listening(url)
            if era == "2026-07-28":
                await pick_up(client, book, session, ("paused", "completed"))
            else:
                await fails(client, book, session)
        if era != "2026-07-28":
            async with Client(url, mode=table.ERAS[era]) as client:
                await pick_up(client, book, session, ("paused", "completed"))
    finally:
        server.kill()
        server.wait()
    return book.count


async def main(*ports):
    runs = [run for era, port in zip(table.ERAS, ports) for run in (over_stdio(era), over_http(era, port))]
    counts = await asyncio.gather(*runs)
    print(f"kill -9 in mid-debate, Python client: {len(counts)} of 4 picked up by id "
          f"(2 eras x 2 transports), {sum(counts)} checks hold")


asyncio.run(main(*sys.argv[1:]))
