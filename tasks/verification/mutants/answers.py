"""Wrong answers over the right change: each field off by one unit, of the row beside, in another unit, empty, in disorder."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from schemas.answers import AnswerField
from tasks.verification.checks import same_value
from tasks.verification.guesses import WORDS, random_answer
from tasks.verification.mutants.subject import Mutant, Proven

FACTORS = (1000, 0.01, 60)
"""What a wrong unit multiplies by: thousands, per cent, minutes for hours."""
EMPTY: tuple[Any, ...] = (None, "", [])
EXTRA = "remark"
GUESSES = 8
LARGEST_BITS = 63
"""Bits of the largest whole number that a column holds."""

Change = Callable[[AnswerField, Any, random.Random], Iterator[tuple[str, Any]]]


def one_unit_off(field: AnswerField, value: Any, rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Give the value one unit higher and lower; of a list that of one item."""
    if field.type == "list" and isinstance(value, list) and value:
        place, item = rng.randrange(len(value)), field.model_copy(update={"type": field.item_type or "text"})
        for told, other in one_unit_off(item, value[place], rng):
            yield f"item {place} {told}", [*value[:place], other, *value[place + 1 :]]
    elif field.type == "boolean":
        yield "reversed", not value
    elif field.type in ("integer", "number") and isinstance(value, int | float):
        unit = 1 if field.type == "integer" else max(3 * field.tolerance, 0.02)
        yield "one unit more", value + unit
        yield "one unit less", value - unit
    elif field.type in ("date", "datetime") and isinstance(value, str):
        step = timedelta(days=1) if field.type == "date" else timedelta(minutes=1)
        for told, moment in (("later", step), ("earlier", -step)):
            moved = datetime.fromisoformat(value) + moment
            yield told, moved.date().isoformat() if field.type == "date" else moved.isoformat()


