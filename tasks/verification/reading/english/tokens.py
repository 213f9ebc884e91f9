"""Words, numbers, times and quoted texts of an English request, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

Kind = Literal["word", "number", "time", "quote", "mark"]

_TOKEN = re.compile(
    r"“(?P<quote>[^”]*)”"
    r"|(?P<time>\d{4}-\d\d-\d\d(?:(?:T| at | )\d\d:\d\d(?::\d\d)?)?)"
    r"|(?P<month>\d{4}-\d\d)(?![\d-])"
    r"|(?P<number>[-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?)(?P<suffix>st|nd|rd|th)?(?![\w])"
    r"|(?P<word>[^\W\d_][\w.&/’'+-]*[\w]|[^\W_])"
    r"|(?P<mark>\n\n+|[.,;:!?()—–-])"
)
_NUMBERS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {"no": 0, "a dozen": 12, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60}
ORDINALS = {
    word: value for value, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split())
}
_IRREGULAR = {
    "people": "person",
    "children": "child",
    "series": "series",
    "indices": "index",
    "has": "have",
    "had": "have",
    "is": "be",
    "are": "be",
    "was": "be",
    "were": "be",
    "been": "be",
    "being": "be",
}


@dataclass(frozen=True)
class Token:
    """One word of the request: as written, what it is, and what it stands for."""

    text: str
    kind: Kind
    value: Any
    start: int
    end: int

    @property
    def lemma(self) -> str:
        """The word without its ending, for comparison with the words of schemas."""
        return lemma(self.text) if self.kind == "word" else self.text


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a text."""
    tokens = []
    for found in _TOKEN.finditer(text):
        kind, value = _value(found)
        tokens.append(Token(found[0], kind, value, found.start(), found.end()))
    return tokens


def _value(found: re.Match[str]) -> tuple[Kind, Any]:
    if found["quote"] is not None:
        return "quote", found["quote"].rstrip(",")
    if found["time"]:
        date, _, clock = re.sub(r" at |T", " ", found["time"]).partition(" ")
        return "time", date if not clock else f"{date}T{clock if clock.count(':') == 2 else clock + ':00'}"
    if found["month"]:
        return "word", found["month"]
    if found["number"]:
        text = found["number"].replace(",", "").replace("−", "-")
        number = whole(float(text))
        return ("word", int(text) - 1) if found["suffix"] else ("number", number)
    if found["word"]:
        return "word", found["word"]
    return "mark", found[0]


def number_of(token: Token) -> int | float | None:
    """Return the number that a token says in digits or as a word; None where it says none."""
    if token.kind == "number":
        value: int | float = token.value
        return value
    return _NUMBERS.get(token.text.lower()) if token.kind == "word" else None


def ordinal_of(token: Token) -> int | None:
    """Return the place that an ordinal says, from 0; None for other tokens."""
    if token.kind != "word":
        return None
    return token.value if isinstance(token.value, int) else ORDINALS.get(token.text.lower())


def whole(number: float) -> int | float:
    """Return a number without a fraction as an integer: requests do not tell 350 from 350.0."""
    return int(number) if number.is_integer() else number


@lru_cache(maxsize=20000)
def lemma(word: str) -> str:
    """Return a noun's singular in lower case, without a possessive."""
    low = re.sub(r"[’'](s)?$", "", word.lower())
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if len(low) > 5 and low.endswith(("tuses", "nuses", "ruses")):
        return low[:-2]
    if len(low) > 4 and low.endswith("ies"):
        return low[:-3] + "y"
    if len(low) > 4 and low.endswith(("sses", "xes", "ches", "shes")):
        return low[:-2]
    if len(low) > 3 and low.endswith("s") and not low.endswith(("ss", "us", "is")):
        return low[:-1]
    return low


def lemmas(text: str) -> tuple[str, ...]:
    """Return the lemmas of a text's words and numbers."""
    return tuple(token.lemma.lower() for token in tokenize(text) if token.kind in ("word", "number"))
