"""JSON Schema, the subset that tools use (draft 2020-12, no references, no formats).

Each keyword is one function in `KEYWORDS`: it returns what is wrong with a value, in words an
agent can act on. Keywords that are not there are annotations to us (`x-domain`, `description`);
`unsupported` tells of those that would assert something elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

Schema = dict[str, Any] | bool
ASSERTIONS_LEFT_OUT = frozenset(
    "$ref $dynamicRef allOf oneOf not if then else contains minContains maxContains prefixItems uniqueItems multipleOf "
    "minProperties maxProperties patternProperties propertyNames dependentRequired dependentSchemas "
    "unevaluatedItems unevaluatedProperties".split()
)
SHOWN = 60
"""Characters of a value that a message shows."""


def violations(value: Any, schema: Schema) -> list[str]:
    """Return what is wrong with the JSON value `value`, one message each; empty when it is valid."""
    return list(_check(value, schema, ""))


def unsupported(schema: Schema) -> list[str]:
    """Return the sorted keywords in `schema` that assert something here unchecked."""
    found: set[str] = set()
    _collect_unsupported(schema, found)
    return sorted(found)


def _collect_unsupported(schema: Any, found: set[str]) -> None:
    if not isinstance(schema, dict):
        return
    found |= ASSERTIONS_LEFT_OUT & schema.keys()
    children = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    for child in (*children, schema.get("items"), schema.get("additionalProperties")):
        _collect_unsupported(child, found)


def _check(value: Any, schema: Schema, where: str) -> Iterator[str]:
    if schema is True or schema == {}:
        return
    if schema is False:
        yield f"{where or 'the value'} is not allowed"
        return
    for keyword, operand in schema.items():
        rule = KEYWORDS.get(keyword)
        if rule is not None:
            yield from rule(value, operand, schema, where)


def _say(where: str, text: str) -> str:
    return f"{where}: {text}" if where else text


def _show(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return _is_number(value) and (isinstance(value, int) or value.is_integer())


TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": _is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def equal(left: Any, right: Any) -> bool:
    """Return whether two JSON values are equal: 1 equals 1.0, neither equals true."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    return bool(left == right)


Rule = Callable[[Any, Any, dict[str, Any], str], Iterator[str]]


def _type(value: Any, names: Any, _: dict[str, Any], where: str) -> Iterator[str]:
    wanted = [names] if isinstance(names, str) else names
    if not any(TYPES[name](value) for name in wanted):
        yield _say(where, f"{_show(value)} is not of type {' or '.join(wanted)}")


def _enum(value: Any, allowed: Any, _: dict[str, Any], where: str) -> Iterator[str]:
    if not any(equal(value, choice) for choice in allowed):
        yield _say(where, f"{_show(value)} is not one of {', '.join(map(_show, allowed))}")


def _const(value: Any, only: Any, _: dict[str, Any], where: str) -> Iterator[str]:
    if not equal(value, only):
        yield _say(where, f"{_show(value)} is not {_show(only)}")


def _properties(value: Any, schemas: Any, _: dict[str, Any], where: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, schema in schemas.items():
            if name in value:
                yield from _check(value[name], schema, f"{where}.{name}" if where else name)


def _required(value: Any, names: Any, _: dict[str, Any], where: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name in names:
            if name not in value:
                yield _say(where, f"{name} is required")


def _additional(value: Any, schema: Any, parent: dict[str, Any], where: str) -> Iterator[str]:
    if not isinstance(value, dict):
        return
    known = parent.get("properties", {})
    for name in value:
        if name in known:
            continue
        if schema is False:
            yield _say(where, f"there is no parameter {name!r}; there are: {', '.join(known) or 'none'}")
        else:
            yield from _check(value[name], schema, f"{where}.{name}" if where else name)


def _items(value: Any, schema: Any, _: dict[str, Any], where: str) -> Iterator[str]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _check(item, schema, f"{where}[{index}]")


def _any_of(value: Any, schemas: Any, _: dict[str, Any], where: str) -> Iterator[str]:
    found = [violations(value, schema) for schema in schemas]
    if all(found):
        yield _say(where, "none of these holds: " + " / ".join("; ".join(messages) for messages in found))


def _pattern(value: Any, pattern: Any, _: dict[str, Any], where: str) -> Iterator[str]:
    if isinstance(value, str) and not re.search(pattern, value):
        yield _say(where, f"{_show(value)} does not match {pattern}")


def _bound(measure: Callable[[Any], Any], holds: Callable[[Any, Any], bool], words: str) -> Rule:
    """Make a rule from a measure (None: the rule does not apply), a comparison and its words."""

    def rule(value: Any, limit: Any, _: dict[str, Any], where: str) -> Iterator[str]:
        measured = measure(value)
        if measured is not None and not holds(measured, limit):
            yield _say(where, f"{_show(value)} {words} {limit}")

    return rule


def _number(value: Any) -> Any:
    return value if _is_number(value) else None


def _length(value: Any) -> Any:
    return len(value) if isinstance(value, str) else None


def _size(value: Any) -> Any:
    return len(value) if isinstance(value, list) else None


KEYWORDS: dict[str, Rule] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "items": _items,
    "anyOf": _any_of,
    "pattern": _pattern,
    "minimum": _bound(_number, lambda value, limit: value >= limit, "is less than the minimum of"),
    "maximum": _bound(_number, lambda value, limit: value <= limit, "is more than the maximum of"),
    "exclusiveMinimum": _bound(_number, lambda value, limit: value > limit, "is not more than"),
    "exclusiveMaximum": _bound(_number, lambda value, limit: value < limit, "is not less than"),
    "minLength": _bound(_length, lambda length, limit: length >= limit, "is shorter than the minimum length of"),
    "maxLength": _bound(_length, lambda length, limit: length <= limit, "is longer than the maximum length of"),
    "minItems": _bound(_size, lambda size, limit: size >= limit, "has fewer items than"),
    "maxItems": _bound(_size, lambda size, limit: size <= limit, "has more items than"),
}