def another_unit(field: AnswerField, value: Any, rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Give a number in another unit."""
    if field.type in ("integer", "number") and isinstance(value, int | float) and value:
        yield from ((f"times {factor}", value * factor) for factor in FACTORS)


def nothing_in_it(field: AnswerField, value: Any, rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Give nothing, as each of the ways to say so."""
    yield from (("empty", empty) for empty in EMPTY)


def in_disorder(field: AnswerField, value: Any, rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Give a list with two unequal neighbours exchanged, where order counts."""
    if field.type == "list" and field.ordered and isinstance(value, list):
        places = [i for i in range(len(value) - 1) if value[i] != value[i + 1]]
        if places:
            place = rng.choice(places)
            yield "two items exchanged", [*value[:place], value[place + 1], value[place], *value[place + 2 :]]


def too_few_or_many(field: AnswerField, value: Any, rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Give a list without one of its items, and with one twice."""
    if field.type == "list" and isinstance(value, list) and value:
        place = rng.randrange(len(value))
        yield "an item missing", [*value[:place], *value[place + 1 :]]
        yield "an item twice", [*value, value[place]]


CHANGES: dict[str, Change] = {
    "answer_one_unit_off": one_unit_off,
    "answer_another_unit": another_unit,
    "answer_empty": nothing_in_it,
    "answer_in_disorder": in_disorder,
    "answer_too_few_or_many": too_few_or_many,
}
"""Operators that change one field of the answer by its value alone."""


def changed_fields(operator: str, proven: Proven) -> Iterator[Mutant]:
    """Yield the mutants of one of `CHANGES`."""
    rng = proven.rng(operator)
    for field in proven.task.answer_fields:
        for told, value in CHANGES[operator](field, proven.answer[field.name], rng):
            yield Mutant(operator, f"{field.name} {told}", proven.answer | {field.name: value}, proven.diff)


def of_the_row_beside(proven: Proven) -> Iterator[Mutant]:
    """Yield answers in which a field has the value of another row in the column that its value came from."""
    operator = "answer_row_beside"
    rng = proven.rng(operator)
    for field in proven.task.answer_fields:
        value = proven.answer[field.name]
        found = beside(proven, value if not isinstance(value, list) else value[0] if value else None, rng)
        if found is None:
            continue
        other = [found, *value[1:]] if isinstance(value, list) else found
        spec = field.model_dump(include={"type", "item_type", "ordered", "tolerance"})
        if not same_value(other, value, spec):
            yield Mutant(operator, f"{field.name} of the row beside", proven.answer | {field.name: other}, proven.diff)


def at_random(proven: Proven) -> Iterator[Mutant]:
    """Yield answers of the right types whose values are drawn at random, texts among those of the world."""
    operator = "answer_at_random"
    rng = proven.rng(operator)
    columns = [(t.name, c.name) for t in proven.tables() for c in t.columns if c.type == "text"]
    cells = [rng.choice(proven.frames[table][column]) for table, column in columns]
    pool = [*WORDS, *(cell for cell in cells if cell is not None)]
    for number in range(GUESSES):
        guess = random_answer(proven.task.answer_fields, proven.answer, pool, rng)
        yield Mutant(operator, f"guess {number}", guess, proven.diff)


def beside(proven: Proven, value: Any, rng: random.Random) -> Any:
    """Return a value that stands next to `value` in one of the columns that hold it; None when none does."""
    if value is None:
        return None
    for table in rng.sample(proven.tables(), len(proven.tables())):
        for column in table.columns:
            series = proven.frames[table.name][column.name]
            places = _places(series, value)
            if places:
                place = rng.choice(places)
                near = [series[i] for i in (place - 1, place + 1) if 0 <= i < series.len()]
                others = [plain(other) for other in near if other is not None and other != series[place]]
                if others:
                    return rng.choice(others)
    return None


def _places(series: pl.Series, value: Any) -> list[int]:
    if isinstance(value, bool) or (isinstance(value, str) != (series.dtype == pl.String)):
        return []
    if isinstance(value, int | float) and not series.dtype.is_numeric():
        return []
    if isinstance(value, int) and value.bit_length() > LARGEST_BITS:
        return []
    equal = series == value
    return equal.arg_true().to_list() if equal.any() else []  # looking for any is far cheaper, and mostly there is none


def plain(value: Any) -> Any:
    """Return a cell as JSON has it."""
    return value.isoformat() if hasattr(value, "isoformat") else value


def other_fields(proven: Proven) -> Iterator[Mutant]:
    """Yield answers with a field missing, with one too many, and with the values of two fields exchanged."""
    names = [field.name for field in proven.task.answer_fields]
    for name in names:
        without = {key: value for key, value in proven.answer.items() if key != name}
        yield Mutant("answer_fields", f"{name} missing", without, proven.diff)
    yield Mutant("answer_fields", "one field too many", proven.answer | {EXTRA: ""}, proven.diff)
    for one, other in zip(proven.task.answer_fields, proven.task.answer_fields[1:], strict=False):
        if one.type == other.type and proven.answer[one.name] != proven.answer[other.name]:
            exchanged = {one.name: proven.answer[other.name], other.name: proven.answer[one.name]}
            yield Mutant(
                "answer_fields", f"{one.name} and {other.name} exchanged", proven.answer | exchanged, proven.diff
            )


def of_a_sibling(proven: Proven) -> Iterator[Mutant]:
    """Yield another task's answer: as it is, and its values in this task's fields of the same type."""
    for task, gold in proven.siblings:
        yield Mutant("answer_of_sibling", f"the answer of {task.id}", dict(gold.answer), proven.diff)
        values = {field.type: gold.answer[field.name] for field in task.answer_fields}
        taken = {f.name: values[f.type] for f in proven.task.answer_fields if f.type in values}
        if taken:
            yield Mutant("answer_of_sibling", f"values of {task.id}", proven.answer | taken, proven.diff)
