"""Claude Code, the real one, with a model behind it that is none: it is set up by
`roundtable setup`, finds the server, lists its tools, and shows its model a whole
result. Over stdio and over HTTP: in one call, through `running`, and after a question
of cost that nobody was there to answer.
Usage: coder.py PROGRAM URL"""

import asyncio
import json
import os
import subprocess
import sys
import time

from mcp import Client

import table
from model import DETAILS, FAR, LOOK, SEARCH, Model

NOWHERE = "http://127.0.0.1:9"
LAYERS = ("decision", "agentResponses", "evidence", "metadata")
# Over at once; not over when the first call returns; and too dear to be held unasked.
DEBATES = {
    "at once": table.question("coder", rounds=2),
    "later": table.question("coder-later", table.SLOW, waitSeconds=1),
    "dear": table.question("coder-dear", table.PRICED),
}


def environment(home, model):
    """A home of its own, no keys but a made-up one, and nowhere to go but here."""
    return table.environment(home) | {
        "PATH": os.environ["PATH"], "ANTHROPIC_BASE_URL": model.url if model else NOWHERE,
        "ANTHROPIC_API_KEY": "not-a-key-of-anybody", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_ERROR_REPORTING": "1",
        "HTTPS_PROXY": NOWHERE, "HTTP_PROXY": NOWHERE, "NO_PROXY": "127.0.0.1,localhost",
    }


def run(home, model, *command):
    folder = table.SCRATCH / home
    return subprocess.run(command, env=environment(home, model), cwd=folder, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=120)


def set_up(program, book, home, transport, url):
    """As a user would: our own command, or theirs for a server that runs already."""
    environment(home, None)
    if transport == "stdio":
        did = run(home, None, table.BINARY, "setup", "claude-code", "--yes")
    else:
        did = run(home, None, program, "mcp", "add", "--scope", "user", "--transport", "http",
                  "roundtable", url)
    book.equal("setting up", did.returncode, 0)
    did = run(home, None, program, "mcp", "list")
    lines = [line for line in did.stdout.splitlines() if line.startswith("roundtable:")]
    book.holds("`mcp list` says Connected", len(lines) == 1 and lines[0].endswith("Connected"),
               did.stdout + did.stderr)


def ask(program, book, home, known, how):
    names, instructions = known
    with Model(DEBATES[how] | {"idempotencyKey": f"{home}-{how}"}) as model:
        did = run(home, model, program, "-p", "Let the table decide: tabs or spaces?",
                  "--allowedTools", *names, "--output-format", "stream-json", "--verbose")
        book.holds("it ends well", did.returncode == 0, did.stdout[-1500:] + did.stderr)
        book.equal("what it complains of", did.stderr, "")
        said = [json.loads(line) for line in did.stdout.splitlines()]
        offered(book, said[0], names)
        book.holds("the model reads the server's instructions", instructions in told(model), told(model)[-3000:])
        shown(book, model, how)
    end = said[-1]
    book.holds("it ends with the model's words",
               end["type"] == "result" and not end["is_error"] and "The table says: " in end["result"], end)


def offered(book, begun, names):
    states = [(one["name"], one["status"]) for one in begun["mcp_servers"]]
    book.equal("state of the server", states, [("roundtable", "connected")])
    ours = sorted(name for name in begun["tools"] if name.startswith(FAR))
    book.equal("tools", ours, names)


def told(model):
    """All words the model is given. A client that begins before its servers have answered
    gives it their instructions with a later request."""
    return "\n".join(words_of(body) for body in model.seen)


def words_of(body):
    contents = [body.get("system", ""), *(one["content"] for one in body["messages"])]
    lists = [[{"text": one}] if isinstance(one, str) else one for one in contents]
    return "\n".join(block.get("text", "") for blocks in lists for block in blocks)


def shown(book, model, how):
    """What the model read, which is all that counts."""
    results = model.results()
    *before, last, details = results
    # What was refused is no JSON but a sentence, which the model acted on.
    states = sorted({one.get("status", "refused") for one in before})
    wanted = {"at once": [], "later": ["running"], "dear": ["refused"]}[how]
    book.equal("states on the way", states, wanted)
    book.equal("state at the end", last["status"], "completed")
    book.equal("layers", [name for name in LAYERS if last.get(name)], list(LAYERS))
    decision = last["decision"]
    book.holds("the answer in prose", decision["answer"] and decision["sure"], last)
    book.holds("what to do", decision["consensusLevel"] and decision["actionRecommendation"]["reason"], decision)
    answers = last["agentResponses"]
    book.equal("answers", len(answers), 2)
    for answer in answers:
        book.holds("position and confidence", answer["position"] and answer["confidence"] == 0.5, answer)
    book.equal("one debate", len({one["sessionId"] for one in results if "sessionId" in one}), 1)
    # The agent keeps most tools behind a search of its own; what was found is used.
    book.holds("a tool is looked up", SEARCH in model.called(), model.called())
    book.equal("the tool that was looked up", model.called()[-1], DETAILS)
    book.equal("answers of the round", len(details["answers"]), 2)


async def known_of(url):
    async with Client(url, mode="legacy") as client:
        names = sorted(FAR + tool.name for tool in (await client.list_tools()).tools)
        return names, client.instructions.strip()


def main(program, url):
    known, began, total = asyncio.run(known_of(url)), time.monotonic(), 0
    for transport in ("stdio", "http"):
        book, home = table.Book(f"Claude Code over {transport}"), f"coder-{transport}"
        set_up(program, book, home, transport, url)
        for how in DEBATES:
            ask(program, book, home, known, how)
        total += book.count
    print(f"Claude Code: connected over stdio and HTTP, {len(known[0])} tools, {2 * len(DEBATES)} debates shown whole "
          f"to its model (at once, through running and {LOOK.removeprefix(FAR)}, after a question of cost that nobody "
          f"answered), no warning, {total} checks hold, {time.monotonic() - began:.0f} s")


main(*sys.argv[1:])
