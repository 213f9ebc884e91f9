"""What a request states must stand in its plan: a number, a time or a quoted text that nothing was made of is a misreading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from schemas.plans import Plan
from tasks.verification.reading.english.tokens import Token
from tasks.verification.reading.naming import plain_field


def unheard(tokens: Sequence[Token], plan: Plan) -> str | None:
    """Return the first constant of a request that its plan does not hold; None where it holds all."""
    held = {_plain(value) for value in _leaves(plan.model_dump(mode="json"))}
    return next((each.text for each in tokens if each.kind in _STATED and _plain(each.value) not in held), None)


_STATED = ("number", "time", "quote")


def _plain(value: Any) -> Any:
    """Write a constant so that its forms agree: fields of documents in any case, midnight without its clock."""
    return plain_field(value).removesuffix("t00:00:00") if isinstance(value, str) else value


def _leaves(node: Any) -> Iterator[Any]:
    if isinstance(node, list):
        for each in node:
            yield from _leaves(each)
    elif isinstance(node, dict):
        for each in node.values():
            yield from _leaves(each)
    else:
        yield node
