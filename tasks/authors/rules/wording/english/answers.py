"""How the answer is announced: its keys in quotes, what each holds, and what of its form is not plain."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from schemas.plans import Asked, Entry, Group, Outcome
from tasks.authors.rules.wording.english import grammar
from tasks.authors.rules.wording.english.voices import Voice

Field = tuple[Asked, str]
"""A field and what it holds: a noun phrase, or a question that begins with how many."""

_MANY = {"integer": "whole numbers", "number": "numbers", "text": "texts", "date": "dates", "datetime": "times"}
_FORMS = {"date": "as YYYY-MM-DD", "datetime": "as YYYY-MM-DDTHH:MM:SS"}
MOST_IN_ONE = 4
"""Fields that one sentence announces."""
FEWEST_LINES = 3
"""Fields from which they may stand in lines."""


class Answers:
    """Announces fields."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice

    def sentences(self, fields: Sequence[Field], *, last: bool = True) -> list[str]:
        """Announce fields in sentences; `last`: these are all that is left, so that the answer's form is said too."""
        ways: list[Callable[[Sequence[Field]], list[str]]] = []
        if len(fields) < FEWEST_LINES or not last:
            ways.append(self._each)
        if len(fields) <= MOST_IN_ONE:
            ways += [self._under, *[self._one] * (4 if len(fields) == 1 else 2)] if last else [self._under, self._under]
        if last and len(fields) >= FEWEST_LINES:
            ways += [self._lines, self._lines]
        said = self._voice.pick(*ways)(fields)
        return [*said, self.json()] if last and not any("JSON" in each for each in said) else said

    def json(self) -> str:
        """Say that the answer is a JSON object."""
        voice = self._voice
        what = voice.pick("a JSON object", "one JSON object", "a single JSON object", "JSON", "one object in JSON")
        keys = voice.pick(
            "with exactly these keys",
            "with these keys",
            "with those keys",
            "with the quoted keys",
            "with the keys above",
            "with the keys named above",
            "under these keys",
            "under the quoted keys",
        )
        return voice.pick(
            f"the reply {voice.pick('should be', 'is to be', 'has to be')} {what} {keys}",
            f"please {voice.pick('answer with', 'reply with', 'respond with')} {what} {keys}",
            f"{what} {keys} is {voice.pick('all I need', 'what we can process', 'the form we need', 'fine')}",
            f"{voice.pick('as an answer', 'as a reply', 'in return')}, {voice.pick('we expect', 'I expect', 'we need', 'I need')} {what} {keys}",
            f"{voice.pick('the answer', 'the reply', 'the response')} as {what} {keys}, please",
            f"all of that {voice.pick('goes into', 'belongs in', 'is to go into')} {what} {keys}",
        )

    # --- ways -----------------------------------------------------------------------------

    def _one(self, fields: Sequence[Field]) -> list[str]:
        opening = self._voice.pick(
            "the answer should be a JSON object with",
            "what I need back is a JSON object with",
            "we expect a JSON object holding",
            "in return I would like a JSON object with",
            "a JSON object is wanted as the answer, with",
            "to report back, use a JSON object with",
            "please answer in JSON, with",
            "my spreadsheet reads JSON, so I would like",
        )
        link = "telling" if any(what.startswith("for ") for _, what in fields) else self._voice.pick("for", "telling")
        links = ["being" if isinstance(field.figure, Outcome) else link for field, _ in fields]
        parts = [f"“{f.name}” {link} {what}{self._form(f)}" for link, (f, what) in zip(links, fields, strict=True)]
        return [f"{opening} {grammar.joined(parts)}"]

    def _each(self, fields: Sequence[Field]) -> list[str]:
        return [self._sentence(field, what) for field, what in fields]

    def _sentence(self, field: Asked, what: str) -> str:
        voice, key, said = self._voice, f"“{field.name}”", f"{what}{self._form(field)}"
        if _is_question(what):
            return voice.pick(
                f"{key} {voice.pick('should tell', 'tells')} {said}",
                f"{voice.pick('I would like to know', 'we need to know', 'I want to know')} {said}, as {key}",
                f"{key}: {said}",
                f"{said} {voice.pick('goes into', 'belongs under')} {key}",
            )
        ways = [
            f"{key} {voice.pick('should hold', 'stands for', 'holds', 'should be')} {said}",
            f"under {key}, {voice.pick('I expect', 'we need', 'I need', 'we expect')} {said}",
            f"{voice.pick('I need', 'we need', 'we would like', 'I would like')} {said} as {key}",
            f"{key}: {said}",
        ]
        if not isinstance(field.figure, Outcome):
            several = grammar.is_plural(what.removeprefix("the "))
            goes = ("go into", "belong under") if several else ("goes into", "belongs under")
            ways.append(f"{said} {voice.pick(*goes)} {key}")
        return voice.pick(*ways)

    def _under(self, fields: Sequence[Field]) -> list[str]:
        opening = self._voice.pick(
            "what I want to know",
            "we need to know",
            "to be reported",
            "of interest",
            "what should come back",
            "for our records",
            "to note down",
            "I need",
        )
        return [f"{opening}: {'; '.join(f'{what}{self._form(f)}, as “{f.name}”' for f, what in fields)}"]

    def _lines(self, fields: Sequence[Field]) -> list[str]:
        what = self._voice.pick(
            "the answer",
            "what I need back",
            "what should come back",
            "expected answer",
            "to be reported",
            "the reply",
            "what we want to know",
            "for our records",
            "figures wanted",
        )
        form = self._voice.pick(
            " (JSON)", ", in JSON", ", as a JSON object", ", as JSON", ", as one JSON object", " (a JSON object)"
        )
        lines = "".join(f"\n- “{f.name}”: {what}{self._form(f)}" for f, what in fields)
        return [f"{what}{form}:{lines}\n"]

    # --- forms ----------------------------------------------------------------------------

    def _form(self, field: Asked) -> str:
        """Say in brackets what of a field's form does not go without saying."""
        if isinstance(field.figure, Outcome):
            return ""
        parts = [self._kind(field), f"in {field.unit}" if field.unit else "", self._rounded(field), self._order(field)]
        said = ", ".join(part for part in parts if part)
        return f" ({said})" if said else ""

    def _kind(self, field: Asked) -> str:
        """Name the kind of what documents state, and the form of dates."""
        kind = field.item_type if field.type == "list" and field.item_type else field.type
        stated = isinstance(field.figure, Group) and isinstance(field.figure.look, Entry)
        if stated and kind in _MANY:
            return _MANY[kind] if field.type == "list" else kind.replace("integer", "whole number")
        return _FORMS.get(kind, "")

    def _rounded(self, field: Asked) -> str:
        if field.digits is None:
            return ""
        places = f"{grammar.number(field.digits)} decimal{'' if field.digits == 1 else 's'}"
        return self._voice.pick(f"rounded to {places}", f"to {places}", f"with {places}")

    def _order(self, field: Asked) -> str:
        if field.type != "list":
            return ""
        if field.ordered:
            return self._voice.pick("in that order", "in the order above", "in the same order")
        return self._voice.pick("in any order", "order does not matter")


def _is_question(what: str) -> bool:
    return what.startswith(("how many ", "for how many "))
