"""Strict parsers of what models say. They find exactly one JSON object or refuse with a reason; nothing is guessed or repaired.

Accepted around the object: prose, one code fence, tags, a reasoning block before it, and text that runs on after it.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from schemas.models import RefusalReason

# A reasoning block that some models print before their answer.
_REASONING = re.compile(r"\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_OPEN_REASONING = re.compile(r"\s*<(think|thinking|reasoning)>")
# Brackets of prose, like {this} or [1]: no JSON object is in them.
_PROSE = re.compile(r"\{(?!\s*\})[^{}\[\]\":]+\}|\[[^{}\[\]\"]*\]")
_BRACKET = re.compile(r"[{\[]")
_LITERALS = ("true", "false", "null", "-")


class Refused(Exception):
    """A response is not what was asked for."""

    def __init__(self, reason: RefusalReason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail = reason, detail


@dataclass(frozen=True)
class Action:
    """One call as a model printed it."""

    tool: str
    arguments: dict[str, Any]
    thought: str = ""


def parse_object(text: str) -> dict[str, Any]:
    """Return the one JSON object in a text. Raises Refused: empty, no_json, truncated, broken_json or two_objects.

    What follows the object is dropped, unless it holds another one: a model that runs on makes up results and requests.
    """
    text = _without_reasoning(text)
    if not text.strip():
        raise Refused("empty", "nothing was said")
    start = _opening(text, 0)
    if start is None:
        raise Refused("no_json", "there is no JSON object in it")
    found, end = _decode(text, start)
    if not isinstance(found, dict):
        raise Refused("no_json", "a list, where an object is asked for")
    while (start := _opening(text, end)) is not None:
        try:
            again, end = _decode(text, start)
        except Refused:
            again = None
        if again != found:
            raise Refused(
                "two_objects", "exactly one JSON object is asked for, and another follows it: give the first one alone"
            )
    return found


def parse_arguments(arguments: object) -> dict[str, Any]:
    """Return a call's arguments, which models give as an object or as a string that holds one. Raises Refused."""
    if isinstance(arguments, str):
        said = arguments.strip() or "{}"
        arguments, end = _decode(said, 0)
        if end < len(said):
            raise Refused("broken_json", "something follows the arguments of a call")
    if not isinstance(arguments, dict):
        raise Refused("wrong_schema", "the arguments of a call are a JSON object")
    return arguments


def parse_action(found: dict[str, Any]) -> Action:
    """Return the call that a JSON object states, in one of the forms that models print:

    {"tool", "arguments"}, {"name", "arguments"}, "parameters" for "arguments", or such an object as "function".
    A thought may stand beside. Raises Refused: wrong_schema, or what is wrong with the arguments.
    """
    inner = found.get("function")
    call = inner if isinstance(inner, dict) else found
    names = [call[key] for key in ("tool", "name") if key in call]
    given = [call[key] for key in ("arguments", "parameters") if key in call]
    if len(names) != 1 or not isinstance(names[0], str) or len(given) > 1:
        raise Refused("wrong_schema", 'a turn is one object {"thought": ..., "tool": ..., "arguments": {...}}')
    thought = found.get("thought", "")
    return Action(names[0], parse_arguments(given[0] if given else {}), thought if isinstance(thought, str) else "")


def _opening(text: str, at: int) -> int | None:
    """Return where JSON seems to start, from a place on: the first bracket that is not one of prose."""
    while opening := _BRACKET.search(text, at):
        prose = _PROSE.match(text, opening.start())
        if prose is None:
            return opening.start()
        at = prose.end()
    return None


def _without_reasoning(text: str) -> str:
    if block := _REASONING.match(text):
        return text[block.end() :]
    if _OPEN_REASONING.match(text):
        raise Refused("truncated", "it ends within its reasoning")
    return text


def _decode(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value that starts at a place of a text, and where it ends. Raises Refused."""
    try:
        value, end = _DECODER.raw_decode(text, at)
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as fault:
        raise _refusal(text, fault) from fault
    except RecursionError as fault:
        raise Refused("broken_json", "it is nested too deeply") from fault
    except ValueError as fault:  # a key twice, a number out of range, half of a surrogate pair
        raise Refused("broken_json", str(fault)[:200]) from fault
    return value, end


def _refusal(text: str, fault: json.JSONDecodeError) -> Refused:
    rest = text[fault.pos :].strip()
    cut = not rest or any(literal.startswith(rest) for literal in _LITERALS) or fault.msg.startswith("Unterminated")
    if cut:
        return Refused("truncated", "the JSON object is cut off")
    return Refused("broken_json", f"{fault.msg} at {text[fault.pos : fault.pos + 40]!r}")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number[:40]} is not a finite number")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_finite)
