"""Parameters: a JSON Schema, however nested, as a flat list of what may be given.

Read in bounds: at most `DEPTH` levels, `NODES` schemas and `PARAMETERS` names; local `$ref`s are followed, one that
leads back to where it stands is cut, foreign ones are an object of which nothing is known.
JSON Schema 2020-12, and what OpenAPI 2 and 3 add to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from schemas.themes import SourceParameter

DEPTH = 6
NODES = 2_000
PARAMETERS = 80
_CHOICES = 60
_EXAMPLES = 5
_LONGEST_DESCRIPTION = 300
_LONGEST_VALUE = 80
_LONGEST_NAME = 120

ParameterType = Literal["string", "integer", "number", "boolean", "array", "object"]
_TYPES = frozenset(get_args(ParameterType))
_COMBINED = ("allOf", "anyOf", "oneOf")


@dataclass
class _Reading:
    """One schema being read: the document its references point into, and how much of it was seen."""

    document: Mapping[str, Any]
    nodes: int = 0
    found: dict[str, SourceParameter] = field(default_factory=dict)

    def full(self) -> bool:
        return self.nodes >= NODES or len(self.found) >= PARAMETERS


def read_parameters(schema: Any, document: Mapping[str, Any] | None = None) -> list[SourceParameter]:
    """Return the parameters of an object's schema, nested ones by dotted names ('filter.status'), as they stand.

    A list of objects gives the names of what is in them. `document` is where local references are looked up,
    the schema itself when not given. What is no schema gives no parameters.
    """
    if not isinstance(schema, Mapping):
        return []
    reading = _Reading(schema if document is None else document)
    _read_object(reading, schema, "", (), True)
    return list(reading.found.values())


def _read_object(
    reading: _Reading, schema: Mapping[str, Any], prefix: str, within: tuple[int, ...], must: bool
) -> None:
    for part in _parts(reading, schema, within):
        required = part.get("required")
        needed = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
        properties = part.get("properties")
        for name, child in properties.items() if isinstance(properties, Mapping) else ():
            if reading.full():
                return
            dotted = f"{prefix}{name}"[:_LONGEST_NAME]
            if isinstance(child, Mapping) and dotted not in reading.found:
                _read_child(reading, child, dotted, (*within, id(part)), must and name in needed)


def _read_child(reading: _Reading, schema: Mapping[str, Any], name: str, within: tuple[int, ...], must: bool) -> None:
    parts = list(_parts(reading, schema, within))
    kind = _type_of(parts)
    inner = parts
    if kind == "array":
        items: Mapping[str, Any] = next((part["items"] for part in parts if isinstance(part.get("items"), Mapping)), {})
        inner = list(_parts(reading, items, within))
    nested = any(isinstance(part.get("properties"), Mapping) and part["properties"] for part in inner)
    if nested and len(within) < DEPTH:
        before = len(reading.found)
        for part in inner:
            _read_object(reading, part, f"{name}.", within, must)
        if len(reading.found) > before:
            return
    reading.found[name] = SourceParameter(
        name=name,
        type=kind,
        required=must,
        description=_described(parts),
        choices=_choices([*parts, *inner]),
        examples=_examples(parts),
    )


def _parts(reading: _Reading, schema: Mapping[str, Any], within: tuple[int, ...]) -> Iterator[Mapping[str, Any]]:
    """Yield the schema and what it is combined of, references resolved; nothing that stands within itself."""
    waiting, seen = [schema], set(within)
    while waiting:
        part = waiting.pop(0)
        reading.nodes += 1
        if reading.nodes > NODES or id(part) in seen:
            continue
        seen.add(id(part))
        reference = part.get("$ref")
        if isinstance(reference, str):
            target = _target(reading.document, reference)
            if target is not None:
                waiting.append(target)
        yield part
        for key in _COMBINED:
            options = part.get(key)
            waiting.extend(option for option in (options if isinstance(options, list) else []) if _is_schema(option))


def _is_schema(value: Any) -> bool:
    return isinstance(value, Mapping)


def resolve(document: Mapping[str, Any], value: Any) -> Mapping[str, Any] | None:
    """Return an object of a document, or what it refers to, a few references on; None for anything else."""
    for _ in range(DEPTH):
        if not isinstance(value, Mapping):
            return None
        reference = value.get("$ref")
        if not isinstance(reference, str):
            return value
        value = _target(document, reference)
    return None


def _target(document: Mapping[str, Any], reference: str) -> Mapping[str, Any] | None:
    """Return what a local reference ('#/$defs/Pet') points to; None for a foreign or a broken one."""
    if not reference.startswith("#"):
        return None
    target: Any = document
    for step in reference[1:].split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~").replace("%24", "$")
        if isinstance(target, Mapping) and step in target:
            target = target[step]
        elif isinstance(target, list) and step.isdigit() and int(step) < len(target):
            target = target[int(step)]
        else:
            return None
    return target if isinstance(target, Mapping) else None


def _type_of(parts: list[Mapping[str, Any]]) -> ParameterType:
    for part in parts:
        said = part.get("type")
        for name in said if isinstance(said, list) else [said]:
            if isinstance(name, str) and name in _TYPES:
                return cast(ParameterType, name)
    if any("properties" in part or "additionalProperties" in part for part in parts):
        return "object"
    if any("items" in part for part in parts):
        return "array"
    return "string"


def _described(parts: list[Mapping[str, Any]]) -> str:
    said = next((part["description"] for part in parts if isinstance(part.get("description"), str)), "")
    return " ".join(said.split())[:_LONGEST_DESCRIPTION]


def _choices(parts: list[Mapping[str, Any]]) -> list[str]:
    found: dict[str, None] = {}
    for part in parts:
        listed = part.get("enum")
        values = listed if isinstance(listed, list) else [part["const"]] if "const" in part else []
        found |= dict.fromkeys(_written(values))
    return list(found)[:_CHOICES]


def _examples(parts: list[Mapping[str, Any]]) -> list[str]:
    found: dict[str, None] = {}
    for part in parts:
        listed = part.get("examples")
        values = [*(listed if isinstance(listed, list) else []), part.get("example"), part.get("default")]
        found |= dict.fromkeys(_written(values))
    return list(found)[:_EXAMPLES]


def _written(values: list[Any]) -> list[str]:
    """Return scalar values as text, without empty and long ones."""
    texts = [str(value).lower() if isinstance(value, bool) else str(value) for value in values if _is_scalar(value)]
    return [text for text in texts if text.strip() and len(text) <= _LONGEST_VALUE]


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float | bool)
