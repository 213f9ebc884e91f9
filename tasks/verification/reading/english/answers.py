"""The announcement of the answer: keys in quotes, what each holds, and its form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.answers import ValueType
from tasks.verification.reading.english.tokens import Token, number_of

_KEY = re.compile(r"[a-z][a-z0-9_]*")
_HOLDS = frozenset(
    ": as for being should holds hold is meaning stands stand gives contains shall = tells means".split()
)
_LEADS = frozenset("as under into in at called named".split())
_DECIMALS = re.compile(r"(?:(?P<count>\w+) decimals?|decimals?: (?P<digits>\d))")
_UNIT = re.compile(r"\bin ([\w²³/% ]+?)(?:,|\)|$| to | with | rounded )")


@dataclass(frozen=True)
class Announced:
    """One key: the tokens that say what it holds, and its form."""

    name: str
    tokens: Sequence[Token]
    type: ValueType = "integer"
    item_type: ValueType | None = None
    digits: int | None = None
    unit: str | None = None
    ordered: bool = True
    words: dict[str, str] = field(default_factory=dict)


def split_answers(tokens: Sequence[Token]) -> tuple[list[Announced], list[list[Token]]]:
    """Return the announced keys in order, and the sentences that announce none."""
    found: list[Announced] = []
    body: list[list[Token]] = []
    for sentence in sentences(tokens):
        keys = [place for place in range(len(sentence)) if _is_key(sentence, place)]
        if not keys:
            body.append(sentence)
        found += [_announced(sentence, keys, number) for number in range(len(keys))]
    return found, body


def sentences(tokens: Sequence[Token]) -> list[list[Token]]:
    """Split tokens at full stops, marks and paragraphs; the marks go."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind == "mark" and (token.text in ".!?" or token.text.startswith("\n")):
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def _is_key(sentence: Sequence[Token], place: int) -> bool:
    """Say whether a quote is a key: not a word for an outcome, which stands before 'if' or in a choice."""
    token = sentence[place]
    if token.kind != "quote" or not _KEY.fullmatch(token.value):
        return False
    if "_" not in token.value and any(each.text.lower() == "if" for each in sentence[max(0, place - 7) : place]):
        return False
    after = sentence[place + 1].text.lower() if place + 1 < len(sentence) else ""
    before = sentence[place - 1].text.lower() if place else ""
    return after not in ("if", "where", "and", "or", "when") and before not in ("of", "or", "either", "word")


def _announced(sentence: Sequence[Token], keys: list[int], number: int) -> Announced:
    place = keys[number]
    before = keys[number - 1] if number else -1
    after = keys[number + 1] if number + 1 < len(keys) else len(sentence)
    if (place + 1 < len(sentence) and sentence[place + 1].text.lower() in _HOLDS) or (
        place
        and sentence[place - 1].text.lower() in ("under", "in", "for", "as")
        and sentence[place - 1].text[0].isupper()
    ):
        said = sentence[place + 1 : after]
    else:
        said = sentence[before + 1 : place]
    return _formed(sentence[place].value, said)


def _formed(name: str, said: Sequence[Token]) -> Announced:
    text = " ".join(token.text for token in said)
    words = outcome_words(said)
    if words:
        return Announced(name, said, type="text", words=words)
    opens = [place for place, token in enumerate(said) if token.text == "("]
    form = " ".join(token.text for token in said[opens[-1] :]) if opens else text
    unit = _UNIT.search(form.replace("( ", "(").replace(" )", ")").replace(" ,", ","))
    kind, items, digits = _kind(form.lower())
    return Announced(
        name,
        said[: opens[-1]] if opens else said,
        type=kind,
        item_type=items,
        digits=digits,
        unit=unit[1].strip() if unit and kind in ("integer", "number", "datetime") else None,
        ordered="any order" not in form and "order does not matter" not in form,
    )


def _kind(form: str) -> tuple[ValueType, ValueType | None, int | None]:
    digits = _digits(form)
    single: ValueType = "number" if digits is not None or re.search(r"(?<!whole )\bnumbers?\b", form) else "text"
    for words, kind in (
        (r"whole number|integer", "integer"),
        (r"yyyy - mm - ddt|hh|time as|times as", "datetime"),
        (r"yyyy|dates?\b", "date"),
        (r"true or false", "boolean"),
        (r"\btexts?\b", "text"),
    ):
        if digits is None and re.search(words, form):
            single = kind  # type: ignore[assignment]
            break
    return ("list", single, digits) if re.search(r"\blist\b", form) else (single, None, digits)


def _digits(form: str) -> int | None:
    found = _DECIMALS.search(form)
    if found is None:
        return None
    if found["digits"]:
        return int(found["digits"])
    word = Token(found["count"], "number" if found["count"].isdigit() else "word", _int(found["count"]), 0, 0)
    number = number_of(word)
    return int(number) if number is not None else None


def _int(text: str) -> int | str:
    return int(text) if text.isdigit() else text


def outcome_words(said: Sequence[Token]) -> dict[str, str]:
    """Return the words for all or nothing: '“done” if all of it was done, “left” if nothing was'."""
    quotes = [place for place, token in enumerate(said) if token.kind == "quote"]
    if len(quotes) != 2 or not {"if", "depending", "whether", "either"} & {token.text.lower() for token in said}:
        return {}
    first, second = (str(said[place].value) for place in quotes)
    between = [token.text.lower() for token in said[quotes[0] : quotes[1]]]
    turned = between[1:2] == ["if"] and ("nothing" in between or "not" in between)
    return {"done": second, "not_all": first} if turned else {"done": first, "not_all": second}
