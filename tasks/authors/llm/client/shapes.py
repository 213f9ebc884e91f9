"""JSON Schemas as endpoints take them, and a sample of each: plain, without references, closed to further properties."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]

_NAMED = ("properties", "patternProperties")
_VALUES = ("enum", "const", "default", "examples", "required")
_DROPPED = ("$defs", "definitions", "title", "discriminator")


def answer_schema(answer: type[BaseModel]) -> Schema:
    """Return the schema of an answer; every property is required, as strict endpoints want it."""
    return _required(plain(answer.model_json_schema()))


def plain(schema: Schema) -> Schema:
    """Return a schema with its references put in place, and its objects closed. Raises ValueError when it is recursive."""
    return _inlined(schema, schema.get("$defs", {}), ())


def is_strict(schema: Any) -> bool:
    """Return whether every object in a schema names and requires all its properties: what a strict endpoint takes."""
    if isinstance(schema, list):
        return all(map(is_strict, schema))
    if not isinstance(schema, dict):
        return True
    named = schema.get("properties", {})
    if schema.get("type") == "object" and (
        schema.get("additionalProperties") is not False or named.keys() != set(schema.get("required", []))
    ):
        return False
    inner = [value for key, value in schema.items() if key not in (*_NAMED, *_VALUES)]
    return bool(schema) and all(map(is_strict, [*inner, *named.values()]))


def sample(schema: Schema, name: str = "value") -> Any:
    """Return a value of the form that a schema asks for: what is to be filled in stands in angle brackets."""
    for key in ("const", "default"):
        if schema.get(key) is not None:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    for part in schema.get("anyOf", []):
        if part.get("type") != "null":
            return sample(part, name)
    kinds = schema.get("type", "string")
    match kinds if isinstance(kinds, str) else next((kind for kind in kinds if kind != "null"), "null"):
        case "object":
            wanted = schema.get("required", [])
            return {key: sample(part, key) for key, part in schema.get("properties", {}).items() if key in wanted}
        case "array":
            return [sample(schema.get("items", {}), name)]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case "null":
            return None
    return f"<{name}>"


def _inlined(schema: Any, definitions: Schema, above: tuple[str, ...]) -> Any:
    if isinstance(schema, list):
        return [_inlined(part, definitions, above) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        if name in above:
            raise ValueError(f"the schema of {name} holds itself, which no endpoint takes")
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return _inlined({**definitions[name], **beside}, definitions, (*above, name))
    found = {
        _renamed(key): _part(key, value, definitions, above) for key, value in schema.items() if key not in _DROPPED
    }
    if found.get("type") == "object" and "properties" in found:
        found.setdefault("additionalProperties", False)
    return found


def _part(key: str, value: Any, definitions: Schema, above: tuple[str, ...]) -> Any:
    if key in _VALUES:
        return value
    if key in _NAMED:
        return {name: _inlined(part, definitions, above) for name, part in value.items()}
    return _inlined(value, definitions, above)


def _renamed(key: str) -> str:
    return "anyOf" if key == "oneOf" else key  # the cases of a tagged union exclude each other anyway


def _required(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_required(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: value if key in _VALUES else _required(value) for key, value in schema.items() if key != "default"}
    if "properties" in found:
        found["properties"] = {name: _required(part) for name, part in schema["properties"].items()}
        found["required"] = list(found["properties"])
    return found
