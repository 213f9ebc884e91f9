"""Lower a plan: find the things, go through the passes, do the deeds, and read what is asked."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from schemas.answers import AnswerField
from schemas.plans import Asked, Deed, Difference, Group, Lead, Look, Needed, Outcome, Plan, Total, meaning
from schemas.plans import Figure as Wanted
from schemas.programs import (
    Aggregate,
    Arithmetic,
    Chosen,
    Const,
    Expression,
    Let,
    Program,
    Ref,
    Refused,
    Round,
)
from schemas.programs import Condition as Test
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.lowering.passes import Passes, noted_figures
from tasks.authors.rules.lowering.rows import Rows
from tasks.authors.rules.lowering.selection import Selection
from tasks.authors.rules.lowering.sources import Sources
from tasks.authors.rules.lowering.things import Things
from tasks.authors.rules.lowering.values import Values
from tasks.authors.rules.lowering.writer import CannotLower, Writer

DONE = "done"
NOT_ALL = "not_all"


@dataclass(frozen=True)
class Lowered:
    """A plan's program, the answer's fields (their descriptions are left to the wording), and the constants that it states."""

    program: Program
    fields: list[AnswerField]
    constants: list[Any]


def lower(plan: Plan, catalog: Catalog) -> Lowered:
    """Return the program that does what a plan wants; CannotLower when the environment's tools cannot."""
    lowering = _Lowering(plan, catalog)
    lowering.write()
    answer = {asked.name: lowering.answer(asked) for asked in plan.asked}
    fields = [_field(asked) for asked in plan.asked]
    return Lowered(Program(body=tuple(lowering.writer.body), answer=answer), fields, list(constants(plan)))


def _field(asked: Asked) -> AnswerField:
    tolerance = 10.0**-asked.digits if asked.digits is not None else 0.0
    form = asked.model_dump(include={"name", "type", "item_type", "ordered", "unit"})
    return AnswerField(**form, description="", tolerance=tolerance)


class _Lowering:
    """One plan's program in the making."""

    def __init__(self, plan: Plan, catalog: Catalog) -> None:
        self._plan = plan
        self.writer = Writer(catalog)
        wanted = frozenset(_columns(plan.model_dump(mode="json")))
        selection = Selection(self.writer, wanted, random.Random(meaning(plan)))
        self._values = Values(self.writer, Rows(self.writer, wanted), selection)
        self._things = Things(self._values)
        self._sources = Sources(self._values, self._things)
        self._passes = Passes(self._values, self._sources, noted_figures(list(_groups(plan))))
        self._tried: dict[int, Ref] = {}

    def write(self) -> None:
        """Write everything that happens before the answer."""
        for thing in self._plan.things:
            self._things.find(thing)
        for place, each in enumerate(self._plan.passes):
            self._passes.write(each, place)
        for place, deed in enumerate(self._plan.deeds):
            self._do(deed, place)

    def _do(self, deed: Deed, place: int) -> None:
        tool = self.writer.catalog.by_name[deed.act.tool]
        self._tried[place] = self.writer.write(tool, self._sources.arguments(deed.act), may_refuse=deed.attempt)
        if deed.attempt:
            self.writer.wrote(tool)

    # --- the answer -----------------------------------------------------------------------

    def answer(self, asked: Asked) -> Expression:
        """Return what one field of the answer holds."""
        value = self._figure(asked.figure)
        return value if asked.digits is None or asked.type == "list" else Round(value=value, digits=asked.digits)

    def _figure(self, figure: Wanted) -> Expression:
        match figure:
            case Look() | Total():
                return self._values.value(figure)
            case Group():
                return self._group(figure)
            case Difference():
                return Arithmetic(operator="-", left=self._figure(figure.left), right=self._figure(figure.right))
            case Lead():
                return self._lead(figure)
            case Needed():
                return self._passes.needed[figure.pass_]
            case Outcome():
                return self._outcome(figure)

    def _group(self, group: Group) -> Expression:
        over = Ref(name=self._passes.taken[group.pass_, group.branch])
        if group.look is None:
            return Aggregate(function="count", over=over)
        place = noted_figures(list(_groups(self._plan)))[group.pass_, group.branch].index(group.look)
        function: Any = group.function or "pluck"
        return Aggregate(function=function, over=over, path=(f"figure_{place}",))

    def _lead(self, lead: Lead) -> Expression:
        ranked = self._things.ranked[lead.thing]
        first, second = (Ref(name=ranked.name, path=(place, "figure")) for place in (0, 1))
        return Arithmetic(operator="-", left=first, right=second) if lead.over_next else first

    def _outcome(self, outcome: Outcome) -> Expression:
        """Work out which word says what happened: that of a refusal's code, or of what was done."""
        bind = self.writer.name("outcome")
        done = Const(value=outcome.words[DONE])
        test: Test
        yes: Expression
        if outcome.deed is not None:
            tried = self._tried[outcome.deed]
            others = {code: word for code, word in outcome.words.items() if code != DONE}
            code = Chosen(value=Ref(name=tried.name, path=("error", "code")), words=others)
            test, yes, no = Refused(name=tried.name), code, done
        elif outcome.pass_ is not None:
            test, yes, no = self._passes.held[outcome.pass_], done, Const(value=outcome.words[NOT_ALL])
        else:
            raise CannotLower("an outcome of nothing")
        self.writer.branch(
            test,
            lambda: self.writer.add(Let(bind=bind, value=yes)),
            lambda: self.writer.add(Let(bind=bind, value=no)),
        )
        return Ref(name=bind)


def _groups(plan: Plan) -> Iterator[Group]:
    """Yield the groups that a plan asks of, also inside differences."""
    for asked in plan.asked:
        parts = [asked.figure.left, asked.figure.right] if isinstance(asked.figure, Difference) else [asked.figure]
        yield from (part for part in parts if isinstance(part, Group))


def _columns(node: Any) -> Iterator[str]:
    """Yield the columns that looks of a dumped plan read, on their way and at its end."""
    if isinstance(node, dict):
        if node.get("is_") == "look":
            yield node["hops"][0]["column"] if node["hops"] else node["column"]
        if node.get("is_") == "look" and node["hops"]:
            yield node["column"]
        for value in node.values():
            yield from _columns(value)
    elif isinstance(node, list):
        for value in node:
            yield from _columns(value)


def constants(plan: Plan) -> Iterator[Any]:
    """Yield what a plan's request states: constants, names, titles of documents, amounts, and words of outcomes."""
    return _stated(plan.model_dump(mode="json"))


_STATED = ("name", "names", "candidates", "document", "amount", "words")


def _stated(node: Any) -> Iterator[Any]:
    if isinstance(node, dict):
        if node.get("is_") == "said":
            yield node["value"]
        for name, value in node.items():
            is_value = isinstance(value, dict) and "is_" in value  # an argument that is called like one of these
            if name in _STATED and not is_value and not (name == "name" and "figure" in node):
                yield from _leaves(value)
            else:
                yield from _stated(value)
    elif isinstance(node, list):
        for value in node:
            yield from _stated(value)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value
    elif value is not None:
        yield value
