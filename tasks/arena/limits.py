"""Limits of one attempt: how many calls a policy may make, and how long its conversation may get."""

from __future__ import annotations

from dataclasses import dataclass

from tasks.arena.policy import OutOfCalls

CHARACTERS_A_TOKEN = 4
"""How tokens are estimated where no tokenizer is asked, the same for every policy: characters of what it reads and writes."""


class OutOfTokens(OutOfCalls):
    """A policy's conversation is as long as it may be: no further call is made."""


@dataclass(frozen=True)
class AttemptLimits:
    """What one attempt may take.

    calls: twice what the longest gold run makes; tokens: as the paper bounds a trajectory (section 6), estimated from
    the request, the tools' descriptions, once, and all messages, calls and observations.
    """

    calls: int = 120
    tokens: int = 80_000


def tokens_of(characters: int) -> int:
    """Return the tokens that so many characters are taken for, rounded up."""
    return -(-characters // CHARACTERS_A_TOKEN)
