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
    input_requests: dict[str, Any] | None = None


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


class Brought(types.RequestParams):
    task_id: str
    input_responses: dict[str, Any]


class Update(types.Request[Brought, Literal["tasks/update"]]):
    method: Literal["tasks/update"] = "tasks/update"
    params: Brought
    name_param = "taskId"


class Acknowledged(Result):
    result_type: str


class Tasks(ClientExtension):
    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self, person):
        self.person, self.seen, self.cancel_next = person, [], False

    def claims(self):
        return [ResultClaim(result_type="task", model=Begun, resolve=self.follow)]

    async def follow(self, begun, context):
        named = Named(task_id=begun.task_id)
        if self.cancel_next:
            self.cancel_next = False
            await context.session.send_request(Cancel(params=named), Acknowledged)
        for _ in range(MOST_LOOKS):
            standing = await context.session.send_request(Get(params=named), Standing)
            self.seen.append(standing.status)
            if standing.status == "completed":
                return CallToolResult.model_validate(standing.result)
            if standing.status == "input_required":
                await self.bring(begun.task_id, standing.input_requests, context)
            elif standing.status != "working":
                return CallToolResult(content=[], is_error=True)
            # As often as a test may look, not as seldom as the server advises.
            await anyio.sleep(min(begun.poll_interval_ms / 1000, 0.5))
        raise RuntimeError(f"the task was never over: {self.seen[-1]}")

    async def bring(self, task_id, requests, context):
        """What the person says to each of the questions."""
        responses = {}
        for name, request in requests.items():
            if request["method"] == "elicitation/create":
                form = types.ElicitRequestFormParams.model_validate(request["params"])
                said = await self.person.elicited(context, form)
            else:
                said = await self.person.sampled(context, request)
            responses[name] = said.model_dump(by_alias=True, exclude_none=True, mode="json")
        brought = Brought(task_id=task_id, input_responses=responses)
        await context.session.send_request(Update(params=brought), Acknowledged)
