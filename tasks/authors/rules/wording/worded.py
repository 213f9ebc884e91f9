"""A plan in words."""

from __future__ import annotations

from dataclasses import dataclass


class NoWords(ValueError):
    """A language has no words for something in a plan; the message says what."""


@dataclass(frozen=True)
class Worded:
    """A request, and what it says of each field of the answer."""

    request: str
    descriptions: dict[str, str]
