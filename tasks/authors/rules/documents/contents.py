"""What documents say: settings, rates, registers, notices, reports and saved queries, from a world's own rows.

Each builder draws one document's content from a world, with the facts that nothing but the document holds: limits at
quantiles of a measure, rates by category, targets, dates. Copied figures are partly out of date on purpose: finding
and repairing that is work. A builder returns None where the world has nothing to say of that kind.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import polars as pl

from schemas.documents import Document, DocumentFormat, Fact
from schemas.profiles import ColumnProfile, TableProfile
from tasks.authors.base import WorldDraft
from tasks.authors.rules.documents.writers import (
    Section,
    Statement,
    Table,
    can_be_named,
    can_be_written,
    write_rows,
    write_sections,
    write_statements,
    write_value,
)
from tasks.authors.rules.drafts.words import join_words
from tasks.authors.rules.overlays.vocabulary import person_names
from tasks.authors.rules.tools.choice import view_table
from tasks.authors.rules.tools.names import snake, sql_name

FEWEST_ROWS, FEWEST_NAMED, FEWEST_COUNTED, MOST_CATEGORIES = 20, 8, 5, 12
OUTDATED_SHARE = 0.4
MOST_TRIED = 80
NUMERIC = ("integer", "number", "money")
Rate = tuple[str, str, float, float, int]
ANYTHING: tuple[Rate, ...] = (
    ("review interval", "days", 10.0, 120.0, 0),
    ("retention period", "months", 12.0, 120.0, 0),
)
"""What a rate is called, its unit, its range and its decimals: here what holds for records of any kind."""
RATES: tuple[tuple[str, tuple[Rate, ...]], ...] = (
    (r"priority|severity|urgency", (("answering time", "hours", 2.0, 72.0, 0),)),
    (r"shipping|delivery|payment|channel|method|plan", (("handling fee", "euros", 4.0, 60.0, 2),)),
    (r"type|kind|model|engine|manufacturer|make", (("inspection interval", "days", 10.0, 120.0, 0),)),
    (r"genre|category|format|media|field|department", (("handling fee", "euros", 4.0, 60.0, 2), *ANYTHING)),
    (r"country|region|city|state|zone|district", (("travel allowance", "euros", 10.0, 90.0, 0),)),
)
"""Rates that suit a category, by what its words contain; the first that fits."""
NO_FIGURES = re.compile(r"\b(?:latitude|longitude|year|height|age)\b")
"""What nobody sets a limit or a target for."""
REASONS = ("records under review", "inspection due", "change of responsibility", "stocktaking", "figures in question")
Write = Callable[[DocumentFormat], tuple[str, tuple[Fact, ...]]]


@dataclass(frozen=True)
class Content:
    """A document before its format is chosen: `write` returns text and facts in one of `formats`."""

    folder: str
    title: str
    about: str
    tables: tuple[str, ...]
    editable: bool
    write: Write

    def document(self, form: DocumentFormat) -> Document:
        """Return the document in one format."""
        text, facts = self.write(form)
        return Document(
            path=f"{self.folder}/{snake(self.title)}.{form}",
            format=form,
            title=self.title,
            about=self.about,
            origin="written",
            tables=self.tables,
            facts=facts,
            editable=self.editable,
            text=text,
        )


Build = Callable[[WorldDraft, random.Random, list[TableProfile]], Content | None]


def figures(table: TableProfile) -> list[ColumnProfile]:
    """Return the measures that every row of a table has, with values enough to rank by."""
    found = [c for c in table.columns if c.role == "measure" and c.type in NUMERIC and not c.nullable]
    found = [c for c in found if c.distinct >= 5 and can_be_named(c.words) and not NO_FIGURES.search(c.words.lower())]
    return _unseen_first(table, found)


def _unseen_first(table: TableProfile, columns: list[ColumnProfile]) -> list[ColumnProfile]:
    """Return columns that short records show last: what has to be looked up makes the better task."""
    brief = view_table(table).brief
    return sorted(columns, key=lambda column: column.name in brief)


def build_settings(world: WorldDraft, rng: random.Random, tables: list[TableProfile]) -> Content | None:
    """Limits and targets of measures, and what the last review found: a nested value."""
    able = [table for table in tables if figures(table) and table.rows >= FEWEST_ROWS][:3]
    if not able:
        return None
    thresholds: dict[str, Any] = {}
    facts = []
    for table in able:
        for column in figures(table)[:2]:
            low, high = rng.choice((0.3, 0.4, 0.5)), rng.choice((0.6, 0.7, 0.8))
            pair = {"target": _quantile(world, table, column, low), "limit": _quantile(world, table, column, high)}
            thresholds.setdefault(snake(table.plural), {})[snake(column.words)] = pair
            for kind, value in pair.items():
                place = f"thresholds.{snake(table.plural)}.{snake(column.words)}.{kind}"
                words = f"{kind} for the {column.words} of {table.plural}"
                facts.append(
                    Fact(place=place, words=words, value=value, unit=column.unit, column=(table.name, column.name))
                )
    flagged = rng.randint(11, 60)
    facts.append(Fact(place="last_review.flagged", words="number flagged at the last review", value=flagged))
    day = _day(world, -rng.randint(5, 60))
    value = {
        "valid_from": _day(world, -rng.randint(61, 300)),
        "approved_by": person_names(rng, 1)[0],
        "thresholds": thresholds,
        "last_review": {"date": day, "flagged": flagged},
    }
    subjects = join_words([table.plural for table in able])
    return Content(
        "settings",
        f"Review settings for {subjects}",
        f"Targets and limits for {subjects}, and what the last review found.",
        tuple(table.name for table in able),
        True,
        lambda form: (write_value(form, value), tuple(facts)),
    )


def build_rates(world: WorldDraft, rng: random.Random, tables: list[TableProfile]) -> Content | None:
    """A rate for each value of a category: a fee, a discount, a service level."""
    able = [(table, column) for table in tables for column in _categories(world, table)]
    able = [pair for pair in able if _needs_look(*pair)] or able
    if not able:
        return None
    table, column = rng.choice(able[:4])
    name, unit, low, high, digits = rng.choice(_rates_for(column))
    values = _values(world, table, column)
    rates = [_rounded(rng.uniform(low, high), digits) for _ in values]
    head, value_head = _capital(column.words), f"{_capital(name)} in {unit}"
    title = f"{_capital(name)} for {table.plural} by {column.words}"

    def write(form: DocumentFormat) -> tuple[str, tuple[Fact, ...]]:
        records = [{snake(column.words): v, snake(name): r} for v, r in zip(values, rates, strict=True)]
        heading = f"{_capital(name)}s in force"
        grid = Table((head, value_head), tuple(zip(values, rates, strict=True)))
        place = {"yaml": f"rates.{{}}.{snake(name)}", "json": f"rates.{{}}.{snake(name)}", "csv": f"{{}}/{value_head}"}
        mold = place.get(form, f"{heading}/{{}}/{value_head}")
        keys = range(len(values)) if form in ("yaml", "json") else values
        facts = tuple(
            Fact(
                place=mold.format(k),
                words=name,
                value=r,
                unit=unit,
                subject=(table.name, v),
                column=(table.name, column.name),
            )
            for k, v, r in zip(keys, values, rates, strict=True)
        )
        if form == "csv":
            return write_rows(grid), facts
        if form in ("json", "yaml"):
            return write_value(form, {"unit": unit, "rates": records}), facts
        intro = f"The {name} of a {table.singular} follows from its {column.words}. It is stated in {unit}."
        return write_sections(form, title, [Section("", (intro,)), Section(heading, (), grid)]), facts

    about = f"The {name} that applies to {table.plural}, by their {column.words}."
    return Content("price_lists", title, about, (table.name,), True, write)


def build_register(world: WorldDraft, rng: random.Random, tables: list[TableProfile]) -> Content | None:
    """Named rows with a figure as last recorded, here and there out of date, and a date that stands here alone."""
    able = [t for t in tables if figures(t) and len(_names(world, t)) >= FEWEST_NAMED]
    if not able:
        return None
    table = rng.choice(able[:3])
    column = rng.choice(figures(table))
    names = _pick(world, rng, table, rng.randint(FEWEST_NAMED, FEWEST_NAMED + 1))
    if len(names) < FEWEST_NAMED:
        return None
    current = _by_label(world, table, column)
    if not all(can_be_written(current[name]) for name in names):
        return None
    recorded = _as_recorded(rng, [current[name] for name in names], column)
    checks = [_day(world, rng.randint(5, 200)) for _ in names]
    unit = f" in {column.unit}" if column.unit and column.unit not in column.words else ""
    heads = _capital(table.column(str(table.label)).words), f"{_capital(column.words)}{unit}", "Next check"
    if len(set(heads)) < 3:
        return None
    title = f"Register of selected {table.plural}"
    grid = Table(heads, tuple(zip(names, recorded, checks, strict=True)))
    shown = [(heads[1], column.words, recorded), (heads[2], "date of the next check", checks)]
    facts = (names, shown, column.unit, (table.name, str(table.label)))
    intro = f"Selected {table.plural}, with their {column.words} as last recorded and the day of the next check."
    write = _grid_writer(title, intro, "Entries", grid, facts)
    return Content("registers", title, intro, (table.name,), True, write)


def build_report(world: WorldDraft, rng: random.Random, tables: list[TableProfile]) -> Content | None:
    """How many rows each category had when the report was made; some have changed since."""
    able = [(t, c) for t in tables for c in _categories(world, t) if c.distinct >= FEWEST_COUNTED]
    if not able:
        return None
    table, column = rng.choice(able[:4])
    values = _values(world, table, column)
    counts = dict(world.frames[table.name][column.name].value_counts(sort=False).iter_rows())
    column_of_counts = column.model_copy(update={"type": "integer", "words": f"number of {table.plural}"})
    recorded = _as_recorded(rng, [counts.get(value, 0) for value in values], column_of_counts)
    heads = _capital(column.words), _capital(column_of_counts.words)
    if len(set(heads)) < 2:
        return None
    title = f"Report on {table.plural} by {column.words}"
    day = _day(world, -rng.randint(20, 120))
    intro = f"Number of {table.plural} for each {column.words}, as counted on {day}."
    grid = Table(heads, tuple(zip(values, recorded, strict=True)))
    facts = (values, [(heads[1], column_of_counts.words, recorded)], None, (table.name, column.name))
    write = _grid_writer(title, intro, "Counts", grid, facts)
    return Content("reports", title, intro, (table.name,), True, write)


def build_notice(world: WorldDraft, rng: random.Random, tables: list[TableProfile]) -> Content | None:
    """Named rows that something is announced for, with its dates."""
    able = [table for table in tables if len(_names(world, table)) >= FEWEST_NAMED]
    if not able:
        return None
    table = rng.choice(able[:3])
    names = _pick(world, rng, table, FEWEST_NAMED)
    if len(names) < FEWEST_NAMED:
        return None
    reasons = [rng.choice(REASONS) for _ in names]
    starts = [rng.randint(-20, 10) for _ in names]
    ends = [start + rng.randint(12, 60) for start in starts]
    since, until = [_day(world, start) for start in starts], [_day(world, end) for end in ends]
    head = _capital(table.column(str(table.label)).words)
    if head in ("Reason", "From", "Until"):
        return None
    title = f"Notice on {table.plural} with open questions"
    intro = f"The following {table.plural} need attention for the reason given, until the date stated."
    grid = Table((head, "Reason", "From", "Until"), tuple(zip(names, reasons, since, until, strict=True)))
    shown = [("Reason", "reason of the notice", reasons), ("Until", "end of the notice", until)]
    write = _grid_writer(title, intro, "Affected", grid, (names, shown, None, (table.name, str(table.label))))
    return Content("notices", title, intro, (table.name,), True, write)


def build_queries(world: WorldDraft, rng: random.Random, tables: list[TableProfile]) -> Content | None:
    """Saved queries, each with a limit of its own on a measure."""
    able = [(t, c) for t in tables for c in figures(t)[:2] if t.rows >= FEWEST_ROWS]
    if not able:
        return None
    statements, facts = [], []
    for table, column in rng.sample(able[:8], min(3, len(able[:8]))):
        limit = _quantile(world, table, column, rng.choice((0.6, 0.7, 0.8)))
        name = f"{table.plural} above the {column.words} limit"
        shown = dict.fromkeys([table.key, *([table.label] if table.label else []), column.name])
        names = ", ".join(map(sql_name, shown))
        sql = f"SELECT {names}\nFROM {sql_name(table.name)}\nWHERE {sql_name(column.name)} > {limit}\n"
        sql += f"ORDER BY {sql_name(column.name)} DESC, {sql_name(table.key)}\nLIMIT {rng.randint(6, 9)}"
        statements.append(Statement(name, f"For the weekly look at {table.plural}.", sql))
        words = f"{column.words} limit of the saved query"
        facts.append(Fact(place=name, words=words, value=limit, unit=column.unit, column=(table.name, column.name)))
    tables_used = tuple(dict.fromkeys(fact.column[0] for fact in facts if fact.column))
    title = f"Saved queries on {join_words([world.profile.table(name).plural for name in tables_used])}"
    about = "Queries that are run every week, each with its limit."
    text = write_statements(about, statements)
    return Content("queries", title, about, tables_used, False, lambda form: (text, tuple(facts)))


BUILDERS: dict[DocumentFormat, tuple[Build, ...]] = {
    "json": (build_settings, build_rates),
    "yaml": (build_settings, build_rates),
    "csv": (build_register, build_rates, build_report),
    "html": (build_notice, build_rates, build_register),
    "tex": (build_report, build_register, build_rates),
    "md": (build_rates, build_notice, build_report),
    "sql": (build_queries,),
}
"""What suits a format, tried in an order that is drawn."""


def _grid_writer(title: str, intro: str, heading: str, grid: Table, told: Any) -> Write:
    """Return a writer of one table as csv or as a section; `told`: names, (head, words, values) a column, unit, column."""
    names, shown, unit, column = told

    def write(form: DocumentFormat) -> tuple[str, tuple[Fact, ...]]:
        way = "" if form == "csv" else f"{heading}/"
        facts = tuple(
            Fact(
                place=f"{way}{name}/{head}",
                words=words,
                value=value,
                unit=unit,
                subject=(column[0], name),
                column=column,
            )
            for head, words, values in shown
            for name, value in zip(names, values, strict=True)
        )
        if form == "csv":
            return write_rows(grid), facts
        return write_sections(form, title, [Section("", (intro,)), Section(heading, (), grid)]), facts

    return write


def _categories(world: WorldDraft, table: TableProfile) -> list[ColumnProfile]:
    """Return the text categories of a table whose values can stand in any document."""
    found = [
        c for c in table.columns if c.role == "category" and c.type == "text" and 2 <= c.distinct <= MOST_CATEGORIES
    ]
    found = [c for c in found if table.rows >= FEWEST_ROWS and can_be_named(c.words)]
    return _unseen_first(table, [c for c in found if all(can_be_named(value) for value in _values(world, table, c))])


def _rates_for(column: ColumnProfile) -> tuple[Rate, ...]:
    """Return the rates that make sense by a category."""
    return next((rates for pattern, rates in RATES if re.search(pattern, column.words.lower())), ANYTHING)


def _needs_look(table: TableProfile, column: ColumnProfile) -> bool:
    """Say whether a row must be looked up for a category or a measure that short records do not show."""
    brief = view_table(table).brief
    hidden = [c for c in table.columns if c.role == "measure" and not c.nullable and c.name not in brief]
    return column.name not in brief or bool(hidden)


def _values(world: WorldDraft, table: TableProfile, column: ColumnProfile) -> list[str]:
    return sorted(world.frames[table.name][column.name].drop_nulls().unique().to_list())


def _names(world: WorldDraft, table: TableProfile) -> list[str]:
    """Return the labels of a table that name one row each and can stand in any document."""
    if not table.label:
        return []
    frame = world.frames[table.name].filter(pl.col(table.label).is_not_null())
    labels = frame.group_by(table.label).len().filter(pl.col("len") == 1)[table.label].to_list()
    return sorted(label for label in labels if can_be_named(label))


def _pick(world: WorldDraft, rng: random.Random, table: TableProfile, count: int) -> list[str]:
    """Return up to `count` labels, sorted, none of which is part of another row's label: a search finds one row each."""
    texts = world.frames[table.name][str(table.label)].drop_nulls().str.to_lowercase()
    names = _names(world, table)
    rng.shuffle(names)
    found: list[str] = []
    for name in names[:MOST_TRIED]:
        if len(found) < count and texts.str.contains(name.lower(), literal=True).sum() == 1:
            found.append(name)
    return sorted(found)


