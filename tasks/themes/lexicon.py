"""The lexicon: words by what they do in the name of an operation or a field, read from the TOML files beside."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, get_args

from schemas.themes import Verb
from tasks.mining.columns.naming import plural_of, singular_of, snake_case

_FOLDER = Path(__file__).parent


@cache
def _file(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / name).read_text("utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(str(_file("words.toml")[name]).split())


ADJECTIVES = _words("adjectives")
GENERIC = _words("generic")
PREPOSITIONS = _words("prepositions")
DETERMINERS = _words("determiners")
WRAPPERS = _words("wrappers")
COLLECTIVE = _words("collective")
ALONE = _words("alone")
UNSTORED = _words("unstored")
DECLARABLE = _words("declarable")
DECLARABLE_ALONE = _words("declarable_alone")
UNITS = _words("units")
MESSAGES = frozenset(str(_file("verbs.toml")["message"]["nouns"]).split())
SYNONYMS: dict[str, str] = dict(_file("words.toml")["synonyms"])
FIELDS: dict[str, str] = dict(_file("words.toml")["fields"])
CONTEXTS: dict[str, str] = dict(_file("words.toml")["contexts"])
_FIELD_CONTEXTS: dict[str, str] = dict(_file("words.toml")["field_contexts"])
_FIELD_INSTEAD: dict[str, str] = dict(_file("words.toml")["field_instead"])
STATES: dict[str, dict[str, str]] = dict(_file("verbs.toml")["state"])
VERBS: dict[str, Verb] = {
    word: verb for verb in get_args(Verb) for word in str(_file("verbs.toml")["verb"][verb]).split()
}
KINDS: dict[str, str] = {
    word: kind for kind, known in _file("usual.toml")["kind"].items() for word in (kind, *known["also"])
}
"""Kinds of things whose usual fields are known, and the words for them → the kind."""


def usual_fields(noun: str, prose: str | None = None) -> list[str]:
    """Return the names of the usual fields of a singular noun's kind, the one that names a row first; or none.

    With `prose` (lower case) fields of a trade that it does not speak of are put otherwise: swaps of shifts have no
    transaction hash.
    """
    parts = noun.split("_")
    starts = range(1) if parts[-1] in ALONE else range(len(parts))
    for start in starts:
        kind = KINDS.get("_".join(parts[start:]))
        if kind is not None:
            return [_in_context(name, prose) for name in str(_file("usual.toml")["kind"][kind]["fields"]).split()]
    return []


def _in_context(name: str, prose: str | None) -> str:
    holds = prose is None or name not in _FIELD_CONTEXTS or re.search(_FIELD_CONTEXTS[name], prose) is not None
    return name if holds else _FIELD_INSTEAD[name]


def words_of(text: str) -> list[str]:
    """Return the lower-case ASCII words of a name, camelCase taken apart; none of a text that has none."""
    return list(_words_of(text))


@lru_cache(maxsize=20_000)
def _words_of(text: str) -> tuple[str, ...]:
    if not any(c.isascii() and c.isalpha() for c in text):
        return ()
    return tuple(snake_case(text).split("_"))


def base_of(word: str) -> str:
    """Return the base form of a verb where the lexicon has it: 'retrieves' → 'retrieve', 'searching' → 'search'."""
    forms = [word]
    if word.endswith("ies"):
        forms.append(f"{word[:-3]}y")
    if word.endswith("es"):
        forms.append(word[:-2])
    if word.endswith("s"):
        forms.append(word[:-1])
    for ending in ("ing", "ed"):
        if word.endswith(ending):
            stem = word[: -len(ending)]
            forms += [stem, f"{stem}e", stem[:-1]] if len(stem) > 2 else []
    return next((form for form in forms if form in VERBS), word)


def singular(noun: str) -> str:
    """Return the singular of a snake_case noun, as the synonyms have it: 'repos' → 'repository'."""
    start, _, last = noun.rpartition("_")
    last = SYNONYMS.get(last) or singular_of(last)
    last = SYNONYMS.get(last, last)
    whole = f"{start}_{last}" if start else last
    return SYNONYMS.get(whole, whole)


def plural(noun: str) -> str:
    """Return the plural of a snake_case noun in the singular: 'pull_request' → 'pull_requests'."""
    start, _, last = noun.rpartition("_")
    many = plural_of(last)
    return f"{start}_{many}" if start else many


def is_plural(word: str) -> bool:
    """Return whether a word says several: 'issues' and 'news', not 'status'."""
    return word in COLLECTIVE or (
        word not in SYNONYMS and singular_of(word) != word and not word.endswith(("ss", "us", "is"))
    )


def spoken(noun: str) -> str:
    """Return a snake_case noun in plain words."""
    return noun.replace("_", " ")


def plain_text(text: Any, most: int) -> str:
    """Return anything's text on one line, of at most `most` characters, without what cannot be printed or encoded."""
    kept = "".join(c if c.isprintable() else " " for c in str(text or "")[: 4 * most])
    return re.sub(r"\s+", " ", kept).strip()[:most].rstrip()
