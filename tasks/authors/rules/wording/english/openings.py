"""How a request opens and closes: a greeting, the reason for it by its purpose, and sometimes an occasion."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from schemas.plans import Purpose
from tasks.authors.rules.wording.english import grammar
from tasks.authors.rules.wording.english.voices import Voice

CURT = 0.15
"""Share of requests that give no reason."""


@cache
def _openings() -> dict[str, Any]:
    with (Path(__file__).parent / "openings.toml").open("rb") as file:
        return tomllib.load(file)


def opening(voice: Voice, purpose: Purpose, many: str) -> str:
    """Return how a request about some rows opens; at times with nothing."""
    known = _openings()
    greeting = voice.pick(*known["greeting"][voice.register])
    if voice.chance(CURT):
        return greeting if voice.register == "letter" or greeting.endswith((".", "!")) else ""
    reason = voice.pick(*known["purpose"][purpose]).format(many=many)
    if voice.chance(0.35):
        reason = f"{reason}, {voice.pick(*known['occasion']['after'])}"
    elif voice.chance(0.4):
        reason = f"{voice.pick(*known['occasion']['before'])}, {reason}"
    said = grammar.sentence(reason)
    if greeting.endswith((":", ",")) and voice.register != "letter":
        said = said[:1].lower() + said[1:] if not said.startswith("I ") else said
    joint = "\n\n" if voice.register == "letter" and greeting else " " if greeting else ""
    return f"{greeting}{joint}{said}"


def closing(voice: Voice, many: str) -> str:
    """Return how a request closes; mostly with nothing."""
    said: str = voice.pick(*_openings()["closing"][voice.register])
    return said.format(many=many)
