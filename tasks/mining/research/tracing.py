"""Tracing: from a row of a mined world back to the page and the place it stood at, and the pages as sources."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from schemas.identity import content_id
from schemas.themes import Source, TableRecipe, Theme
from tasks.mining.browsing.addresses import host_of
from tasks.mining.extraction import extract_table
from tasks.mining.research.harvest import FEWEST_ROWS, Harvest, HarvestedTable
from tasks.mining.search.library import SCHEME

if TYPE_CHECKING:
    from tasks.mining.tables import MinedTables

_ROW = "harvest_row"
_VERSION_DIGITS = 16
UNKNOWN = "unknown"


class ValuePlace(NamedTuple):
    """Where a row of a mined table stood: `row_key` is its key as text."""

    table: str
    row_key: str
    address: str
    place: str


def value_places(harvest: Harvest, theme: Theme, mined: MinedTables) -> list[ValuePlace]:
    """Return the page and place of every row of a mined world that came from the harvest, by table and key.

    Tables of a site's recipes are extracted once more with the number of each row; a table that was split off one of
    them has the place of its first row there. Tables of entities say themselves which row they took (`mined.places`).
    """
    recipes = {recipe.name: recipe for recipe in theme.tables}
    tables = {table.name: table for table in harvest.tables}
    split = {note.table: note.split_from for note in mined.profile.sampling}
    keys = {table.name: table.key for table in mined.profile.tables}
    taken: Mapping[str, Mapping[Any, tuple[str, int]]] = getattr(mined, "places", {})
    numbered: dict[str, pl.DataFrame] = {}
    found: list[ValuePlace] = []
    for name, frame in mined.frames.items():
        if name in taken:
            rows = sorted((str(key), table, row) for key, (table, row) in taken[name].items())
            found += [_place(name, key, tables[table], row) for key, table, row in rows if table in tables]
            continue
        origin = name if name in recipes else split.get(name)
        if origin not in recipes or origin not in tables:
            continue
        if origin not in numbered:
            numbered[origin] = _numbered(recipes[origin], tables[origin])
        for key, row in _matched(frame, keys[name], numbered[origin]):
            found.append(_place(name, str(key), tables[origin], row))
    return found


def page_sources(harvest: Harvest, theme: Theme) -> list[Source]:
    """Return a Source for every page or file that gave a row, in the order in which they were retrieved."""
    used = {address for table in harvest.tables for address in table.addresses}
    return [
        Source(
            id=content_id("source", theme.id, page.address, page.sha256),
            theme_id=theme.id,
            package="library" if page.address.startswith(SCHEME) else host_of(page.address),
            version=page.sha256[:_VERSION_DIGITS],
            file=page.address,
            licence=page.licence or UNKNOWN,
            sha256=page.sha256,
            bytes=page.bytes,
            retrieved_at=page.retrieved_at,
        )
        for page in harvest.pages
        if page.address in used
    ]


def why_empty(harvest: Harvest) -> str:
    """Return in one line what a search looked at that gave no table: pages by status, refusals, how it ended."""
    answers = Counter("no answer" if not page.status else str(page.status) for page in harvest.pages)
    statuses = ", ".join(f"{count} x {status}" for status, count in sorted(answers.items())) or "none answered"
    refused = Counter(entry.why for entry in harvest.trail if entry.outcome in ("refused", "failed"))
    told = f"; not asked for: {refused.most_common(1)[0][0]} ({sum(refused.values())})" if refused else ""
    most = max((table.frame.height for table in harvest.tables), default=0)
    held = f"the largest table has {most} rows, fewer than {FEWEST_ROWS}" if most else "none has a table"
    return f"{len(harvest.pages)} pages were looked at ({statuses}), {held}{told}; ended: {harvest.ended}"


def _place(name: str, key: str, table: HarvestedTable, row: int) -> ValuePlace:
    return ValuePlace(name, key, table.addresses[row], table.places[row])


def _numbered(recipe: TableRecipe, table: HarvestedTable) -> pl.DataFrame:
    """Return a harvested table as mining types it, with the number of each row in the harvest."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        table.frame.write_parquet(path)
        plain = extract_table(recipe, path)
        if plain.has_surrogate_key:
            return plain.frame.with_columns((pl.col(plain.key) - 1).alias(_ROW))
        table.frame.with_row_index(_ROW).select(*table.frame.columns, _ROW).write_parquet(path)
        return extract_table(recipe.model_copy(update={"key": plain.key}), path).frame


def _matched(frame: pl.DataFrame, key: str, numbered: pl.DataFrame) -> Iterator[tuple[Any, int]]:
    """Yield key and row number of the rows that the harvest has: by their key, else by all columns they share."""
    own = key in numbered.columns and numbered.schema[key] == frame.schema[key]
    shared = [n for n in frame.columns if n in numbered.columns and numbered.schema[n] == frame.schema[n]]
    columns = [key] if own else shared
    if not columns:
        return
    first = numbered.select(*columns, _ROW).sort(_ROW).unique(columns, keep="first", maintain_order=True)
    joined = frame.join(first, on=columns, how="left", nulls_equal=True, maintain_order="left")
    for value, row in joined.select(key, _ROW).iter_rows():
        if row is not None:
            yield value, int(row)
