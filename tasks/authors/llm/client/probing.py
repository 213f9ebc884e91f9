"""What an endpoint is found to do: asked for with a few tokens, not read from its documentation.

What counts is what a model is held to. One that makes a call when it is told to may write prose at the next turn, so
native calls are used only where one comes even though nothing in the request asks for it.
"""

from __future__ import annotations

import time
from typing import Any

from pydantic import BaseModel, Field

from schemas.models import Mode
from tasks.authors.llm.client.door import Door, Fault, Reply
from tasks.authors.llm.client.parsing import Refused, parse_arguments, parse_object

MOST_TOKENS = 256

# Values that no model writes by itself: a response that fits was held to the schema.
_UNLIKELY: dict[str, list[Any]] = {"tone": ["qzx-7", "vkp-2"], "weight": [4111, 9327]}


class Capabilities(BaseModel):
    """What one model at one endpoint does. `findings` are lines for people, in the order in which they were found."""

    reachable: bool = False
    model_listed: bool | None = Field(None, description="None: the endpoint lists no models")
    tool_calls: bool = Field(False, description="a call comes when it is asked for")
    held_to_calls: bool = Field(False, description="a call comes even when only tool_choice asks for it")
    json_schema: bool = False
    context_tokens: int | None = None
    latency_s: float | None = Field(None, description="of the fastest response")
    mode: Mode | None = Field(None, description="how structure will be got; None: the model does not answer")
    findings: list[str] = Field(default_factory=list)


def probe(door: Door, model: str) -> Capabilities:
    """Ask for the list of models, for tool calls and for an object of an unlikely schema. Never raises for what it finds."""
    found = Capabilities()
    _look_up(door, model, found)
    if found.findings and not found.reachable:
        return found
    tool_reply = _ask(door, _tool_request(model, "What is the weather in Oslo? Call the tool."), "tool calls", found)
    schema_reply = _ask(door, _schema_request(model), "JSON schema", found)
    found.tool_calls = tool_reply is not None and _is_call(tool_reply)
    if found.tool_calls:
        unasked = _ask(door, _tool_request(model, "Write one sentence about zebras."), "tool calls", found)
        found.held_to_calls = unasked is not None and _is_call(unasked)
    found.json_schema = schema_reply is not None and _fits(schema_reply)
    answered = tool_reply or schema_reply
    if answered is None and found.reachable:
        answered = _ask(door, _request(model, "Say hello."), "plain text", found)
    found.mode = _mode(found) if answered else None
    found.findings += [f"tool calls: {_calls(found)}", f"JSON schema: {'yes' if found.json_schema else 'no'}"]
    return found


def _look_up(door: Door, model: str, found: Capabilities) -> None:
    try:
        listed = door.models()
    except Fault as fault:
        found.reachable = fault.status is not None
        found.findings.append(f"list of models: {fault}")
        return
    found.reachable = True
    names = sorted(str(entry.get("id")) for entry in listed)
    found.model_listed = model in names
    if not found.model_listed:
        found.findings.append(f"{model} is not listed; there are {', '.join(names[:8]) or 'none'}")
    found.context_tokens = next((_context(entry) for entry in listed if entry.get("id") == model), None)


def _context(entry: dict[str, Any]) -> int | None:
    """Return the length of context that servers state in their list of models (vLLM, llama.cpp and gateways)."""
    meta = entry.get("meta")
    places = {**entry, **(meta if isinstance(meta, dict) else {})}
    # n_ctx is what a server was started with; n_ctx_train is the most that the model was made for.
    stated = (places.get(key) for key in ("max_model_len", "n_ctx", "context_length", "context_window", "n_ctx_train"))
    return next((length for length in stated if isinstance(length, int) and length > 0), None)


def _ask(door: Door, body: dict[str, Any], what: str, found: Capabilities) -> Reply | None:
    began = time.monotonic()
    try:
        reply = door.complete(body)
    except Fault as fault:
        found.reachable = found.reachable or fault.status is not None
        found.findings.append(f"{what}: {fault}")
        return None
    took = time.monotonic() - began
    found.latency_s = round(min(took, found.latency_s or took), 3)
    found.reachable = True
    return reply


def _request(model: str, text: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": text}]
    return {"model": model, "messages": messages, "max_tokens": MOST_TOKENS, "temperature": 0.0}


def _tool_request(model: str, text: str) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    }
    function = {"name": "get_weather", "description": "Weather of a city.", "parameters": parameters}
    return _request(model, text) | {"tools": [{"type": "function", "function": function}], "tool_choice": "required"}


def _schema_request(model: str) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {
            "tone": {"type": "string", "enum": _UNLIKELY["tone"]},
            "weight": {"type": "integer", "enum": _UNLIKELY["weight"]},
        },
        "required": ["tone", "weight"],
        "additionalProperties": False,
    }
    form = {"name": "zebra", "strict": True, "schema": schema}
    return _request(model, "Describe a zebra.") | {"response_format": {"type": "json_schema", "json_schema": form}}


def _is_call(reply: Reply) -> bool:
    match reply.message.get("tool_calls"):
        case [{"function": {"name": "get_weather", "arguments": arguments}}, *_]:
            try:
                return isinstance(parse_arguments(arguments).get("city"), str)
            except Refused:
                return False
    return False


def _fits(reply: Reply) -> bool:
    try:
        found = parse_object(str(reply.message.get("content") or ""))
    except Refused:
        return False
    return found.keys() == _UNLIKELY.keys() and all(found[key] in values for key, values in _UNLIKELY.items())


def _mode(found: Capabilities) -> Mode:
    if found.held_to_calls and found.json_schema:
        return "native"
    return "json_schema" if found.json_schema else "text"


def _calls(found: Capabilities) -> str:
    if not found.tool_calls:
        return "no"
    return "yes" if found.held_to_calls else "yes, but the model is not held to them"
