"""Related files: tables of other folders whose values join a theme's own, found through the index.

A query is made from what the theme is about, and one from the values of each of its telling columns. A file that
is found is taken only if a column of the theme draws its values from a unique column of it (links.py). The side
that is referred to gets the joined column as its key, so that mining finds the reference. Whatever was
considered is told.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from schemas.library import TrailOutcome
from schemas.themes import TableRecipe
from tasks.mining.columns.naming import name_tables, unique_name
from tasks.mining.library.columns import certain_names
from tasks.mining.library.composition import MOST_TABLES, Taken, counted
from tasks.mining.library.digests import FileDigest, TableDigest
from tasks.mining.library.index import Hit, Index
from tasks.mining.library.links import Link, joinable, link_by_values
from tasks.mining.library.names import member_stem, table_stem
from tasks.mining.library.parts import stem_of

MOST_TAKEN = 3
"""Related tables a theme: more would make it another theme."""
_HITS = 6
_COLUMNS = 4
_SHOWN_VALUES = 8
_SAYS_NOTHING = set("the and for data from with this that are was per not records responses".split())


@dataclass(frozen=True)
class Match:
    """The strongest link from one of the theme's tables to a table of another folder's file."""

    link: Link
    own: Taken
    stem: str
    table: TableDigest


@dataclass(frozen=True)
class Considered:
    """One file of another folder: the query that found it first, its best match, and what became of it."""

    file: str
    query: str
    score: float
    outcome: TrailOutcome
    why: str
    match: Match | None = None
    table: str | None = None
    """Name of the table that was taken from it."""


@dataclass(frozen=True)
class Related:
    """The theme's own tables, some with a key now, those taken from other folders, and all files considered."""

    own: tuple[Taken, ...]
    taken: tuple[Taken, ...]
    considered: tuple[Considered, ...]


def find_related(
    title: str, own: Sequence[Taken], own_files: Collection[str], stacked: Mapping[str, int], index: Index
) -> Related:
    """Return the related tables, at most `MOST_TAKEN`, and every file that a query found, in that order.

    `stacked` says of files that are parts of a table how many those are: a part alone is no table.
    """
    considered = [
        _consider(query, hit, own, index.digests[hit.path], stacked.get(hit.path, 0))
        for query, hit in _hits(title, own, own_files, index)
    ]
    matched = [(one, one.match) for one in considered if one.match is not None and one.match.link.counts]
    matched.sort(key=lambda pair: (-pair[1].link.coverage, -pair[1].link.matched, -pair[0].score, pair[0].file))
    recipes = {table.recipe.name: table.recipe for table in own}
    taken: list[Taken] = []
    decided: dict[str, Considered] = {}
    room = min(MOST_TAKEN, MOST_TABLES - len(own))
    for one, match in matched:
        same = next((t.recipe.name for t in taken if t.digest.header == match.table.header), None)
        if same or len(taken) == room:
            reason = f"the columns of {same} again" if same else f"no room beside {counted(len(own) + room, 'table')}"
            decided[one.file] = replace(one, why=f"{one.why}; {reason}")
            continue
        joined = _join(recipes, match, one.file, {table.recipe.name for table in taken})
        if isinstance(joined, str):
            decided[one.file] = replace(one, why=f"{one.why}; {joined}")
            continue
        recipes[match.own.recipe.name], recipe = joined
        taken.append(Taken(recipe, match.table, match.table.rows))
        decided[one.file] = replace(one, outcome="taken", table=recipe.name)
    return Related(
        own=tuple(replace(table, recipe=recipes[table.recipe.name]) for table in own),
        taken=tuple(taken),
        considered=tuple(decided.get(one.file, one) for one in considered),
    )


def queries(title: str, own: Sequence[Taken]) -> list[str]:
    """Return the theme's queries: its title and tables' names, then each telling column with some of its values."""
    words = " ".join([title, *(taken.recipe.name.replace("_", " ") for taken in own)]).lower().split()
    about = [word for word in dict.fromkeys(words) if len(word) > 2 and word not in _SAYS_NOTHING]
    columns = [column for taken in own for column in joinable(taken.digest)]
    columns.sort(key=lambda column: (-min(column.distinct, 200), column.header))
    values: dict[tuple[str, ...], str] = {}
    for column in columns:
        shown = [
            f'"{value}"'.replace('""', '"') for value in (s.replace('"', " ") for s in column.samples[:_SHOWN_VALUES])
        ]
        values.setdefault(column.samples[:_SHOWN_VALUES], f"{column.header.replace(chr(34), ' ')} {' '.join(shown)}")
    return [" ".join(about[:12]), *list(values.values())[:_COLUMNS]]


def _hits(title: str, own: Sequence[Taken], own_files: Collection[str], index: Index) -> list[tuple[str, Hit]]:
    """Return each file of other folders once, with the first query that found it."""
    found: dict[str, tuple[str, Hit]] = {}
    for query in queries(title, own):
        others = [hit for hit in index.search(query, _HITS + len(own_files)) if hit.path not in own_files]
        for hit in others[:_HITS]:
            found.setdefault(hit.path, (query, hit))
    return list(found.values())


def _consider(query: str, hit: Hit, own: Sequence[Taken], digest: FileDigest, parts: int) -> Considered:
    def left(why: str, match: Match | None = None) -> Considered:
        return Considered(hit.path, query, hit.score, "left", why, match)

    if digest.message is not None:
        return Considered(hit.path, query, hit.score, "unreadable", digest.message)
    if parts:
        return left(f"one of {parts} files that are one table together: no table by itself")
    headers = {taken.digest.header: taken.recipe.name for taken in own}
    if editions := [headers[table.header] for table in digest.tables if table.header in headers]:
        return left(f"a copy or another edition of {editions[0]}: the same columns")
    matches = [
        Match(
            link=link,
            own=taken,
            stem=member_stem(stem_of(hit.path), table.member, len(digest.tables)),
            table=table,
        )
        for table in digest.tables
        for taken in own
        if (link := link_by_values(taken.digest, table)) is not None
    ]
    if not matches:
        return left("no unique text column of it shares a value with the theme's tables")
    best = max(matches, key=lambda match: (match.link.counts, match.link.coverage, match.link.matched))
    link = best.link
    why = (
        f"{link.matched} of {counted(link.compared, 'value')} of {best.own.recipe.name}'s {link.column!r} "
        f"({link.coverage:.0%}) are in its unique column {link.key!r}"
    )
    if link.identifies:
        why += f"; {link.backward:.0%} of those in that column refer back"
    return left(why if link.counts else f"{why}: too few", best)


def _join(
    recipes: Mapping[str, TableRecipe], match: Match, file: str, taken: set[str]
) -> tuple[TableRecipe, TableRecipe] | str:
    """Return the own table's recipe and the related one's, one of them with the joined column as key; else why not."""
    own, link = recipes[match.own.recipe.name], match.link
    folder = file.rpartition("/")[0].rpartition("/")[2]
    stem = table_stem(match.stem, folder, match.table.header)
    name = unique_name(name_tables([stem])[stem], {*recipes, *taken})
    related = TableRecipe(name=name, file=file, member=match.table.member, normalise=True)
    if not link.identifies:
        key = certain_names(match.table, name).get(link.key)
        return (own, related.model_copy(update={"key": key})) if key else f"{link.key!r} cannot be its key"
    key = certain_names(match.own.digest, own.name).get(link.column)
    if key is None or own.key not in (None, key):
        return f"{own.name} has the key {own.key}" if key else f"{link.column!r} cannot be the key of {own.name}"
    return own.model_copy(update={"key": key}), related
