"""The harvest of one search: united tables, where each row stands, every page asked for, and why; kept as files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from schemas.themes import TableRecipe
from tasks.mining.browsing.budget import Budget
from tasks.mining.browsing.store import PageRecord
from tasks.mining.research.extraction.found import Kind

FEWEST_ROWS = 5
"""Of a table that a site's theme takes."""
_CONTAINED = 0.8
"""A table is another one in other words when the other has all values of this share of its columns."""
TABLES, PLACES, REST, RUN = "tables", "provenance.parquet", "harvest.json", "run.json"


class TrailEntry(BaseModel):
    """One address that was considered: by which query and provider, and what became of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    position: int
    query: str
    provider: str = Field(description="library, site, searxng; 'links' for what a hit's page led to")
    address: str
    score: float | None = None
    outcome: Literal["taken", "empty", "known", "refused", "broken", "failed"]
    tables: list[str] = Field(default_factory=list, description="harvested tables that took rows from it")
    why: str


class FieldCoverage(BaseModel):
    """The mined column that fits a field of a theme's entity best; without one table and column are None."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    entity: str
    field: str
    table: str | None
    column: str | None
    rows: int = Field(0, description="rows with a value")
    score: float = Field(0.0, description="how well the column fits, 0..1")


@dataclass(frozen=True)
class HarvestedTable:
    """A united table of text; row i stands on page `addresses[i]` at `places[i]`.

    `frame` has the pages' own headers as columns, unique, all pl.String. `kind` is how the pages wrote it.
    """

    name: str
    title: str
    kind: Kind
    frame: pl.DataFrame
    addresses: tuple[str, ...]
    places: tuple[str, ...]
    entity: str = ""
    """Name of the theme's entity whose fields it covers."""

    @property
    def address(self) -> str:
        """The page of its first row."""
        return self.addresses[0] if self.addresses else ""


@dataclass(frozen=True)
class Harvest:
    """What one search for a theme's data brought."""

    tables: list[HarvestedTable]
    pages: list[PageRecord]
    trail: list[TrailEntry]
    coverage: list[FieldCoverage] = field(default_factory=list)
    spent: dict[str, float] = field(default_factory=dict)
    ended: str = ""
    author: str = "rules"
    """Who chose what is kept: `rules`, or `llm` where a model's answer was."""
    final: bool = True
    """Whether an equal search need not be made again; one that a model's budget cut short goes on with a larger one."""

    def table(self, name: str) -> HarvestedTable:
        """Return the table of that name."""
        return next(table for table in self.tables if table.name == name)


def site_tables(harvest: Harvest) -> list[TableRecipe]:
    """Return the recipes of the tables that a theme of kind "site" takes; files are inside the harvest's folder.

    Those with five rows and two columns, largest first; a table whose values another one has is left out: pages often
    carry their rows once for people and once for machines.
    """
    large = [t for t in harvest.tables if t.frame.height >= FEWEST_ROWS and t.frame.width >= 2]
    taken: list[HarvestedTable] = []
    for table in sorted(large, key=lambda t: (-t.frame.height, -t.frame.width, t.name)):
        if not any(_contains(other, table) for other in taken):
            taken.append(table)
    return [
        TableRecipe(name=table.name, file=f"{TABLES}/{table.name}.parquet", normalise=True)
        for table in sorted(taken, key=lambda t: t.name)
    ]


def provenance(harvest: Harvest) -> pl.DataFrame:
    """Return where every row stands: table, row (0-based, of the table's frame and file), address, place."""
    schema = {"table": pl.String, "row": pl.Int64, "address": pl.String, "place": pl.String}
    frames = [
        pl.DataFrame(
            {
                "table": [table.name] * table.frame.height,
                "row": range(table.frame.height),
                "address": table.addresses,
                "place": table.places,
            },
            schema=schema,
        )
        for table in harvest.tables
    ]
    return pl.concat(frames) if frames else pl.DataFrame(schema=schema)


