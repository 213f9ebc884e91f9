"""How structure is got from a model in each mode: the request that asks for it, and the reply read strictly.

native         tools and tool_choice "required", finishing is a tool; answers by response_format
json_schema    response_format alone: each turn is one action object, held to a schema
text           the form is described with an example; what comes back is parsed as strictly
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ValidationError

from schemas.models import Mode
from tasks.authors.llm.client.door import Reply
from tasks.authors.llm.client.parsing import Action, Refused, parse_action, parse_arguments, parse_object
from tasks.authors.llm.client.shapes import Schema, answer_schema, is_strict, plain, sample
from tasks.authors.llm.model import Message, ToolSpec, ToolUse, Turn
from tasks.authors.llm.react.prompts import render

LEAST_TEMPERATURE = 0.7
"""Of further samples, and of repairs."""

FINISHING = "Ends the work with your answer."

_MOST_SHOWN = 2000


@dataclass(frozen=True)
class Wanted:
    """What a request asks for: an answer, or the next turn of a conversation with tools that ends with the answer."""

    answer: type[BaseModel]
    tools: tuple[ToolSpec, ...] = ()
    acting: bool = False

    @cached_property
    def finish(self) -> str:
        """The name of the tool that ends: "finish", unless the tools have one of that name."""
        name = "finish"
        while any(tool.name == name for tool in self.tools):
            name += "_work"
        return name

    @cached_property
    def schema(self) -> Schema:
        """The schema of the answer."""
        return answer_schema(self.answer)


@dataclass(frozen=True)
class Sampling:
    """How a response is drawn: seeded where it is left to chance. Attempts from 1 on are samples warm enough to differ."""

    model: str
    mode: Mode
    temperature: float
    max_tokens: int
    attempt: int = 0


def warmer(sampling: Sampling) -> Sampling:
    """Return how a repair is drawn: a model that is asked again at temperature 0 says the same again."""
    return replace(sampling, temperature=max(LEAST_TEMPERATURE, sampling.temperature))


def build_body(messages: Sequence[Message], wanted: Wanted, sampling: Sampling) -> dict[str, Any]:
    """Return the request, as it is sent."""
    body: dict[str, Any] = {
        "model": sampling.model,
        "messages": _rendered(_instructed(messages, wanted, sampling.mode), sampling.mode),
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
    }
    if sampling.attempt:
        body["temperature"] = max(LEAST_TEMPERATURE, sampling.temperature)
    if body["temperature"]:
        body["seed"] = sampling.attempt
    if sampling.mode == "native" and wanted.acting:
        specs = [*wanted.tools, ToolSpec(wanted.finish, FINISHING, wanted.schema)]
        body |= {"tools": [_function(spec) for spec in specs], "tool_choice": "required"}
    elif sampling.mode != "text":
        schema = _envelope(wanted) if wanted.acting else wanted.schema
        form = {"name": "action" if wanted.acting else "answer", "strict": is_strict(schema), "schema": schema}
        body["response_format"] = {"type": "json_schema", "json_schema": form}
    return body


def read_turn(reply: Reply, messages: Sequence[Message], wanted: Wanted) -> Turn:
    """Return what a reply says: the calls to make, or the answer. Raises Refused.

    A reply that was cut off is refused as that, unless all of what was asked for stands before the cut.
    """
    try:
        return _turn(_actions(reply, wanted), messages, wanted)
    except Refused as refused:
        if reply.finish_reason == "length" and refused.reason != "refusal":
            raise Refused("truncated", "the limit of tokens was reached before the end; be shorter") from refused
        raise


def repair_messages(reply: Reply, refused: Refused) -> list[Message]:
    """Return what is added to a conversation to ask once more: the response, and what is wrong with it."""
    calls = reply.message.get("tool_calls")
    said = "\n".join(filter(None, [_content(reply.message), json.dumps(calls, ensure_ascii=False) if calls else ""]))
    fault = render(__package__, "repair.jinja", reason=refused.reason, detail=refused.detail)
    return [Message("assistant", said[:_MOST_SHOWN] or "(nothing)"), Message("user", fault)]


def _instructed(messages: Sequence[Message], wanted: Wanted, mode: Mode) -> list[Message]:
    """Add to the system's message the form that a response has to have, where no parameter says it well enough."""
    if wanted.acting and mode == "native":
        return list(messages)
    if wanted.acting:
        first = wanted.tools[0] if wanted.tools else None
        arguments = sample(plain(first.parameters)) if first else {}
        form = render(
            __package__,
            "actions.jinja",
            tools=[(tool.name, tool.description, _json(plain(tool.parameters))) for tool in wanted.tools],
            finish=wanted.finish,
            finishing=FINISHING,
            schema=_json(wanted.schema),
            call=_printed("<why this is the next step>", first.name, arguments) if first else None,
            end=_printed("<why the work is done>", wanted.finish, sample(wanted.schema)),
        )
    else:
        form = render(__package__, "answer.jinja", schema=_json(wanted.schema), sample=_json(sample(wanted.schema)))
    system = [message for message in messages if message.role == "system"]
    rest = [message for message in messages if message.role != "system"]
    return [Message("system", "\n\n".join([*(message.content for message in system), form])), *rest]


