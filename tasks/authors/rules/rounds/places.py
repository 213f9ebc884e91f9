"""Places: which columns of a world name countries, and which tables are about places already."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import polars as pl

from schemas.profiles import TableProfile
from schemas.rounds import Guideline
from tasks.authors.base import WorldDraft
from tasks.authors.rules.rounds.additions import (
    NewTable,
    Said,
    describe_table,
    free_names,
    mentioned_columns,
    mined_tables,
)
from tasks.authors.rules.rounds.gazetteer import country_codes

COVERAGE = 0.6
"""Least share of a column's values that are known."""
FEWEST_NAMED, FEWEST_UNNAMED = 3, 5
SURE = 0.8
"""Share where nothing but the values says what a column holds."""
FEWEST_COUNTRIES = 5
"""Countries of a world from which on it is about them."""
MOST_WIDENED = 8000
"""Rows of a table that gets one more column."""
_COUNTRY_WORDS = {"country", "countries", "nation", "nationality"}


@dataclass(frozen=True)
class Named:
    """A column whose values are known: `codes` are the packages' codes by value."""

    table: NewTable
    column: str
    form: str
    codes: Mapping[str, str]
    complete: bool

    @property
    def identifies(self) -> bool:
        """Whether the table is about these things: no two rows are about the same one."""
        profile = self.table.profile
        if profile.kind == "operational":
            return False  # its rows come and go
        code = self.table.frame[self.column].replace_strict(dict(self.codes), default=None)
        known = code.drop_nulls()
        return self.column in (profile.key, profile.label) and known.n_unique() == len(known)


def known_share(values: pl.Series, known: Collection[str]) -> float:
    """Return the share of the distinct values that are known."""
    distinct = values.drop_nulls().unique()
    return float(distinct.is_in(list(known)).mean() or 0) if len(distinct) else 0.0


def country_columns(world: WorldDraft, guideline: Guideline) -> list[Named]:
    """Return the columns that name countries, those that identify a table's rows first, then keys, then complete ones."""
    found = []
    written = mentioned_columns(world)
    for table in mined_tables(world, guideline, writable=True):
        referring = {foreign.column for foreign in table.profile.foreign_keys} - {table.profile.key}
        referring |= written if table.profile.kind == "operational" else set()
        for column in table.profile.columns:
            if column.type == "text" and column.name not in referring:
                named = _countries(table, column.name)
                found += [named] if named else []
    return sorted(
        found,
        key=lambda n: (not n.identifies, n.column != n.table.profile.key, not n.complete, -n.table.profile.rows),
    )


def _countries(table: NewTable, column: str) -> Named | None:
    """Return what the column calls countries, in the form that most of its values have."""
    values = table.frame[column].drop_nulls().unique().sort()
    words = set(column.split("_")) | ({table.profile.singular} if column == table.profile.key else set())
    says_so = bool(_COUNTRY_WORDS & words)
    best: Named | None = None
    for form in ("name", "iso", "iso3") if says_so else ("name",):
        known = country_codes(form)
        codes = {value: code for value in values if (code := known.get(value.lower() if form == "name" else value))}
        enough = len(codes) >= (FEWEST_NAMED if says_so else FEWEST_UNNAMED)
        if (
            enough
            and len(codes) >= (COVERAGE if says_so else SURE) * len(values)
            and len(codes) > len(best.codes if best else ())
        ):
            best = Named(table, column, form, codes, len(codes) == len(values))
    return best


def country_host(world: WorldDraft, guideline: Guideline) -> Named | None:
    """Return the table that is about countries, with the column that names them; None where there is none."""
    return next((named for named in country_columns(world, guideline) if named.identifies), None)


def table_keyed_by(world: WorldDraft, values: Collection[str]) -> TableProfile | None:
    """Return the first table that has all of these among its keys."""
    wanted = set(values)
    for table in world.profile.tables:
        if table.kind != "operational" and table.column(table.key).type == "text":
            if wanted and wanted <= set(world.frames[table.name][table.key]):
                return table
    return None


def tells(table: NewTable, *words: str) -> bool:
    """Return whether a column's name says one of these words."""
    return any(set(words) & set(column.name.split("_")) for column in table.profile.columns)


def zone_table(
    world: WorldDraft, zones: Collection[str], said: Said
) -> tuple[TableProfile, tuple[NewTable, ...]] | None:
    """Return the table whose keys the time zones are, and what must be added for it; None where its noun is taken."""
    there = table_keyed_by(world, zones)
    if there is not None:
        return there, ()
    names = free_names(world.profile.tables, [("time zone", "time zones")])
    parted = [zone for zone in sorted(set(zones)) if "/" in zone]
    if names is None or len(parted) < len(set(zones)):
        return None
    frame = pl.DataFrame({"time_zone": parted, "zone_area": [zone.split("/")[0] for zone in parted]})
    said_area = Said("time zone area", origin=said.origin, borrowed_from=said.borrowed_from)
    table = describe_table(names, frame, {"time_zone": said, "zone_area": said_area}, kind="reference")
    return table.profile, (table,)
