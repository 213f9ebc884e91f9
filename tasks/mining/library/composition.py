"""Composition: the tables that a collection's own files give, as recipes, and what became of each file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from schemas.library import TrailOutcome
from schemas.themes import TableRecipe
from tasks.mining.columns.naming import name_tables, unique_name
from tasks.mining.library.columns import words_for
from tasks.mining.library.digests import FileDigest, TableDigest
from tasks.mining.library.holdings import Collection
from tasks.mining.library.links import link_by_names
from tasks.mining.library.names import member_stem, table_stem
from tasks.mining.library.parts import Group, group_parts
from tasks.mining.tables import FEWEST_ROWS

MOST_TABLES = 24
FEWEST_COLUMNS = 2
RefusalReason = Literal["no_data", "unreadable", "no_rows", "too_few_rows", "too_few_columns"]


@dataclass(frozen=True)
class Candidate:
    """A table that a file, or files stacked, can give."""

    stem: str
    group: Group
    digest: TableDigest
    rows: int


@dataclass(frozen=True)
class Taken:
    """A table of a theme: its recipe and what is known of its values."""

    recipe: TableRecipe
    digest: TableDigest
    rows: int


@dataclass(frozen=True)
class FileOutcome:
    """What became of one file of the collection."""

    file: str
    outcome: TrailOutcome
    tables: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Composed:
    """A collection's tables by name, what became of its files, and why it gives no theme (None: it does)."""

    tables: tuple[Taken, ...]
    files: tuple[FileOutcome, ...]
    refusal: tuple[RefusalReason, str] | None


def compose(
    collection: Collection, digests: Mapping[str, FileDigest], folder_name: str, meanings: Mapping[str, str]
) -> Composed:
    """Return the recipes of a collection's tables, at most `MOST_TABLES`, sorted by name, and every file's outcome.

    `meanings` are a README's words for headers.
    """
    own = {file: digests[file] for file in collection.files}
    candidates = [c for group in group_parts(own, folder_name) for c in _candidates(group, own, folder_name)]
    usable = [c for c in candidates if c.rows and len(c.digest.columns) >= FEWEST_COLUMNS]
    refusal = _refusal(collection, own, candidates, usable)
    kept = [] if refusal else usable if len(usable) <= MOST_TABLES else _best_linked(usable)
    names = name_tables(dict.fromkeys(candidate.stem for candidate in kept))
    tables: list[Taken] = []
    for candidate in kept:
        taken = {table.recipe.name for table in tables}
        name = names[candidate.stem]
        # Two members of one stem: the second must not take the name that another stem has.
        name = unique_name(name, taken | (set(names.values()) - {name}))
        tables.append(Taken(_recipe(name, candidate, meanings), candidate.digest, candidate.rows))
    tables.sort(key=lambda taken: taken.recipe.name)
    files = tuple(_outcome(file, own[file], tables, refusal is not None) for file in sorted(own))
    return Composed(tuple(tables), files, refusal)


def _candidates(group: Group, own: Mapping[str, FileDigest], folder_name: str) -> list[Candidate]:
    # Of parts, the widest tells the columns.
    tables = max((own[file].tables for file in group.files), key=lambda tables: len(tables[0].columns))
    found = []
    for table in tables:
        stem = group.stem if group.column else member_stem(group.stem, table.member, len(tables))
        rows = sum(own[file].tables[0].rows for file in group.files) if group.column else table.rows
        if group.column:
            # What is unique in one part may repeat in the next.
            columns = tuple(column.model_copy(update={"unique": False}) for column in table.columns)
            table = table.model_copy(update={"columns": columns})
        found.append(Candidate(table_stem(stem, folder_name, table.header), group, table, rows))
    return found


def _best_linked(candidates: list[Candidate]) -> list[Candidate]:
    """Return the `MOST_TABLES` with most links to others, the largest of those with equally many."""
    links = dict.fromkeys(range(len(candidates)), 0)
    for i, child in enumerate(candidates):
        for j, parent in enumerate(candidates):
            if i != j and link_by_names(child.digest, parent.digest, parent.stem.replace(" ", "_")):
                links[i] += 1
                links[j] += 1
    order = sorted(links, key=lambda i: (-links[i], -candidates[i].rows, candidates[i].group.files, i))
    return [candidates[i] for i in sorted(order[:MOST_TABLES])]


def _recipe(name: str, candidate: Candidate, meanings: Mapping[str, str]) -> TableRecipe:
    group = candidate.group
    return TableRecipe(
        name=name,
        file=group.files[0],
        member=candidate.digest.member,
        parts=dict(zip(group.files, group.values, strict=True)) if group.column else {},
        part_column=group.column,
        words=words_for(candidate.digest, name, meanings),
        normalise=True,
    )


def _outcome(file: str, digest: FileDigest, tables: list[Taken], refused: bool) -> FileOutcome:
    if digest.message is not None:
        return FileOutcome(file, "unreadable", (), digest.message)
    names = tuple(t.recipe.name for t in tables if file in (t.recipe.file, *t.recipe.parts))
    rows = sum(table.rows for table in digest.tables)
    said = [f"{counted(rows, 'row')} in {counted(len(digest.tables), 'table')}"]
    parts = next((len(t.recipe.parts) for t in tables if file in t.recipe.parts), 0)
    if parts:
        said.append(f"one of {parts} files stacked into one table")
    several = [table for table in digest.tables if len(table.columns) >= FEWEST_COLUMNS]
    for count, what in (
        (sum(not table.rows for table in digest.tables), "without rows"),
        (sum(table.rows > 0 for table in digest.tables if table not in several), "of one column"),
        (
            0 if refused else sum(table.rows > 0 for table in several) - len(names),
            f"beyond the {MOST_TABLES} of a theme",
        ),
        (len(digest.broken), "unreadable"),
    ):
        if count > 0:
            said.append(f"{counted(count, 'table')} {what} left")
    return FileOutcome(file, "taken" if names else "left", names, "; ".join(said))


def _refusal(
    collection: Collection, own: Mapping[str, FileDigest], candidates: list[Candidate], usable: list[Candidate]
) -> tuple[RefusalReason, str] | None:
    folder = collection.folder
    if folder.closed:
        return "unreadable", f"the folder {folder.path} cannot be listed"
    if not own:
        return "no_data", _no_data(collection)
    if not candidates:
        first = next(iter(sorted(own)))
        several = f"none of {len(own)} files is readable; the first: " if len(own) > 1 else ""
        return "unreadable", f"{several}{own[first].message}"
    if not any(candidate.rows for candidate in candidates):
        return "no_rows", f"{counted(len(candidates), 'table')} in {counted(len(own), 'file')}, none has a row"
    if not usable:
        return (
            "too_few_columns",
            f"{counted(len(candidates), 'table')}, none has rows of at least {FEWEST_COLUMNS} columns",
        )
    most = max(candidate.rows for candidate in usable)
    if most < FEWEST_ROWS:
        return (
            "too_few_rows",
            f"the largest of {counted(len(usable), 'table')} has {counted(most, 'row')}, fewer than {FEWEST_ROWS}",
        )
    return None


def _no_data(collection: Collection) -> str:
    folder = collection.folder
    names = [path.rpartition("/")[2] for path in folder.companions]
    strays = f"; {counted(len(folder.strays), 'entry', 'entries')} not followed" if folder.strays else ""
    if not names:
        return f"the folder {folder.path} holds no file of data{strays}"
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"the folder {folder.path} holds {counted(len(names), 'file')} and no data: {shown}{strays}"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: '1 row', '1,200 rows'."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
