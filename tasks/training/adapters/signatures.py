"""Signatures: a tool's JSON schema as a Python signature and a docstring, for libraries that describe tools by these."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any, Literal

_HEADS = re.compile(r"\b(Args|Returns|Raises):")
_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict}


def signature_of(parameters: Mapping[str, Any]) -> inspect.Signature:
    """Return a function's signature: what is required first, what is not with the default None."""
    properties, required = parameters.get("properties", {}), set(parameters.get("required", ()))
    ordered = sorted(properties, key=lambda name: name not in required)
    return inspect.Signature(
        [_parameter(name, properties[name], name in required) for name in ordered], return_annotation=str
    )


def _parameter(name: str, schema: Mapping[str, Any], required: bool) -> inspect.Parameter:
    default = inspect.Parameter.empty if required else None
    return inspect.Parameter(
        name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation_of(schema)
    )


def annotation_of(schema: Mapping[str, Any]) -> Any:
    """Return the type of a value: its choices, a list with its members' type, text where a schema says none or several."""
    if schema.get("enum"):
        return Literal[tuple(schema["enum"])]
    kind = schema.get("type")
    kinds = [each for each in kind if each != "null"] if isinstance(kind, list) else [kind]
    found: Any = _TYPES.get(kinds[0], str) if len(kinds) == 1 else str
    if found is list and "items" in schema:
        return list[annotation_of(schema["items"])]  # type: ignore[misc]
    return found


def described(function: Mapping[str, Any]) -> str:
    """Return a function's docstring: what it does, then each parameter in a line."""
    properties = function["parameters"].get("properties", {})
    lines = [f"    {name}: {_flat(schema.get('description') or name)}" for name, schema in properties.items()]
    return "\n".join([_flat(function["description"]), *(["", "Args:", *lines] if lines else [])])


def _flat(text: str) -> str:
    """Return a text in one line, in which nothing looks like the head of another part of the docstring."""
    return _HEADS.sub(r"\1 -", " ".join(text.split()))
