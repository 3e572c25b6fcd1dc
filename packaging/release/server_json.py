"""Writes server.json for a release: what stands in packaging/server.json, and where each package is."""

import hashlib
import json

from base import DIST, NAME, REPOSITORY, ROOT, VERSION

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY")


def package(kind, identifier, **more):
    """An entry. The program is started with `mcp` and speaks on standard input and output."""
    return {
        "registryType": kind, "identifier": identifier, "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "mcp"}],
        "environmentVariables": [{"name": name, "isSecret": True, "isRequired": False} for name in KEYS],
        **more,
    }


def bundle(name, checksum):
    one = package("mcpb", f"{REPOSITORY}/releases/download/v{VERSION}/{name}", fileSha256=checksum)
    # A bundle's own manifest says how it is started.
    del one["packageArguments"]
    return one


def released(bundles, image=None):
    """`bundles` are pairs of a file's name and its checksum; `image` is where the container image is kept."""
    server = json.loads((ROOT / "packaging" / "server.json").read_text())
    server["packages"] = [package("npm", NAME, version=VERSION), package("pypi", NAME, version=VERSION)]
    if image:
        server["packages"].append(package("oci", f"{image}:{VERSION}"))
    server["packages"] += [bundle(name, checksum) for name, checksum in bundles]
    return server


def make(bundles, image):
    sums = [(path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in bundles]
    target = DIST / "server.json"
    target.write_text(json.dumps(released(sums, image), indent=2) + "\n")
    return target
