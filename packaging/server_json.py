"""Writes server.json for a release to standard output: what is in the file beside
this one, and where its bundle is. Usage: server_json.py ADDRESS SHA256"""

import json
import sys
from pathlib import Path

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY")


def released(address, checksum):
    server = json.loads((Path(__file__).parent / "server.json").read_text())
    server["packages"] = [{
        "registryType": "mcpb", "identifier": address, "fileSha256": checksum,
        "transport": {"type": "stdio"},
        "environmentVariables": [{"name": name, "isSecret": True, "isRequired": False} for name in KEYS],
    }]
    return server


if __name__ == "__main__":
    json.dump(released(*sys.argv[1:]), sys.stdout, indent=2)
    print()
