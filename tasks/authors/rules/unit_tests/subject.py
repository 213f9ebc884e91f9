"""The subject of unit tests: one tool, the data behind it, and a seeded source of arguments that make bugs show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import polars as pl

from schemas.environments import Environment
from schemas.identity import content_id
from schemas.profiles import TableProfile
from schemas.tools import Expectation, TestCase, Tool, ToolCall, ToolTest
from tasks.authors.rules.unit_tests.oracle import Condition, Oracle, Page

DRAWS = 8
"""Records tried for a set of filters before the best so far is taken."""
Changes = dict[str, dict[str, int]]
LARGEST_KEY = 2**62
UNKNOWN_TEXTS = ("ZZZ", "zz-unknown", "zz-unknown-zz")
UNKNOWN_KEYS = {
    "date": ("1001-01-01", "1002-02-02", "1003-03-03"),
    "datetime": ("1001-01-01T01:01:01", "1002-02-02T02:02:02", "1003-03-03T03:03:03"),
}
"""Keys that data hardly has, by the key's type; else `UNKNOWN_TEXTS`."""
_WORD = re.compile(r"[A-Za-z]{3,}|^[A-Za-z]{2}$")
"""A word to search a text for: of three letters, or a whole code of two."""
_ANY_WORD = re.compile(r"[^\W_]+")
"""What to search for where there is no such word: letters of any script, digits."""


@dataclass(frozen=True)
class Subject:
    """What the tests of one tool are drawn from. `rng` depends on environment, tool and seed alone."""

    environment: Environment
    tool: Tool
    oracle: Oracle
    rng: Random

    @property
    def table(self) -> TableProfile:
        """Profile of the tool's table."""
        return self.environment.profile.table(self.tool.intent["table"])

    @property
    def frame(self) -> pl.DataFrame:
        """All rows of the tool's table."""
        return self.oracle.frames[self.table.name]

    @property
    def filters(self) -> dict[str, dict[str, Any]]:
        """Filter parameters in the intent's order: parameter → {column, comparator}."""
        return self.tool.intent.get("filters", {})

    @property
    def sorts(self) -> list[str]:
        """Columns that the tool can sort by."""
        return list(self.tool.intent.get("sorts", []))

    def brief(self, path: str = "items") -> list[str]:
        """Return the table's columns that every element of the result's list `path` carries, the key among them."""
        element = self.tool.output_schema.get("properties", {}).get(path, {}).get("items", {})
        required = element.get("required", [])
        columns = {c.name for c in self.table.columns}
        return [name for name in required if name in columns] or [self.table.key]

    def conditions(self, arguments: dict[str, Any]) -> list[Condition]:
        """Return the filters among `arguments` as the oracle's conditions."""
        return [
            Condition(self.filters[name]["column"], self.filters[name]["comparator"], value)
            for name, value in arguments.items()
            if name in self.filters
        ]

    def test(
        self, name: str, case: TestCase, arguments: dict[str, Any], expect: Expectation, setup: Iterable[ToolCall] = ()
    ) -> ToolTest:
        """Return one test, with an id that depends on its content alone."""
        calls = list(setup)
        body = [name, case, [c.model_dump() for c in calls], arguments, expect.model_dump()]
        return ToolTest(
            id=content_id("test", self.environment.id, self.tool.name, *body),
            tool=self.tool.name,
            name=name,
            case=case,
            setup=calls,
            arguments=arguments,
            expect=expect,
        )

    def refusal(
        self,
        name: str,
        arguments: dict[str, Any],
        code: str,
        setup: Iterable[ToolCall] = (),
        changes: Changes | None = None,
    ) -> ToolTest:
        """Return a test of a refusal; what setup changed is all that may have changed."""
        return self.test(name, "refuses", arguments, Expectation(error_code=code, changes=changes or {}), setup)


