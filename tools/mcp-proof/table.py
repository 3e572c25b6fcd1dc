"""What the Python scripts share: where the server is, what is debated, and the
book in which every check is written down. Nothing here talks to the server."""

import os
import sys
from pathlib import Path

from jsonschema import Draft202012Validator
from mcp import StdioServerParameters

BINARY = os.environ["PROOF_BINARY"]
SCRATCH = Path(os.environ["PROOF_SCRATCH"])
# All a server may know of this machine: no keys, no config of whoever runs this.
KNOWN = os.environ["PROOF_KNOWN"].split()
ERAS = {"2025-11-25": "legacy", "2026-07-28": "2026-07-28"}
QUICK = ["Ann=ollama/fake-large", "Bea=ollama/fake-small"]
PRICED = ["Ann=mistral/fake-large", "Bea=mistral/fake-small"]
SLOW = ["Ann=ollama/fake-large", "Bea=lmstudio/fake-small"]
# Ann wants to know something of the user before she answers.
CURIOUS = ["Ann=deepseek/deepseek-flash", "Bea=ollama/fake-small"]


def environment(home):
    """A server's environment, with a home of its own."""
    folder = SCRATCH / home
    folder.mkdir(parents=True, exist_ok=True)
    known = {name: os.environ[name] for name in KNOWN}
    return known | {"HOME": str(folder), "ROUNDTABLE_DATA_DIR": str(folder / "data")}


def stdio(home):
    """The server as a child process that leaves its number behind."""
    note = SCRATCH / f"{home}.pid"
    command = f'echo $$ > "{note}"; exec "{BINARY}" mcp'
    return StdioServerParameters(command="sh", args=["-c", command], env=environment(home))


def question(key, agents=QUICK, **more):
    """Arguments of a start that is like no other start."""
    return {
        "topic": "Tabs or spaces?", "agents": agents, "rounds": 1, "clerk": "none",
        "idempotencyKey": key, "flags": ["groupthinkDetection.enabled=false"],
    } | more


class Book:
    """Counts what held. The first thing that does not hold ends the run."""

    def __init__(self, who):
        self.who, self.count = who, 0

    def holds(self, what, true, seen=None):
        if not true:
            sys.exit(f"FAILED: {self.who}: {what}; seen: {seen!r}"[:2000])
        self.count += 1

    def equal(self, what, seen, wanted):
        self.holds(f"{what} should be {wanted!r}", seen == wanted, seen)

    def fits(self, schemas, tool, result):
        """The structured result, once it is known to be what the tool promised."""
        self.holds(f"{tool} is no error", not result.is_error, result.content)
        content = result.structured_content
        faults = [fault.message for fault in Draft202012Validator(schemas[tool]).iter_errors(content)]
        self.equal(f"faults of the result of {tool}", faults, [])
        return content

    def grows(self, progress):
        """Every message says more than the one before, in words."""
        self.holds("there is progress", len(progress) >= 2, progress)
        marks = [mark for mark, _total, _words in progress]
        self.holds("progress grows", all(a < b for a, b in zip(marks, marks[1:])), progress)
        self.holds("progress has words", all(words for _mark, _total, words in progress), progress)
