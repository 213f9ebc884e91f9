"""Calls in one form: which tool was asked for what, whatever the pages it was read in and the defaults that were spelt out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from schemas.rollouts import Rollout
from schemas.tasks import GoldRun
from schemas.tools import Tool
from tasks.verification.difficulty import tables_of
from tasks.world.refusals import is_refusal, is_unavailable

PAGING = frozenset({"limit", "offset", "page", "page_size", "cursor"})
"""Parameters of a reading tool that say how much of a listing is shown at once, not what is in it."""
SHOWN = 60
"""Characters of a value that evidence shows."""
EQUAL, SAME_TOOL, LOOK_ALIKE = 4.0, 2.0, 1.0
"""How much a call looks made in the place of another; the last two grow by up to 1 with the arguments in common."""
_encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


@dataclass(frozen=True)
class Made:
    """A call that a gold run or an attempt made; `place` counts the calls of that run from 0.

    `arguments` are in normal form. `reads`: the tool only reads; None for a tool that there is not.
    """

    place: int
    tool: str
    arguments: Mapping[str, Any]
    observation: Any
    reads: bool | None

    @cached_property
    def key(self) -> str:
        """What was asked of which tool; equal for calls that ask for the same."""
        return text_of([self.tool, self.arguments])

    @property
    def refused(self) -> bool:
        """It was refused or failed."""
        return is_refusal(self.observation)

    @property
    def unavailable(self) -> bool:
        """It failed for a moment and was not made."""
        return is_unavailable(self.observation)

    def __str__(self) -> str:
        arguments = ", ".join(f"{name}={shown(value)}" for name, value in sorted(self.arguments.items()))
        return f"{self.tool}({arguments})"


def calls_of_gold(gold: GoldRun, tools: Mapping[str, Tool]) -> list[Made]:
    """Return the calls of a gold run."""
    return _calls(((step.tool, step.arguments, step.observation) for step in gold.steps), tools)


def calls_of_attempt(rollout: Rollout, tools: Mapping[str, Tool]) -> list[Made]:
    """Return the calls of an attempt; its messages do not count."""
    calls = (step for step in rollout.steps if step.kind == "call")
    return _calls(((step.tool or "", step.arguments or {}, step.observation) for step in calls), tools)


def _calls(made: Iterable[tuple[str, Mapping[str, Any], Any]], tools: Mapping[str, Tool]) -> list[Made]:
    found = []
    for place, (name, arguments, observation) in enumerate(made):
        tool = tools.get(name)
        reads = tool.read_only if tool else None
        found.append(Made(place, name, normal(tool, arguments), observation, reads))
    return found


def normal(tool: Tool | None, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that say what is asked for: no nulls, no defaults, and where only is read no paging."""
    given = {name: value for name, value in arguments.items() if value is not None}
    if tool is None:
        return given
    properties = tool.input_schema.get("properties", {})
    paging = PAGING if tool.read_only else frozenset()
    return {
        name: value
        for name, value in given.items()
        if name not in paging and ("default" not in properties.get(name, {}) or properties[name]["default"] != value)
    }


def likeness(gold: Made, made: Made, tools: Mapping[str, Tool]) -> float:
    """Return how much a call of an attempt looks made in the place of a gold run's; 0 for not at all."""
    if made.key == gold.key:
        return EQUAL
    if made.unavailable:
        return 0.0
    ours, theirs = _values(gold), _values(made)
    common = (ours & theirs).total()
    share = common / max(ours.total(), theirs.total(), 1)
    if made.tool == gold.tool:
        return SAME_TOOL + share
    if made.reads not in (None, gold.reads):
        return 0.0
    taken = 2 * common >= min(ours.total(), theirs.total()) and bool(ours) == bool(theirs)
    return LOOK_ALIKE + 0.9 * share if taken or _akin(gold.tool, made.tool, tools) else 0.0


def _values(call: Made) -> Counter[str]:
    return Counter(map(text_of, call.arguments.values()))


def _akin(one: str, other: str, tools: Mapping[str, Tool]) -> bool:
    """Say whether two tools do the same kind of thing to the same tables."""
    if one not in tools or other not in tools or tools[one].operation != tools[other].operation:
        return False
    return not tables_of(tools[one]).isdisjoint(tables_of(tools[other]))


def text_of(value: Any) -> str:
    """Return JSON that is equal for equal values: 5.0 reads as 5."""
    return _encode(_plain(value))


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(child) for name, child in value.items()}
    return [_plain(child) for child in value] if isinstance(value, list | tuple) else value


def shown(value: Any) -> str:
    """Return a value as evidence shows it, on one line and not too long."""
    text = text_of(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
