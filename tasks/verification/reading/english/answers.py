"""The announcement of the answer: keys in quotes, what each holds, and its form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.answers import ValueType
from tasks.verification.reading.english.tokens import Token, number_of

_KEY = re.compile(r"[a-z][a-z0-9_]*")
_HOLDS = frozenset(
    ": as for being telling should holds hold is meaning stands stand gives contains shall = tells means with".split()
)
_DECIMALS = re.compile(r"(?:(?P<count>\w+) decimals?|decimals?: (?P<digits>\d))")
_UNIT = re.compile(r"\bin (?!that order|the (?:same )?order|any order)([\w²³/% ]+?)(?:,|$| to | with | rounded )")
_KINDS: tuple[tuple[str, ValueType], ...] = (
    (r"whole numbers?|integers?", "integer"),
    (r"yyyy.*hh|time as|times as|dates? and times?", "datetime"),
    (r"yyyy|dates?\b", "date"),
    (r"\btexts?\b", "text"),
    (r"\bnumbers?\b", "number"),
)


_OUTCOMES = frozenset("if once either depending whether otherwise reason refused where".split())
_BEFORE_OUTCOMES = frozenset(
    "of either word words need want expect like see as is be for with telling meaning holding being tells holds hold "
    "should stands report us me know get".split()
)


@dataclass(frozen=True)
class Announced:
    """One key: the words that say what it holds without their brackets, all of them, and the words in brackets."""

    name: str
    tokens: Sequence[Token]
    said: Sequence[Token]
    form: str = ""
    outcomes: tuple[str, ...] = ()

    @property
    def listed(self) -> bool:
        """Whether the key holds a list."""
        return re.search(r"\b(list|order|ordered)\b", self.form) is not None

    @property
    def ordered(self) -> bool:
        """Whether the order of a list counts."""
        return "any order" not in self.form and "order does not matter" not in self.form

    @property
    def kind(self) -> ValueType | None:
        """The type that the words name."""
        return next((kind for words, kind in _KINDS if re.search(words, self.form.lower())), None)

    @property
    def unit(self) -> str | None:
        """The unit that the words name."""
        found = _UNIT.search(self.form)
        return found[1].strip() if found is not None else None

    @property
    def digits(self) -> int | None:
        """The decimals that the words ask for."""
        found = _DECIMALS.search(self.form.lower())
        if found is None:
            return None
        if found["digits"]:
            return int(found["digits"])
        word = found["count"]
        number = number_of(
            Token(word, "number" if word.isdigit() else "word", int(word) if word.isdigit() else word, 0, 0)
        )
        return int(number) if number is not None else None


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
        elif _ended(parts[-1]) and token.kind == "word" and token.text[0].isupper():
            parts.append([token])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def _ended(sentence: Sequence[Token]) -> bool:
    """Say whether a sentence ends with a quote that ends a sentence itself."""
    return bool(sentence) and sentence[-1].kind == "quote" and str(sentence[-1].value).endswith((".", "!", "?"))


def _is_key(sentence: Sequence[Token], place: int) -> bool:
    """Say whether a quote is a key: not a word for an outcome, not a document's field."""
    token = sentence[place]
    if token.kind != "quote" or not _KEY.fullmatch(token.value):
        return False
    after = sentence[place + 1].text.lower() if place + 1 < len(sentence) else ""
    before = sentence[place - 1].text.lower() if place else ""
    unsure = "_" not in token.value and before != "as"
    if unsure and any(each.text.lower() == "if" for each in sentence[max(0, place - 7) : place]):
        return False
    if before == "as" and "there" in {each.text.lower() for each in sentence[max(0, place - 4) : place]}:
        return False
    beside = ("if", "where", "and", "or", "when", "once", "of", "stated", "there")
    return after not in beside and before not in ("of", "or", "either", "word", "the", "mean", "total")


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
    if _tells_outcome(said):
        return Announced(name, said, said, outcomes=tuple(str(token.value) for token in said if token.kind == "quote"))
    plain, brackets = _unbracketed(said)
    forms = [each for each in brackets if "minus" not in each.split()]
    return Announced(name, plain, said, ", ".join(forms))


def _unbracketed(said: Sequence[Token]) -> tuple[list[Token], list[str]]:
    """Return what stands outside brackets, and each bracket's text."""
    plain: list[Token] = []
    brackets: list[list[str]] = []
    inside = False
    for token in said:
        if token.text == "(":
            inside = True
            brackets.append([])
        elif token.text == ")":
            inside = False
        elif inside:
            brackets[-1].append(token.text)
        else:
            plain.append(token)
    return plain, [" ".join(each).replace(" ,", ",") for each in brackets]


def _tells_outcome(said: Sequence[Token]) -> bool:
    """Say whether words for outcomes are given: '“done” if all of it was done, “left” if not'."""
    low = {token.text.lower() for token in said}
    first = next((place for place, token in enumerate(said) if token.kind == "quote"), None)
    if first is None or not low & _OUTCOMES:
        return False
    return first == 0 or (said[first - 1].text.lower() not in ("called", "named") and _opens(said, first))


def _opens(said: Sequence[Token], place: int) -> bool:
    """Say whether a quote begins a choice: no noun that it could be the name of stands before it."""
    before = said[place - 1]
    return before.kind == "mark" or before.text.lower() in _BEFORE_OUTCOMES
