"""A model that is none, behind the wire a coding agent speaks to its own. It does
what it was told: look up a tool, call it, read the result, and say what it read.
Nothing here knows the server; what the agent showed the model is kept."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FAR = "mcp__roundtable__"
START, LOOK, DETAILS = (FAR + name for name in ("start_roundtable", "get_consensus", "get_round_details"))
SEARCH = "ToolSearch"
MOST_SEARCHES = 3


def blocks(body, kind):
    """All blocks of this kind in a conversation, in order."""
    for message in body["messages"]:
        content = message["content"]
        yield from (one for one in content if isinstance(content, list) and one["type"] == kind)


def texts(result):
    """What a tool's result says to a model, piece by piece."""
    content = result["content"]
    if isinstance(content, str):
        return [content]
    return [one["text"] for one in content if one["type"] == "text"]


def read(result):
    """The JSON in a result; an agent may put more beside it."""
    for text in texts(result):
        if text.startswith("{"):
            return json.loads(text)
    return {"unread": texts(result)}


class Model:
    """Answers one conversation. `arguments` is what it starts a debate with."""

    def __init__(self, arguments):
        self.arguments, self.seen, self.paths = arguments, [], []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                model.answer(self)

            def do_GET(self):
                model.paths.append(self.path)
                reply(self, 404, "application/json", "{}")

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()

    def answer(self, handler):
        length = int(handler.headers.get("content-length", 0))
        text = handler.rfile.read(length)
        self.paths.append(handler.path)
        if handler.path.split("?")[0] != "/v1/messages":
            return reply(handler, 404, "application/json", "{}")
        body = json.loads(text)
        # Errands of the agent's own, a title for instance, come without tools.
        if body.get("tools"):
            self.seen.append(body)
            block = self.next_step(body)
        else:
            block = said("A title.")
        if body.get("stream"):
            return reply(handler, 200, "text/event-stream", stream(body, block))
        reply(handler, 200, "application/json", json.dumps(whole(body, block)))

    def next_step(self, body):
        calls = self.called(body)
        if START not in calls:
            return self.call(body, START, self.arguments)
        results = self.results(body)
        last = results[-1] if results else {"unread": "the tool was not found"}
        if "budgetUsd" in str(last.get("unread")) and calls.count(START) == 1:
            # It was told that a budget stands for consent, and has one.
            return self.call(body, START, self.arguments | {"budgetUsd": 20})
        if last.get("status") == "running":
            return self.call(body, LOOK, {"sessionId": last["sessionId"]})
        if last.get("status") == "completed" and DETAILS not in calls:
            return self.call(body, DETAILS, {"sessionId": last["sessionId"], "round": 1})
        return said(f"The table says: {json.dumps(last)[:200]}")

    def call(self, body, name, arguments):
        """Calls a tool, after looking it up where the agent keeps it back."""
        calls = self.called(body)
        names = {tool["name"] for tool in body["tools"] if not tool.get("defer_loading")}
        found = {one["tool_name"] for result in blocks(body, "tool_result")
                 if isinstance(result["content"], list)
                 for one in result["content"] if one["type"] == "tool_reference"}
        if name not in names | found and calls.count(SEARCH) < MOST_SEARCHES:
            name, arguments = SEARCH, {"query": f"select:{name}"}
        return {"type": "tool_use", "id": f"toolu_{len(calls) + 1:04}", "name": name, "input": arguments}

    def called(self, body=None):
        """The tools it called, in order."""
        return [one["name"] for one in blocks(body or self.seen[-1], "tool_use")]

    def results(self, body=None):
        """What it was shown of the server's results."""
        body = body or self.seen[-1]
        ours = {one["id"] for one in blocks(body, "tool_use") if one["name"].startswith(FAR)}
        return [read(one) for one in blocks(body, "tool_result") if one["tool_use_id"] in ours]


def said(text):
    return {"type": "text", "text": text}


def whole(body, block):
    reason = "tool_use" if block["type"] == "tool_use" else "end_turn"
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
        "content": [block], "stop_reason": reason, "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }


def stream(body, block):
    message = whole(body, block)
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    if block["type"] == "tool_use":
        empty = block | {"input": {}}
        piece = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    else:
        empty = block | {"text": ""}
        piece = {"type": "text_delta", "text": block["text"]}
    events = [
        {"type": "message_start", "message": message | {"content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": piece},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 10}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)


def reply(handler, code, kind, text):
    data = text.encode()
    handler.send_response(code)
    handler.send_header("content-type", kind)
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(data)
