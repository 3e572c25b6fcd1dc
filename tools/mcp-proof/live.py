"""A debate among the real models of whoever runs this, over MCP, by following `next` alone.
It costs what a round of these models costs, so it runs only where it is asked for.
Usage: live.py BINARY"""

import asyncio
import os
import sys

from mcp import Client, StdioServerParameters

MOST_CALLS = 8
# A round with real models takes minutes; a call waits for most of one.
ASKED = {"topic": "Should a team of three keep its code in one repository?", "rounds": 1, "waitSeconds": 300}


async def main(binary):
    server = StdioServerParameters(command=binary, args=["mcp"], env=dict(os.environ))
    async with Client(server, mode="2026-07-28") as client:
        found = (await client.call_tool("get_agents", {})).structured_content["agents"]
        if not found:
            return "LEFT OUT: a debate among real models over MCP; none is set up here"
        tool, args, seen = "start_roundtable", ASKED, {}
        for calls in range(1, MOST_CALLS + 1):
            result = await client.call_tool(tool, args)
            if result.is_error:
                sys.exit(f"FAILED: {tool}: {result.content[0].text}")
            seen = result.structured_content
            if seen["status"] in ("completed", "error") or seen.get("needsPerson"):
                break
            tool, args = seen["next"][0]["tool"], seen["next"][0]["arguments"]
        end = seen.get("needsPerson") or seen["status"]
        if seen["status"] != "completed" and not seen.get("needsPerson"):
            sys.exit(f"FAILED: after {calls} calls the debate is {end}")
        answered = seen["metadata"].get("answered")
        return f"Real models: {answered} answered, followed by next in {calls} calls to: {end}"


print(asyncio.run(main(sys.argv[1])))
