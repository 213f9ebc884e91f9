"""The reader's own words for comparing, ranking and counting, matched longest first."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tasks.verification.reading.english.tokens import Token, tokenize


@cache
def lexicon() -> Mapping[str, Mapping[str, list[str]]]:
    """Return the sections of the lexicon."""
    return tomllib.loads((Path(__file__).parent / "lexicon.toml").read_text("utf-8"))


@cache
def phrases(section: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """Return a section's phrases as words with their meaning, longest first."""
    found = [
        (tuple(token.text for token in tokenize(phrase)), meaning)
        for meaning, each in lexicon()[section].items()
        for phrase in each
    ]
    return tuple(sorted(found, key=lambda pair: -len(pair[0])))


def match(section: str, tokens: Sequence[Token], start: int) -> tuple[str, int] | None:
    """Return what the longest phrase of a section that stands at a place means, and where it ends."""
    for words, meaning in phrases(section):
        here = tokens[start : start + len(words)]
        if len(here) == len(words) and all(t.text.lower() == w for t, w in zip(here, words, strict=True)):
            return meaning, start + len(words)
    return None


def find(section: str, tokens: Sequence[Token], start: int = 0) -> tuple[str, int, int] | None:
    """Return the first phrase of a section from a place on: meaning, begin and end."""
    for place in range(start, len(tokens)):
        found = match(section, tokens, place)
        if found is not None:
            return found[0], place, found[1]
    return None


def truth(meaning: Any) -> bool:
    """Return a direction as the lexicon writes it."""
    return str(meaning) == "true"