def _rendered(messages: Sequence[Message], mode: Mode) -> list[dict[str, Any]]:
    """Return messages as they are sent; without native calls, calls are printed and their results are the user's."""
    if mode == "native":
        return [_native(message) for message in messages]
    rendered: list[dict[str, Any]] = []
    for message in messages:
        role = "user" if message.role == "tool" else message.role
        content = message.content
        if message.uses:
            content = "\n".join(_printed(message.content, use.tool, use.arguments) for use in message.uses)
        if rendered and rendered[-1]["role"] == role:  # many chat templates want user and assistant to alternate
            rendered[-1]["content"] += f"\n\n{_storable(content)}"
        else:
            rendered.append({"role": role, "content": _storable(content)})
    return rendered


def _native(message: Message) -> dict[str, Any]:
    rendered: dict[str, Any] = {"role": message.role, "content": _storable(message.content)}
    if message.uses:
        rendered["tool_calls"] = [
            {"id": use.id, "type": "function", "function": {"name": use.tool, "arguments": _json(use.arguments)}}
            for use in message.uses
        ]
    if message.role == "tool":
        rendered["tool_call_id"] = message.answers
    return rendered


def _function(spec: ToolSpec) -> dict[str, Any]:
    function = {"name": spec.name, "description": spec.description, "parameters": plain(spec.parameters)}
    return {"type": "function", "function": function}


def _envelope(wanted: Wanted) -> Schema:
    finish = (wanted.finish, wanted.schema)
    return {"anyOf": [_action(*case) for case in [*((t.name, plain(t.parameters)) for t in wanted.tools), finish]]}


def _action(tool: str, arguments: Schema) -> Schema:
    properties = {"thought": {"type": "string"}, "tool": {"type": "string", "const": tool}, "arguments": arguments}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _actions(reply: Reply, wanted: Wanted) -> list[Action]:
    """Return the calls in a reply, as the model made them or printed them."""
    message, content = reply.message, _content(reply.message)
    if reply.finish_reason == "too_long":
        raise Refused("too_long", "the response is longer than what is read of one")
    if message.get("refusal") or reply.finish_reason == "content_filter":
        raise Refused("refusal", str(message.get("refusal") or "filtered")[:300])
    calls = message.get("tool_calls")
    if not isinstance(calls, list) or not calls or not wanted.acting:
        found = parse_object(content)
        return [parse_action(found) if wanted.acting else Action(wanted.finish, found)]
    actions = []
    for call in calls:
        match call:
            case {"function": {"name": str(name), **function}}:
                actions.append(Action(name, parse_arguments(function.get("arguments", "")), content))
            case _:
                raise Refused("wrong_schema", "a call has a function with a name and arguments")
    return actions


def _turn(actions: Sequence[Action], messages: Sequence[Message], wanted: Wanted) -> Turn:
    names = {wanted.finish, *(tool.name for tool in wanted.tools)}
    if unknown := [action.tool for action in actions if action.tool not in names]:
        raise Refused("unknown_tool", f"there is no tool {unknown[0][:80]!r}; there are {', '.join(sorted(names))}")
    made = sum(len(message.uses) for message in messages)
    uses = tuple(ToolUse(f"call-{made + n}", action.tool, action.arguments) for n, action in enumerate(actions, 1))
    ends = [use for use in uses if use.tool == wanted.finish]
    if any(use.arguments != ends[0].arguments for use in ends[1:]):
        raise Refused("two_objects", "it finishes with two different answers")
    finish = _validated(ends[0].arguments, wanted.answer) if ends else None
    kept = tuple(use for use in uses if use not in ends[1:])
    thought = next((action.thought for action in actions if action.thought), "")
    return Turn(thought, tuple(use for use in kept if use not in ends), finish, Message("assistant", thought, kept))


def _validated(found: dict[str, Any], answer: type[BaseModel]) -> BaseModel:
    try:
        return answer.model_validate(found)
    except ValidationError as fault:
        details = [f"{'.'.join(map(str, e['loc'])) or 'it'}: {e['msg']}" for e in fault.errors(include_url=False)[:5]]
        raise Refused("wrong_schema", "; ".join(details)[:600]) from fault


def _content(message: dict[str, Any]) -> str:
    """Return the text of a message, which some endpoints give in parts."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _printed(thought: str, tool: str, arguments: Any) -> str:
    return _json({"thought": thought, "tool": tool, "arguments": arguments})


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()  # halves of surrogate pairs can neither be sent nor stored
