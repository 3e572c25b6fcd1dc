"""Tasks for the Python client, through the door it has for extensions: a result
that is a task is followed until it is over."""

from typing import Any, Literal

import anyio
import mcp_types as types
from mcp.client.extension import ClientExtension, ResultClaim
from mcp_types import CallToolResult, Result

MOST_LOOKS = 200


class Begun(Result):
    result_type: Literal["task"]
    task_id: str
    status: str
    poll_interval_ms: int


class Standing(Result):
    result_type: str
    status: str
    status_message: str | None = None
    result: dict[str, Any] | None = None


class Named(types.RequestParams):
    task_id: str


class Get(types.Request[Named, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    params: Named
    name_param = "taskId"


class Cancel(types.Request[Named, Literal["tasks/cancel"]]):
    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: Named
    name_param = "taskId"


class Acknowledged(Result):
    result_type: str


class Tasks(ClientExtension):
    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self):
        self.seen, self.cancel_next = [], False

    def claims(self):
        return [ResultClaim(result_type="task", model=Begun, resolve=self.follow)]

    async def follow(self, begun, context):
        named = Named(task_id=begun.task_id)
        if self.cancel_next:
            await context.session.send_request(Cancel(params=named), Acknowledged)
        for _ in range(MOST_LOOKS):
            standing = await context.session.send_request(Get(params=named), Standing)
            self.seen.append(standing.status)
            if standing.status == "completed":
                return CallToolResult.model_validate(standing.result)
            if standing.status != "working":
                return CallToolResult(content=[], is_error=True)
            # As often as a test may look, not as seldom as the server advises.
            await anyio.sleep(min(begun.poll_interval_ms / 1000, 0.5))
        raise RuntimeError(f"the task was never over: {self.seen[-1]}")