def _by_label(world: WorldDraft, table: TableProfile, column: ColumnProfile) -> dict[str, Any]:
    return dict(world.frames[table.name].select(str(table.label), column.name).iter_rows())


def _digits(column: ColumnProfile) -> int:
    return 0 if column.type == "integer" else 2


def _rounded(value: float, digits: int) -> int | float:
    return round(value, digits) if digits else round(value)


def _quantile(world: WorldDraft, table: TableProfile, column: ColumnProfile, share: float) -> int | float:
    value = world.frames[table.name][column.name].quantile(share, interpolation="lower")
    return _rounded(value or 0, _digits(column))


def _as_recorded(rng: random.Random, values: list[Any], column: ColumnProfile) -> list[int | float]:
    """Return figures as they might have been recorded: at least one is out of date, and at least one is not."""
    drifted = rng.sample(range(len(values)), rng.randint(1, max(1, round(OUTDATED_SHARE * len(values)))))
    return [_drifted(rng, v, column) if place in drifted else v for place, v in enumerate(values)]


def _drifted(rng: random.Random, value: int | float, column: ColumnProfile) -> int | float:
    """Return another figure near `value`, of the same sign."""
    step = max(1 if column.type == "integer" else 0.01, abs(value) * rng.uniform(0.04, 0.2))
    return _rounded(value + (step if rng.random() < 0.5 or abs(value) < step else -step), _digits(column))


def _day(world: WorldDraft, days: int) -> str:
    return (date.fromisoformat(world.clock_start[:10]) + timedelta(days=days)).isoformat()


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
