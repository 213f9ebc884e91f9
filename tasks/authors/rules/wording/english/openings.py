"""How a request opens and closes: a greeting, the reason for it by its purpose, and sometimes an occasion."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from schemas.plans import Purpose
from tasks.authors.rules.wording.english import grammar
from tasks.authors.rules.wording.english.voices import Voice

CURT, CURT_WHERE_LONG, HURRIED, POLITE = 0.2, 0.7, 0.15, 0.3
"""Shares of requests that give no reason, that say why it matters now, and that end with a courtesy."""


@cache
def _openings() -> dict[str, Any]:
    with (Path(__file__).parent / "openings.toml").open("rb") as file:
        return tomllib.load(file)


def opening(voice: Voice, purpose: Purpose, many: str, *, long: bool) -> str:
    """Return how a request about some rows opens; at times, and mostly where it is `long`, with nothing."""
    known = _openings()
    reason = voice.pick(*known["purpose"][purpose]).format(many=many)
    if voice.chance(HURRIED):
        reason = f"{reason}, {voice.pick(*known['occasion']['said'])}"
    curt = voice.chance(CURT_WHERE_LONG if long else CURT)
    if voice.register == "letter":
        letter = known["letter"]
        whom = f"{voice.pick(*letter['salutations'])} {voice.pick(*letter['addressees'])},".format(many=many)
        return (
            whom if curt else voice.pick(f"{whom}\n\n{grammar.sentence(reason)}", grammar.sentence(f"{whom} {reason}"))
        )
    return "" if curt else grammar.sentence(f"{voice.pick(*known[voice.register]['greetings'])}{reason}")


def closing(voice: Voice, many: str, *, long: bool) -> str:
    """Return how a request closes; mostly with nothing."""
    known = _openings()[voice.register]["closings"]
    return voice.pick(*known).format(many=many) if known and not long and voice.chance(POLITE) else ""
