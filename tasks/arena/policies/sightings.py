"""What an attempt has seen so far, and what it makes up where it has not looked."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tasks.arena.policies.interpreter import at
from tasks.arena.policies.toolset import ListedTool, Schema, Toolset, kind, type_of, within
from tasks.world.refusals import is_refusal

WORDS = ("none", "other", "standard", "unknown")
"""What a text is taken to be when nothing like it was seen."""
SPAN = 99
"""How far above its least a number is made up that has no highest value."""
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "integer": int,
    "number": (int, float),
    "string": str,
    "boolean": bool,
}


class Sightings:
    """The values that an attempt has seen, by kind: a domain, or a field's name where it has none."""

    def __init__(self, tools: Toolset) -> None:
        self._tools = tools
        self._pending: list[tuple[str, Any]] = []
        self._seen: dict[str, dict[Any, None]] = {}

    def note(self, tool: str, observation: Any) -> None:
        """Note what a call returned; refusals show nothing."""
        if not is_refusal(observation):
            self._pending.append((tool, observation))

    def of(self, kind_: str) -> list[Any]:
        """Return the values of a kind in the order in which they were first seen."""
        return list(self._all().get(kind_, ()))

    def kinds(self) -> list[str]:
        """Return the kinds of which a value was seen."""
        return list(self._all())

    def _all(self) -> dict[str, dict[Any, None]]:
        """Take in what was noted since it was last asked for: most attempts never ask."""
        for tool, observation in self._pending:
            for kind_, value in _leaves(observation, self._tools[tool].outputs, tool):
                self._seen.setdefault(kind_, {})[value] = None
        self._pending.clear()
        return self._seen


class Guess:
    """A result that was not looked up: whatever is asked of it is made up, once, in the form that the tool would give.

    `taken`: what stands in its place, as far as it goes; only what is missing there is made up.
    """

    def __init__(self, schema: Schema, sightings: Sightings, rng: random.Random, taken: Any = None) -> None:
        self._schema, self._sightings, self._rng = schema, sightings, rng
        self._taken = taken
        self._made: dict[tuple[str | int, ...], Any] = {}

    def __contains__(self, name: str) -> bool:
        """Say that it is no refusal: it is taken for a result."""
        return name != "error"

    def at(self, path: tuple[str | int, ...]) -> Any:
        """Return the value at a path."""
        try:
            return at(self._taken if self._taken is not None else {}, path)
        except (LookupError, TypeError):
            if path not in self._made:
                name = next((step for step in reversed(path) if isinstance(step, str)), "")
                self._made[path] = plausible(within(self._schema, path), name, self._sightings, self._rng)
            return self._made[path]


def plausible(schema: Schema, name: str, sightings: Sightings, rng: random.Random) -> Any:
    """Make up a value of a schema: one of its kind that was seen, or else one that its type allows."""
    if known := [value for value in sightings.of(kind(schema, name)) if _fits(value, schema)]:
        return rng.choice(known)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    match type_of(schema):
        case "object":
            return {each: plausible(part, each, sightings, rng) for each, part in schema.get("properties", {}).items()}
        case "array":
            return []
        case "boolean":
            return rng.random() < 0.5
        case "string":
            return _text(schema.get("description", ""), rng)
        case "number":
            return round(rng.uniform(*_span(schema)), 1)
    return rng.randint(*_span(schema))


def made_up_call(
    tool: ListedTool, sightings: Sightings, rng: random.Random, optional: float = 0.0
) -> tuple[str, dict[str, Any]]:
    """Make up the arguments of a call: all that it requires, and with these odds each of the others."""
    return tool.name, {
        name: plausible(schema, name, sightings, rng)
        for name, schema in tool.parameters.items()
        if name in tool.required or rng.random() < optional
    }


def _fits(value: Any, schema: Schema) -> bool:
    wanted = type_of(schema)
    if wanted is None:
        return True
    if isinstance(value, bool) != (wanted == "boolean"):
        return False
    return isinstance(value, _TYPES.get(wanted, ())) and value in schema.get("enum", (value,))


def _span(schema: Schema) -> tuple[int, int]:
    least = int(schema.get("minimum", 1))
    return least, max(least, int(schema.get("maximum", least + SPAN)))


def _text(description: str, rng: random.Random) -> str:
    day = f"{rng.randint(2000, 2025)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    if "YYYY-MM-DDTHH" in description:
        return f"{day}T{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}:00"
    return day if "YYYY-MM-DD" in description else rng.choice(WORDS)


def _leaves(value: Any, schema: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield (kind, value) of all that stands in an observation, nulls aside."""
    schema = schema if isinstance(schema, Mapping) else {}
    if isinstance(value, dict):
        fields = schema.get("properties", {})
        for each, child in value.items():
            yield from _leaves(child, fields.get(each, {}), each)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for child in value:
            yield from _leaves(child, schema.get("items", {}), name)
    elif value is not None:
        yield kind(schema, name), value
