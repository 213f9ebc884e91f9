"""Answers: what the last message of an attempt answers."""

from __future__ import annotations

import json
from typing import Any

LONGEST = 50_000
"""Characters of a message that are read, from its end."""
_OPENED, _CLOSED = "<think>", "</think>"


def answer_in(text: str) -> dict[str, Any] | None:
    """Return the JSON object that a message ends with: the last one that lies in no other; None where there is none.

    Prose and code fences around it are passed over, and what stands in a block of reasoning is no answer.
    """
    said = text[-LONGEST:].rpartition(_CLOSED)[2].partition(_OPENED)[0]
    answer, at = None, said.find("{")
    while at >= 0:
        try:
            answer, end = _DECODER.raw_decode(said, at)
        except (ValueError, RecursionError):
            end = at + 1
        at = said.find("{", end)
    return answer


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
