"""The keys of the answer: what each holds, in which unit, rounded how, in which order."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from schemas.answers import ValueType
from schemas.plans import Asked, Group
from tasks.verification.reading.chinese.amounts import counted, unit_words
from tasks.verification.reading.chinese.figures import Held
from tasks.verification.reading.chinese.grammar import Grammar, Known, Readings, data
from tasks.verification.reading.forms import Forms

_KEY = re.compile(r"[a-z][a-z0-9_]*")
_FORM = re.compile(r"（(?P<inside>[^（）]*)）|，(?P<behind>[^；。\n（）]*)|")
_ROUNDED = re.compile(r"(?:四舍五入到|精确到|保留)(?P<count>[一二两三四五六七八九\d])位小数")
_UNIT = re.compile(r"(?:单位为|单位是|单位：|以)(?P<unit>.+?)计?")


@dataclass(frozen=True)
class Form:
    """What a request says of a value's form; None where it does not say."""

    unit: str | None = None
    digits: int | None = None
    ordered: bool = True
    kind: ValueType | None = None


@dataclass(frozen=True)
class Announced:
    """One key, what it holds, and the form that is said."""

    name: str
    held: Held
    form: Form

    def asked(self, forms: Forms) -> Asked | None:
        """Return the field of the plan; None where nothing tells its type."""
        figure = self.held.figure
        kind = forms.type_of(figure) or self.form.kind
        if kind is None:
            return None
        listed = isinstance(figure, Group) and figure.function is None
        return Asked(
            name=self.name,
            figure=figure,
            type="list" if listed else kind,
            item_type=kind if listed else None,
            digits=self.form.digits,
            unit=self.form.unit,
            ordered=self.form.ordered,
        )


class Answers:
    """Rules for the announcement of the answer."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        grammar.add("key", self._key)
        grammar.add("form", self._form)
        grammar.add_patterns("answer", self._announced)
        grammar.add_patterns("answers", lambda known: (known["answer"], *known.get("answers", ())))

    def _key(self, at: int, known: Known) -> Readings:
        name = self._grammar.text.value(at, "quote")
        if name is not None and _KEY.fullmatch(name):
            yield name, at + 1

    def _form(self, at: int, known: Known) -> Readings:
        """Read the marks of a form in brackets or behind a comma; all of them must be known."""
        found = _FORM.match(self._grammar.text.plain, at)
        assert found is not None
        span = "inside" if found["inside"] is not None else "behind"
        form: Form | None = Form()
        for mark in self._grammar.text.shown(*found.span(span)).split("，") if found[span] else ():
            form = _marked(form, mark) if form is not None else None
        if form is not None:
            yield form, found.end()
        if found[0]:
            yield Form(), at

    def _announced(self, known: Known) -> Announced | None:
        held, form = known["figure"], known["form"]
        if form.unit is None:
            return Announced(known["key"], held, form)
        unit = _unit(form.unit, held)
        return Announced(known["key"], held, replace(form, unit=unit)) if unit is not None else None


def _marked(form: Form, mark: str) -> Form | None:
    """Return a form with what a mark says; None where the mark is not known."""
    words = data("words")["mark"]
    rounded = _ROUNDED.fullmatch(mark)
    if rounded is not None:
        return replace(form, digits=counted(rounded["count"]))
    for meaning, each in words.items():
        if mark in each:
            return _told(form, meaning)
    unit = _UNIT.fullmatch(mark)
    return replace(form, unit=unit["unit"]) if unit is not None else None


def _told(form: Form, meaning: Any) -> Form:
    if meaning in ("sorted", "unsorted"):
        return replace(form, ordered=meaning == "sorted")
    return form if meaning == "list" else replace(form, kind=meaning)


def _unit(said: str, held: Held) -> str | None:
    """Return the unit that a word means: that of what is held, else the one that its words name, else the only one."""
    if said.startswith("“"):
        return said.strip("“”")
    own = held.column.unit
    if own is not None and said in unit_words(own):
        return own
    if own is not None:
        return None
    units = [unit for unit, words in data("terms")["units"].items() if said in words]
    named = [unit for unit in units if unit in held.column.words]
    only = named if len(named) == 1 else units
    return only[0] if len(only) == 1 else None
