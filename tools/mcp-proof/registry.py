"""What the registry of MCP servers and clients that take bundles would read: that
server.json, as a release writes it, keeps the registry's documented rules, and that
it and the bundle's manifest say of the server what is so. No package carries the
registry's own schema or checker, so the rules stand here, and each is seen to refuse
what breaks it. Usage: registry.py ROOT URL"""

import asyncio
import copy
import json
import re
import sys
from pathlib import Path

from jsonschema import Draft202012Validator
from mcp import Client

import table

root = Path(sys.argv[1])
sys.path.insert(0, str(root / "packaging" / "release"))
from server_json import released  # noqa: E402

EXAMPLE = ([("roundtable-0.1.0-linux-x64.mcpb", "ab" * 32), ("roundtable-0.1.0-win32-x64.mcpb", "cd" * 32)],
           "images.example.org/roundtable/roundtable")


def text(least, most, **more):
    return {"type": "string", "minLength": least, "maxLength": most} | more


# A version, not a range of them.
VERSION = text(1, 255, pattern=r"^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$")
VARIABLE = {
    "type": "object", "required": ["name"], "additionalProperties": False,
    "properties": {"name": text(1, 100), "isSecret": {"type": "boolean"}, "isRequired": {"type": "boolean"},
                   "description": text(1, 500)},
}
TRANSPORT = {"type": "object", "required": ["type"], "properties": {"type": {"const": "stdio"}}}
ARGUMENT = {"type": "object", "required": ["type", "value"], "properties": {"type": {"enum": ["positional", "named"]}}}


def kind(name, *required, **properties):
    """A package of one kind, and what an entry of that kind must say."""
    shared = {"registryType": {"const": name}, "transport": TRANSPORT,
              "packageArguments": {"type": "array", "items": ARGUMENT},
              "environmentVariables": {"type": "array", "items": VARIABLE}}
    return {"if": {"properties": {"registryType": {"const": name}}},
            "then": {"required": ["registryType", "identifier", "transport", *required],
                     "additionalProperties": False, "properties": shared | properties}}


# The registry has no kind of its own for programs in Rust. A bundle must name its checksum, and its
# address must tell what it is; an image names its version in its address.
PACKAGE = {"type": "object", "required": ["registryType"],
           "properties": {"registryType": {"enum": ["npm", "pypi", "oci", "mcpb"]}},
           "allOf": [
               kind("npm", "version", identifier=text(1, 214, pattern="^[a-z0-9-]+$"), version=VERSION),
               kind("pypi", "version", identifier=text(1, 214, pattern="^[a-z0-9-]+$"), version=VERSION),
               kind("oci", identifier=text(1, 500, pattern=r"^[a-z0-9.-]+(/[a-z0-9._-]+)+:[0-9][0-9.]*$")),
               kind("mcpb", "fileSha256", identifier=text(1, 500, pattern=r"^https://(github|gitlab)\.com/.*mcp"),
                    fileSha256={"type": "string", "pattern": "^[a-f0-9]{64}$"}),
           ]}
RULES = {
    "type": "object", "required": ["$schema", "name", "description", "version"], "additionalProperties": False,
    "properties": {
        "$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
        # Whose it is, by a name turned round, then one stroke, then its own name.
        "name": text(3, 200, pattern="^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"),
        "title": text(1, 100), "description": text(1, 100), "version": VERSION,
        "packages": {"type": "array", "minItems": 1, "items": PACKAGE},
    },
}
BROKEN = {
    "a name without an owner": lambda one: one.update(name="roundtable"),
    "a name with two strokes": lambda one: one.update(name="io.github/round/table"),
    "a long description": lambda one: one.update(description="x" * 101),
    "no description": lambda one: one.pop("description"),
    "a range of versions": lambda one: one.update(version="^0.1.0"),
    "an old schema": lambda one: one.update({"$schema": one["$schema"].replace("2025-12-11", "2025-07-09")}),
    "no checksum": lambda one: one["packages"][-1].pop("fileSha256"),
    "a checksum in capitals": lambda one: one["packages"][-1].update(fileSha256="AB" * 32),
    "an address elsewhere": lambda one: one["packages"][-1].update(identifier="https://example.org/x.mcpb"),
    "no transport": lambda one: one["packages"][0].pop("transport"),
    "a kind that is none": lambda one: one["packages"][0].update(registryType="cargo"),
    "a package without a version": lambda one: one["packages"][0].pop("version"),
    "an image without a version": lambda one: one["packages"][2].update(identifier="images.example.org/a/b"),
    "a variable without a name": lambda one: one["packages"][0]["environmentVariables"][0].pop("name"),
}


def faults(server):
    return [fault.message for fault in Draft202012Validator(RULES).iter_errors(server)]


async def main(url):
    book, server = table.Book("registry"), released(*EXAMPLE)
    book.equal("faults of server.json", faults(server), [])
    for what, breaks in BROKEN.items():
        other = copy.deepcopy(server)
        breaks(other)
        book.holds(f"{what} is refused", faults(other), other)
    manifest = json.loads((root / "packaging/mcpb/manifest.json").read_text())
    version = re.search(r'(?m)^version = "(.+)"$', (root / "Cargo.toml").read_text())[1]
    book.equal("version in server.json", server["version"], version)
    book.equal("version in the manifest", manifest["version"], version)
    async with Client(url, mode="legacy") as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
    book.equal("tools in the manifest", sorted(one["name"] for one in manifest["tools"]), sorted(tools))
    wanted = {one["name"] for one in server["packages"][0]["environmentVariables"]}
    book.equal("keys in both", set(manifest["server"]["mcp_config"]["env"]), wanted)
    print(f"Registry: server.json of a release keeps the documented rules, which refuse {len(BROKEN)} broken ones; "
          f"the bundle names all {len(tools)} tools, {book.count} checks hold")


asyncio.run(main(sys.argv[2]))
