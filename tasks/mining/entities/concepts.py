"""Concepts: what a field can be, as tasks/themes/concepts.toml lists it, and how a field's value is stored."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from schemas.profiles import ColumnType
from schemas.themes import EntityField

_NUMERIC = ("integer", "number", "money")


@cache
def concepts() -> Mapping[str, Mapping[str, Any]]:
    """Return every concept by name, with `group`, `type` and `words`."""
    text = (resources.files("tasks.themes") / "concepts.toml").read_text(encoding="utf-8")
    found: dict[str, Mapping[str, Any]] = tomllib.loads(text)["concept"]
    return found


def stored_type(field: EntityField) -> ColumnType:
    """Return how a field's values are stored: as it says; a text that is a number or a time by its concept is one.

    Schemas call many things a string. What is listed with its values stays as it is.
    """
    usual = concepts().get(field.concept, {}).get("type", field.type)
    if field.type == "text" and not field.values and usual != "text":
        found: ColumnType = usual
        return found
    if field.type in _NUMERIC and usual in _NUMERIC:
        return "money" if usual == "money" else field.type
    return field.type


def fits(field: EntityField) -> bool:
    """Return whether the field's type is one that values of its concept can have."""
    usual = concepts().get(field.concept, {}).get("type")
    kinds = (_NUMERIC, ("date", "datetime"), ("text",), ("boolean",))
    return any(usual in kind and stored_type(field) in kind for kind in kinds)
