"""The official Python client asks a table as it asks a model."""

import json
import os
import shlex
import subprocess

import openai

KEY = os.environ["ROUNDTABLE_TOKEN"]
URL = os.environ["PROOF_URL"]
MODEL = "roundtable/quick"
client = openai.OpenAI(api_key=KEY, base_url=URL, max_retries=0)


def debates():
    listed = subprocess.run(shlex.split(os.environ["PROOF_LIST"]), capture_output=True, check=True)
    return {row["id"]: row for row in json.loads(listed.stdout)}


def debate_of(text):
    return text.rsplit("/debates/", 1)[1].split(")")[0]


def refused(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"{kind} was expected")


def say(text, **more):
    return client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": text}], **more
    )


models = [model.id for model in client.models.list()]
assert {"roundtable", "roundtable/vote", "roundtable/debate", MODEL, "roundtable/pre-mortem"} <= set(models), models
assert client.models.retrieve(MODEL).id == MODEL

# One answer, and the same as a stream whose parts add up to it; by its key it is the same debate.
same = {"extra_headers": {"Idempotency-Key": "python"}}
whole = say("Python: tabs or spaces?", **same)
text = whole.choices[0].message.content
assert whole.choices[0].finish_reason == "stop" and whole.usage.total_tokens > 0, whole
first = debate_of(text)
count = len(debates())
parts = list(say("Python: tabs or spaces?", stream=True, stream_options={"include_usage": True}, **same))
assert "".join(part.choices[0].delta.content or "" for part in parts if part.choices) == text
thought = "".join(getattr(part.choices[0].delta, "reasoning_content", None) or "" for part in parts if part.choices)
assert "Round 1" in thought and "Ann: " in thought, thought
assert parts[-1].usage.total_tokens == whole.usage.total_tokens and len(debates()) == count

# A follow-up in the same conversation.
further = client.chat.completions.create(
    model=MODEL,
    messages=[
        {"role": "user", "content": "Python: tabs or spaces?"},
        {"role": "assistant", "content": text},
        {"role": "user", "content": "Python: and in Makefiles?"},
    ],
)
second = debate_of(further.choices[0].message.content)
assert debates()[second]["after"] == first

# A connection that is dropped and asked again pays once.
stream = say("Python: who pays twice?", stream=True)
next(iter(stream))
stream.close()
again = say("Python: who pays twice?")
assert len(debates()) == count + 2, "one follow-up, one debate"

# The same by responses.
response = client.responses.create(model=MODEL, input="Python: one response?", **same)
assert response.status == "completed" and "/debates/" in response.output_text
follow = client.responses.create(model=MODEL, input="Python: another?", previous_response_id=response.id)
assert debates()[follow.id.removeprefix("resp_")]["after"] == response.id.removeprefix("resp_")
kinds, text = [], ""
for event in client.responses.create(model=MODEL, input="Python: one response?", stream=True, **same):
    kinds.append(event.type)
    text += event.delta if event.type == "response.output_text.delta" else ""
assert (kinds[0], kinds[-1]) == ("response.created", "response.completed"), kinds
assert text == response.output_text

stranger = openai.OpenAI(api_key="wrong", base_url=URL, max_retries=0)
assert refused(openai.AuthenticationError, stranger.models.list).code == "invalid_api_key"
unknown = refused(openai.NotFoundError, lambda: client.chat.completions.create(model="roundtable/nobody", messages=[]))
assert unknown.code in ("model_not_found", "missing_required_parameter"), unknown
tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
tools = refused(openai.BadRequestError, lambda: say("Look!", tools=[tool]))
assert (tools.code, tools.param) == ("unsupported_parameter", "tools"), tools
picture = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]
assert refused(openai.BadRequestError, lambda: say(picture)).param == "messages"
print(f"Python: openai {openai.__version__}, {len(models)} models, {len(debates())} debates, each paid for once")
