"""The parts of a program at any depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from schemas.programs import Ref, Refused


def nodes_of(value: Any) -> Iterator[BaseModel]:
    """Yield the nodes of a program, statement or expression (or of several), outer ones first."""
    if isinstance(value, BaseModel):
        yield value
        for name in type(value).model_fields:
            yield from nodes_of(getattr(value, name))
    elif isinstance(value, dict):
        for child in value.values():
            yield from nodes_of(child)
    elif isinstance(value, list | tuple):
        for child in value:
            yield from nodes_of(child)


def names_in(value: Any) -> set[str]:
    """Return the variables whose values are used."""
    return {node.name for node in nodes_of(value) if isinstance(node, Ref | Refused)}
