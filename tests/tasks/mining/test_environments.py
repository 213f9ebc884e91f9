"""Environments: one id for one content, typed overlay rows, a clock after the data's last day."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from schemas.documents import Document
from schemas.environments import Environment, Overlay, StateContract
from schemas.operations import Operations
from schemas.profiles import ColumnProfile, TableProfile, WorldProfile
from schemas.themes import TableRecipe, Theme
from tasks.mining.drafts import begin_draft, lay_over
from tasks.mining.environments import build_environment, clock_start, overlay_frames
from tasks.mining.loading import world_hash
from tasks.mining.tables import MinedTables

THEME = Theme(
    name="parks",
    title="Parks",
    description="Two parks",
    package="none",
    version="1",
    licence="CC0",
    tables=[TableRecipe(name="parks", file="parks.csv")],
)

NOTE = Document(path="notes/parks.md", format="md", title="Parks", about="Notes.", origin="written", text="# Parks\n")


def _column(name: str, kind: str, role: str, nullable: bool = False, maximum: str | None = None) -> ColumnProfile:
    return ColumnProfile(name=name, type=kind, role=role, nullable=nullable, distinct=2, maximum=maximum, words=name)


def _mined(opened: str = "2016-05-04") -> MinedTables:
    parks = TableProfile(
        name="parks",
        singular="park",
        plural="parks",
        kind="reference",
        rows=2,
        key="park_id",
        key_is_opaque=True,
        columns=[_column("park_id", "integer", "key"), _column("opened", "date", "time", maximum=opened)],
    )
    frame = pl.DataFrame({"park_id": [1, 2], "opened": ["1990-01-01", opened]})
    return MinedTables({"parks": frame}, WorldProfile(tables=[parks]))


def _overlay(crew_size: int = 3) -> Overlay:
    crews = TableProfile(
        name="crews",
        singular="crew",
        plural="crews",
        kind="operational",
        rows=2,
        key="crew_id",
        key_is_opaque=True,
        columns=[
            _column("crew_id", "integer", "key"),
            _column("pay", "money", "measure"),
            _column("note", "text", "text", True),
            _column("size", "integer", "measure"),
        ],
    )
    rows = [
        {"crew_id": 1, "pay": 5, "note": None, "size": 2},
        {"crew_id": 2, "pay": 7, "note": None, "size": crew_size},
    ]
    operations = Operations(archetype="service_tickets", host="parks", host_key="park_id", tables={"crews": "crews"})
    return Overlay(
        tables=[crews],
        rows={"crews": rows},
        checks={"crews": ["size >= 1"]},
        contract=StateContract(writable=["crews"]),
        operations=operations,
    )


def _build(
    path: Path, mined: MinedTables, overlay: Overlay, seed: int = 0, author: str = "rules", **more: Any
) -> Environment:
    world = lay_over(begin_draft(mined), overlay)
    return build_environment(replace(world, **more), THEME, author, seed, path)


def test_the_id_depends_on_content_author_and_seed_and_on_nothing_else(tmp_path: Path) -> None:
    first = _build(tmp_path / "a" / "world.db", _mined(), _overlay())
    assert first == _build(tmp_path / "b.db", _mined(), _overlay())
    others = [
        _build(tmp_path / "c.db", _mined("2017-05-04"), _overlay()),
        _build(tmp_path / "d.db", _mined(), _overlay(9)),
        _build(tmp_path / "e.db", _mined(), _overlay(), seed=1),
        _build(tmp_path / "f.db", _mined(), _overlay(), author="llm"),
        _build(tmp_path / "g.db", _mined(), _overlay(), documents=(NOTE,)),
        _build(tmp_path / "h.db", _mined(), _overlay(), operations=()),
    ]
    assert len({first.id, *(other.id for other in others)}) == 7


def test_an_environment_describes_the_world_that_was_written(tmp_path: Path) -> None:
    path = tmp_path / "world.db"
    environment = _build(path, _mined(), _overlay())
    assert [table.name for table in environment.profile.tables] == ["parks", "crews"]
    assert environment.world_sha256 == world_hash(path) and environment.world_bytes == path.stat().st_size
    assert environment.operations == [_overlay().operations] and environment.checks == {"crews": ["size >= 1"]}
    assert environment.clock_start == "2016-05-05T09:00:00"


def test_a_row_that_breaks_the_overlays_own_rule_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="crews"):
        _build(tmp_path / "world.db", _mined(), _overlay(crew_size=0))
    assert list(tmp_path.iterdir()) == []


def test_overlay_rows_have_their_profiles_types_even_when_all_are_null() -> None:
    frame = overlay_frames(_overlay())["crews"]
    assert frame.schema == {"crew_id": pl.Int64, "pay": pl.Float64, "note": pl.String, "size": pl.Int64}


def test_the_clock_of_a_world_without_dates_is_fixed() -> None:
    mined = _mined()
    undated = mined.profile.tables[0].model_copy(update={"columns": [mined.profile.tables[0].columns[0]]})
    assert clock_start(WorldProfile(tables=[undated])) == "2025-01-01T09:00:00"