def draw_filters(subject: Subject, parameters: Sequence[str], base: Sequence[Condition] = ()) -> dict[str, Any] | None:
    """Return values for the filter `parameters`, all from one record; None when no record has them all.

    A record's own values lie on the bounds, so an exclusive bound loses that record. Of several
    records the one is taken for which leaving a filter out shows most often in the total. Records
    whose value would make a bound idle come only where there are no others.
    """
    rules = [subject.filters[p] for p in parameters]
    records = subject.oracle.matching(subject.table.name, base).filter(
        *[pl.col(r["column"]).is_not_null() for r in rules]
    )
    active = records.filter(*[_within(subject.frame[r["column"]], r["comparator"]) for r in rules])
    records = active if active.height else records
    best: tuple[int, dict[str, Any]] | None = None
    for _ in range(DRAWS if records.height else 0):
        record = records.row(subject.rng.randrange(records.height), named=True)
        values = {p: _argument(subject.filters[p], record, subject.rng) for p in parameters}
        if any(value is None for value in values.values()):
            continue
        shown = len(parameters) - len(hidden_filters(subject, values, base))
        if best is None or shown > best[0]:
            best = (shown, values)
        if shown == len(parameters):
            break
    return best[1] if best else None


def hidden_filters(subject: Subject, values: dict[str, Any], base: Sequence[Condition] = ()) -> list[str]:
    """Return the filters in `values` that could be left out without changing how many rows match."""
    total = subject.oracle.matching(subject.table.name, [*base, *subject.conditions(values)]).height
    hidden = []
    for name in values:
        rest = {other: value for other, value in values.items() if other != name}
        if subject.oracle.matching(subject.table.name, [*base, *subject.conditions(rest)]).height == total:
            hidden.append(name)
    return hidden


def filter_sets(subject: Subject, base: Sequence[Condition] = ()) -> list[dict[str, Any]]:
    """Return filter values, two filters at once, that together use every filter where it shows.

    Filters far apart in the intent's order are paired, so that both bounds of one column do not
    meet; a filter that its pair hides comes again alone.
    """
    names = list(subject.filters)
    half = (len(names) + 1) // 2
    pairs = [[name, *names[half + i : half + i + 1]] for i, name in enumerate(names[:half])]
    sets = []
    for pair in pairs:
        values = draw_filters(subject, pair, base)
        alone = pair if values is None else hidden_filters(subject, values, base)
        if values is not None:
            sets.append(values)
        singles = [draw_filters(subject, [name], base) for name in alone] if len(pair) > 1 else []
        sets += [single for single in singles if single is not None]
    return sets


def empty_filter(subject: Subject) -> dict[str, Any] | None:
    """Return one filter that no row meets: a bound beyond the data; None when the tool has no range."""
    for name, rule in subject.filters.items():
        column = subject.frame[rule["column"]]
        bound = {"min": column.max, "max": column.min}.get(rule["comparator"], lambda: None)()
        if bound is not None and column.dtype.is_numeric() and abs(bound) < LARGEST_KEY:
            beyond = max(1, abs(bound) // 1_000_000) if column.dtype.is_float() else 1  # a float must move at all
            return {name: bound + beyond if rule["comparator"] == "min" else bound - beyond}
    return None


def unknown_key(oracle: Oracle, table: TableProfile) -> Any:
    """Return a key that no row of `table` has, of the key's type and form."""
    keys = oracle.frames[table.name][table.key]
    if keys.dtype.is_numeric() and keys.is_empty():
        return 1000
    if keys.dtype.is_numeric():
        largest, smallest = int(keys.max()), int(keys.min())  # type: ignore[arg-type]
        return largest + 1000 if largest < LARGEST_KEY else smallest - 1000
    known = set(keys.to_list())
    return next(key for key in UNKNOWN_KEYS.get(table.column(table.key).type, UNKNOWN_TEXTS) if key not in known)


def page_result(page: Page, columns: Iterable[str]) -> dict[str, Any]:
    """Return what a page must show: size, next offset, and `columns` of every item in order."""
    result: dict[str, Any] = {"total": page.total, "next_offset": page.next_offset}
    return result | {f"items.*.{column}": [row[column] for row in page.rows] for column in columns}


def _within(column: pl.Series, comparator: str) -> pl.Expr:
    """Return the condition that a value, taken as a bound, leaves some row of `column` out."""
    if comparator == "min":
        return pl.col(column.name) > column.min()
    return pl.col(column.name) < column.max() if comparator == "max" else pl.lit(True)


def _argument(rule: dict[str, Any], record: dict[str, Any], rng: Random) -> Any:
    """Return a value for one filter that `record` meets; None when it offers none."""
    value = record[rule["column"]]
    if rule["comparator"] != "contains":
        return value
    words = _WORD.findall(str(value)) or _ANY_WORD.findall(str(value))
    # A later word also shows a match that looks at the start alone.
    return rng.choice(words[1:] or words).swapcase() if words else None
