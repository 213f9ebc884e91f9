"""How the answer is announced: its keys in quotes, what each holds, and in which form."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from schemas.plans import Asked, Outcome
from tasks.authors.rules.wording.english import grammar
from tasks.authors.rules.wording.english.voices import Voice

_GOES = ("goes into", "belongs under", "is to be given as")
_MANY = {"integer": "whole numbers", "number": "numbers", "text": "texts", "date": "dates", "datetime": "times"}


MOST_IN_ONE = 4
"""Fields that one sentence announces."""


class Answers:
    """Announces fields; each comes as a pair of the field and what it holds."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice

    def sentences(self, fields: Sequence[tuple[Asked, str]], *, last: bool = True) -> list[str]:
        """Announce fields in sentences; `last`: these are all that is left, so that the answer's form is said too."""
        ways: list[Callable[[Sequence[tuple[Asked, str]]], list[str]]] = [self._each, self._each]
        ways += [self._under] if len(fields) <= MOST_IN_ONE else []
        ways += [self._one] if last and len(fields) <= MOST_IN_ONE else []
        ways += [self._lines] if last and self._voice.register in ("ticket", "letter") and len(fields) > 2 else []
        said = self._voice.pick(*ways)(fields)
        return [*said, self.json()] if last and not any("JSON" in each for each in said) else said

    def json(self) -> str:
        """Say that the answer is a JSON object."""
        voice = self._voice
        what = voice.pick("a JSON object", "one JSON object", "a single JSON object", "JSON")
        keys = voice.pick(
            "with exactly these keys",
            "with these keys and no others",
            "with the keys in quotes above",
            "under the names given in quotes",
            "with those keys",
        )
        return voice.pick(
            f"the reply itself {voice.pick('should be', 'is to be', 'has to be')} {what} {keys}",
            f"please answer with {what} {keys}",
            f"{what} {keys} is {voice.pick('all I need', 'what we can process', 'the form we need', 'enough as an answer')}",
            f"{voice.pick('as an answer', 'as a reply', 'in return')}, {voice.pick('we expect', 'I expect', 'we need', 'I need')} {what} {keys}",
            f"the form of the {voice.pick('answer', 'reply', 'response')}: {what} {keys}",
            f"all of that {voice.pick('goes', 'belongs', 'is to go')} into {what} {keys}",
        )

    # --- ways -----------------------------------------------------------------------------

    def _one(self, fields: Sequence[tuple[Asked, str]]) -> list[str]:
        voice = self._voice
        opening = voice.pick(
            "the answer should be a JSON object with",
            "what I need back is a JSON object with",
            "we expect a JSON object holding",
            "in return I would like a JSON object with",
            "a JSON object is wanted as the answer, with",
            "to report back, use a JSON object with",
        )
        link = voice.pick("for", "as", "being", "meaning")
        return [f"{opening} {grammar.joined([f'“{f.name}” {link} {what}{self._form(f)}' for f, what in fields])}"]

    def _each(self, fields: Sequence[tuple[Asked, str]]) -> list[str]:
        return [self._sentence(field, what) for field, what in fields]

    def _sentence(self, field: Asked, what: str) -> str:
        voice, key, form = self._voice, f"“{field.name}”", self._form(field)
        ways = [
            f"{key} {voice.pick('should hold', 'stands for', 'holds', 'should be')} {what}{form}",
            f"under {key}, {voice.pick('I expect', 'we need', 'I would like to see', 'we expect')} {what}{form}",
            f"{voice.pick('I need', 'we need', 'we would like', 'I would like')} {what}{form} as {key}",
            f"{key}: {what}{form}",
        ]
        if not isinstance(field.figure, Outcome):
            several = grammar.is_plural(what.removeprefix("the "))
            goes = ("go into", "belong under", "are to be given as") if several else _GOES
            ways += [f"{what}{form} {voice.pick(*goes)} {key}"]
        return voice.pick(*ways)

    def _under(self, fields: Sequence[tuple[Asked, str]]) -> list[str]:
        voice = self._voice
        opening = voice.pick(
            "what I want to know",
            "what we need to know",
            "to be reported",
            "of interest in the end",
            "what should come back",
            "for our records",
        )
        return [f"{opening}: {'; '.join(f'{what}{self._form(f)}, as “{f.name}”' for f, what in fields)}"]

    def _lines(self, fields: Sequence[tuple[Asked, str]]) -> list[str]:
        voice = self._voice
        opening = voice.pick(
            "the answer, as a JSON object",
            "expected answer (JSON)",
            "answer wanted, in JSON",
            "JSON object to be returned",
            "fields of the JSON answer",
        )
        lines = "".join(f"\n- “{f.name}”: {what}{self._form(f)}" for f, what in fields)
        return [f"{opening}:{lines}\n"]

    # --- forms ----------------------------------------------------------------------------

    def _form(self, field: Asked) -> str:
        """Say the form of a field, in brackets."""
        if isinstance(field.figure, Outcome):
            return ""
        voice = self._voice
        unit = voice.pick(f" in {field.unit}", f", in {field.unit}") if field.unit else ""
        if field.type == "list":
            kind = _MANY[field.item_type or "text"]
            unit = f" in {field.unit}" if field.unit else ""
            order = (
                voice.pick("in that order", "in the order above", "in the same order")
                if field.ordered
                else voice.pick("in any order", "order does not matter")
            )
            return f" ({voice.pick('a list', 'list')} of {kind}{unit}, {order})"
        if field.type == "number":
            rounded = self._rounded(field.digits)
            return f" ({', '.join(part for part in (unit.strip(' ,'), rounded) if part)})"
        kind = {
            "integer": voice.pick("whole number", "a whole number", "integer"),
            "text": voice.pick("text", "a text"),
            "date": "date as YYYY-MM-DD",
            "datetime": "time as YYYY-MM-DDTHH:MM:SS",
        }.get(field.type, field.type)
        return f" ({kind}{unit})"

    def _rounded(self, digits: int | None) -> str:
        if digits is None:
            return "a number, not rounded"
        places = f"{grammar.number(digits)} decimal{'' if digits == 1 else 's'}"
        return self._voice.pick(f"rounded to {places}", f"to {places}", f"with {places}")
