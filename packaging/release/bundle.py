"""Bundles for desktop clients (.mcpb): one per platform, which holds the program of that platform
and says so."""

import json

from base import DIST, PROGRAM, ROOT, TOOLS, VERSION, fresh, put, run

PACKER = "@anthropic-ai/mcpb@2.1.2"


def manifest_of(one):
    """The manifest for one platform."""
    manifest = json.loads((ROOT / "packaging" / "mcpb" / "manifest.json").read_text())
    program = f"server/{one.binary.name}"
    manifest["server"]["entry_point"] = program
    manifest["server"]["mcp_config"]["command"] = "${__dirname}/" + program
    manifest["compatibility"] = {"platforms": [one.bundle]}
    return manifest


def make(one):
    folder = fresh(DIST / "bundle" / one.name)
    put(one.binary, folder / "server" / one.binary.name, 0o755)
    put(ROOT / "packaging" / "mcpb" / "icon.png", folder / "icon.png")
    (folder / "manifest.json").write_text(json.dumps(manifest_of(one), indent=2) + "\n")
    target = DIST / f"{PROGRAM}-{VERSION}-{one.name}.mcpb"
    packer = TOOLS / "mcpb"
    if not (packer / "node_modules").is_dir():
        packer.mkdir(parents=True, exist_ok=True)
        run("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", packer, PACKER)
    run("node", packer / "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js", "validate", folder / "manifest.json")
    run("node", packer / "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js", "pack", folder, target)
    return target