def write_harvest(harvest: Harvest, folder: Path) -> None:
    """Write a harvest; what marks it as finished (harvest.json) comes last."""
    shutil.rmtree(folder / TABLES, ignore_errors=True)
    (folder / TABLES).mkdir(parents=True)
    for table in harvest.tables:
        table.frame.write_parquet(folder / TABLES / f"{table.name}.parquet")
    provenance(harvest).write_parquet(folder / PLACES)
    rest = {
        "tables": [{"name": t.name, "title": t.title, "kind": t.kind, "entity": t.entity} for t in harvest.tables],
        "pages": [page.model_dump() for page in harvest.pages],
        "trail": [entry.model_dump() for entry in harvest.trail],
        "coverage": [entry.model_dump() for entry in harvest.coverage],
        "spent": harvest.spent,
        "ended": harvest.ended,
        "author": harvest.author,
        "final": harvest.final,
    }
    part = folder / f"{REST}.part"
    part.write_text(json.dumps(rest, ensure_ascii=False, indent=1), "utf-8")
    part.replace(folder / REST)


def read_harvest(folder: Path) -> Harvest | None:
    """Return the harvest in a folder; None where there is no finished one, or one that cannot be read."""
    try:
        rest = json.loads((folder / REST).read_text("utf-8"))
        places = pl.read_parquet(folder / PLACES)
        tables = [_read_table(folder, entry, places) for entry in rest["tables"]]
        return Harvest(
            tables,
            [PageRecord.model_validate(page) for page in rest["pages"]],
            [TrailEntry.model_validate(entry) for entry in rest["trail"]],
            [FieldCoverage.model_validate(entry) for entry in rest["coverage"]],
            rest["spent"],
            rest["ended"],
            rest.get("author", "rules"),
            rest.get("final", True),
        )
    except (OSError, ValueError, KeyError, ValidationError, pl.exceptions.PolarsError):
        return None


class Run(BaseModel):
    """What a folder's search was for: another search finds nothing to go on with there."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    purpose: str = Field(description="hash of theme and providers")
    budget: Budget


def open_folder(folder: Path, run: Run, refresh: bool) -> Harvest | None:
    """Return the final harvest of an equal earlier run; else make the folder ready.

    Pages of a run for the same purpose stay, whether it was killed or had another budget; others are removed.
    """
    try:
        earlier = Run.model_validate_json((folder / RUN).read_text("utf-8"))
    except (OSError, ValueError):
        earlier = None
    if not refresh and earlier == run and (harvest := read_harvest(folder)) is not None and harvest.final:
        return harvest
    if refresh or earlier is None or earlier.purpose != run.purpose:
        for name in ("pages", TABLES):
            shutil.rmtree(folder / name, ignore_errors=True)
        (folder / "pages.jsonl").unlink(missing_ok=True)
    (folder / REST).unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RUN).write_text(run.model_dump_json(), "utf-8")
    return None


def _read_table(folder: Path, entry: dict[str, str], places: pl.DataFrame) -> HarvestedTable:
    frame = pl.read_parquet(folder / TABLES / f"{entry['name']}.parquet")
    own = places.filter(pl.col("table") == entry["name"]).sort("row")
    if own.height != frame.height:
        raise ValueError(f"{entry['name']} has {frame.height} rows and {own.height} places")
    kind: Kind = entry["kind"]  # type: ignore[assignment]
    addresses, places_of = tuple(own["address"].to_list()), tuple(own["place"].to_list())
    return HarvestedTable(entry["name"], entry["title"], kind, frame, addresses, places_of, entry["entity"])


def _contains(larger: HarvestedTable, smaller: HarvestedTable) -> bool:
    others = [_values(larger.frame[name]) for name in larger.frame.columns]
    held = [any(_values(smaller.frame[name]) <= other for other in others) for name in smaller.frame.columns]
    return sum(held) >= _CONTAINED * len(held)


def _values(column: pl.Series) -> set[str]:
    return {str(value) for value in column.drop_nulls()}


def outcome_tables(tables: Sequence[HarvestedTable]) -> dict[str, list[str]]:
    """Return the tables that took rows from each page, by its address."""
    found: dict[str, dict[str, None]] = {}
    for table in tables:
        for address in dict.fromkeys(table.addresses):
            found.setdefault(address, {})[table.name] = None
    return {address: list(names) for address, names in found.items()}
