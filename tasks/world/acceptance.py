"""Whether a value is valid, quickly: a schema becomes one function, made once a tool.

`schemas.violations` says in words what is wrong, at some microseconds a value; here the common
case, that nothing is, is found out in a tenth of that. Both answer alike for every JSON value,
which a test holds over random schemas. Values must be what `json.loads` returns: exact types.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from .schemas import KEYWORDS, Schema

Accept = Callable[[Any], bool]
KINDS: dict[str, set[type]] = {
    "object": {dict},
    "array": {list},
    "string": {str},
    "number": {int, float},
    "integer": {int},
    "boolean": {bool},
    "null": {type(None)},
}


def accepter(schema: Schema) -> Accept:
    """Return a function that tells whether a JSON value obeys `schema`: whether `violations` finds nothing."""
    if isinstance(schema, bool):
        return lambda value: schema
    rules = [make(operand, schema) for keyword, operand in schema.items() if (make := _MAKERS.get(keyword))]
    rules += [_interpreted(keyword, schema) for keyword in schema if keyword in KEYWORDS.keys() - _MAKERS.keys()]
    return reduce(_both, rules) if rules else lambda value: True


def _both(first: Accept, second: Accept) -> Accept:
    return lambda value: first(value) and second(value)


def _interpreted(keyword: str, schema: dict[str, Any]) -> Accept:
    """Use the rule that finds words, for keywords that are rare in results."""
    rule, operand = KEYWORDS[keyword], schema[keyword]
    return lambda value: next(rule(value, operand, schema, ""), None) is None


def _type(names: Any, _: dict[str, Any]) -> Accept:
    wanted = [names] if isinstance(names, str) else names
    kinds = frozenset[type]().union(*(KINDS[name] for name in wanted))
    if "integer" in wanted and float not in kinds:
        return lambda value: type(value) in kinds or (type(value) is float and value.is_integer())
    if len(kinds) == 1:
        (kind,) = kinds
        return lambda value: type(value) is kind
    return lambda value: type(value) in kinds


def _enum(allowed: Any, schema: dict[str, Any]) -> Accept:
    if not all(type(choice) is str for choice in allowed):
        return _interpreted("enum", schema)
    choices = frozenset(allowed)
    return lambda value: type(value) is str and value in choices


def _properties(schemas: Any, _: dict[str, Any]) -> Accept:
    parts = [(name, accepter(schema)) for name, schema in schemas.items()]

    def accept(value: Any) -> bool:
        if type(value) is dict:
            for name, rule in parts:
                if name in value and not rule(value[name]):
                    return False
        return True

    return accept


def _required(names: Any, _: dict[str, Any]) -> Accept:
    wanted = frozenset(names)
    return lambda value: type(value) is not dict or value.keys() >= wanted


def _additional(operand: Any, schema: dict[str, Any]) -> Accept:
    known, rule = frozenset(schema.get("properties", {})), accepter(operand)

    def accept(value: Any) -> bool:
        return type(value) is not dict or all(rule(value[name]) for name in value.keys() - known)

    return accept


def _items(operand: Any, _: dict[str, Any]) -> Accept:
    rule = accepter(operand)

    def accept(value: Any) -> bool:
        return type(value) is not list or all(map(rule, value))

    return accept


def _any_of(schemas: Any, _: dict[str, Any]) -> Accept:
    rules = [accepter(schema) for schema in schemas]
    return lambda value: any(rule(value) for rule in rules)


_MAKERS: dict[str, Callable[[Any, dict[str, Any]], Accept]] = {
    "type": _type,
    "enum": _enum,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "items": _items,
    "anyOf": _any_of,
}
