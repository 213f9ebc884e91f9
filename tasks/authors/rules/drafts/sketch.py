"""A draft in the making: statements, sentences, and the answer's fields."""

from __future__ import annotations

import random
from typing import Any

from schemas.answers import AnswerField, ValueType
from schemas.profiles import ColumnProfile
from schemas.programs import Call, Expression, Program, Ref, Round, Statement
from schemas.tasks import TaskDraft, TaskKind
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.catalog import Catalog

OPENINGS = (
    "I am going through our records and need a few things done.",
    "Please work through the following for me.",
    "Could you take care of this and report back?",
    "Here is what I need for today's handover.",
    "For a report that I am putting together, I need this.",
    "Something to settle before the end of the day.",
)


class Sketch:
    """Collects a draft's parts; names of answer keys never equal a name of the machinery."""

    def __init__(self, catalog: Catalog, rng: random.Random) -> None:
        self.catalog, self.rng = catalog, rng
        self.body: list[Statement] = []
        self.sentences: list[str] = []
        self.constants: list[Any] = []
        self._fields: list[AnswerField] = []
        self._answer: dict[str, Expression] = {}
        self._forbidden = {c.name for t in catalog.environment.profile.tables for c in t.columns}
        self._forbidden |= set(catalog.by_name) | {t.name for t in catalog.environment.profile.tables}

    def say(self, text: str) -> None:
        """Add a sentence."""
        self.sentences.append(words.sentence(text))

    def call(self, bind: str, tool: str, arguments: dict[str, Expression]) -> Ref:
        """Add a call and return a reference to its result."""
        self.body.append(Call(bind=bind, tool=tool, arguments=arguments))
        return Ref(name=bind)

    def ask(
        self,
        description: str,
        value: Expression,
        kind: ValueType,
        *,
        name: str | None = None,
        unit: str | None = None,
        item_type: ValueType | None = None,
        ordered: bool = True,
        digits: int = 2,
    ) -> None:
        """Ask for a value in the answer; `name` is its key unless taken; numbers compare within the last of `digits`."""
        name = words.field_name(name or description, set(self._answer), self._forbidden)
        tolerance = 10.0**-digits if "number" in (kind, item_type) else 0.0
        self._fields.append(
            AnswerField(
                name=name,
                type=kind,
                description=description,
                unit=unit,
                item_type=item_type,
                ordered=ordered,
                tolerance=tolerance,
            )
        )
        self._answer[name] = value

    def ask_column(self, description: str, value: Expression, column: ColumnProfile, name: str | None = None) -> None:
        """Ask for a column's value in the answer."""
        digits = words.decimals(column)
        self.ask(description, value, words.value_type(column), name=name, unit=column.unit, digits=digits)

    def ask_figure(self, description: str, value: Expression, function: str, column: ColumnProfile, name: str) -> None:
        """Ask for a figure of a column; means, and what adds up fractions, are rounded."""
        if column.type == "integer" and function != "mean":
            self.ask(description, value, "integer", name=name, unit=column.unit)
            return
        digits = words.decimals(column)
        said = f"{description}, to {words.render_number(digits)} decimals"
        rounded = Round(value=value, digits=digits)
        self.ask(said, rounded, "number", name=name, unit=column.unit, digits=digits)

    def draft(self, kind: TaskKind, shape: str) -> TaskDraft:
        """Return the finished draft."""
        parts = [self.rng.choice(OPENINGS), *self.sentences, words.render_report(self._fields)]
        return TaskDraft(
            kind=kind,
            shape=shape,
            request=" ".join(parts),
            answer_fields=self._fields,
            program=Program(body=tuple(self.body), answer=self._answer),
            constants=self.constants,
        )
