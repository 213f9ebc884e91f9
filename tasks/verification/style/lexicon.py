"""The verbs that open orders, from lexicon.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("lexicon.toml")


@cache
def english_verbs() -> tuple[frozenset[str], frozenset[str]]:
    """Return base forms that are verbs only at the start of a clause, and those that are nouns or adjectives too."""
    english = _lexicon()["english"]
    return frozenset(english["verbs"].split()), frozenset(english["ambiguous"].split())


@cache
def chinese_verbs() -> tuple[str, ...]:
    """Return verbs that open an order, longest first."""
    return tuple(sorted(_lexicon()["chinese"]["verbs"].split(), key=lambda verb: (-len(verb), verb)))


@cache
def _lexicon() -> dict[str, dict[str, str]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))
