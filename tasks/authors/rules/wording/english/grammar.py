"""English grammar: articles, number, participles, lists."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
ORDINALS = ("", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_HEAD_ENDS = re.compile(r" (?:that|about|whose|of|for|with|from|in|on|per|by|it|they|to)\b")
_VOWEL_SOUND = re.compile(r"(?!one\b|uni|us\b|us[aei]|eu)[aeiou]|hour|honest", re.IGNORECASE)
_SINGULAR_ENDINGS = ("ss", "us", "is")
_ONE = {"people": "person"}
_PLURALS = frozenset(("people", "takings", "earnings"))


@cache
def _participles() -> dict[str, str]:
    with (Path(__file__).parent / "verbs.toml").open("rb") as file:
        participles: dict[str, str] = tomllib.load(file)["participles"]
    return participles


def participle(verb: str) -> str:
    """Return the past participle of a verb's base form: assign → assigned, withdraw → withdrawn."""
    known = _participles().get(verb)
    if known is not None:
        return known
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ied"
    return f"{verb}ed"


def a(noun: str) -> str:
    """Put the indefinite article before a noun."""
    return f"an {noun}" if _VOWEL_SOUND.match(noun) else f"a {noun}"


def is_plural(words: str) -> bool:
    """Say whether a noun phrase is plural by its head: 'seats still free' and 'open sales orders' are."""
    plain = re.sub(r"“[^”]*”", "", words)
    if re.match(r"an? |one ", plain):
        return False
    head = _HEAD_ENDS.split(plain, maxsplit=1)[0].split()
    candidates = head[:1] + head[-1:] if head else []
    return any(map(_is_plural_word, candidates))


def singular(words: str) -> str:
    """Put the head of a plural noun phrase in the singular: 'tickets in hand' → 'ticket in hand'."""
    parts = words.split(" ")
    head = len(_HEAD_ENDS.split(words, maxsplit=1)[0].split(" "))
    for place in (head - 1, *range(head)):
        if _is_plural_word(parts[place]):
            parts[place] = _ONE.get(parts[place]) or re.sub("ies$", "ys", parts[place])[:-1]
            break
    return " ".join(parts)


def plural(words: str) -> str:
    """Put the head of a noun phrase in the plural: 'subjects', 'names of the elements', 'countries'."""
    if " or " in words:
        return " or ".join(plural(each) for each in words.split(" or "))
    head, of, rest = words.partition(" of ")
    if is_plural(head):
        return words
    if head.endswith("y") and head[-2] not in "aeiou":
        head = f"{head[:-1]}ie"
    elif head.endswith(("s", "x", "ch", "sh")):
        head = f"{head}e"
    return f"{head}s{of}{rest}"


def _is_plural_word(word: str) -> bool:
    return word in _PLURALS or (word.endswith("s") and not word.endswith(_SINGULAR_ENDINGS))


def be(words: str) -> str:
    """Return is or are, to stand after a noun phrase."""
    return "are" if is_plural(words) else "is"


def number(count: int) -> str:
    """Write a count in words up to twenty."""
    return NUMBERS[count] if 0 <= count < len(NUMBERS) else str(count)


def ordinal(rank: int) -> str:
    """Return 'second', 'third' … for the places after the first, which has none."""
    return ORDINALS[rank] if rank < len(ORDINALS) else f"{rank + 1}th"


def joined(parts: Sequence[str], joint: str = "and") -> str:
    """Write 'a, b and c'."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {joint} {parts[-1]}"


def sentence(text: str) -> str:
    """Capitalise and close a sentence."""
    text = re.sub(r",+(?=[,;:.])", "", text.strip())
    closed = text.endswith((".", "?", "!", ":")) or re.search(r"[.?!]”$", text)
    return text[:1].upper() + text[1:] + ("" if closed else ".")
