"""Rows as the warehouse's `page_*` queries return them, about a small world whose names are as bad as names get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from schemas.profiles import ColumnProfile, ForeignKey, SamplingNote, TableProfile, WorldProfile
from tasks.pages.worlds import WorldRows

NASTY = 'a "b" | <img src=x onerror=alert(1)> `c` *d* [e](f) \\ %% {g} 漢字 😀 #35; ; end'
"""Quotes, pipes, HTML, markup of markdown and mermaid, non-Latin script, emoji."""


def make_column(name: str, role: str = "measure", **more: Any) -> ColumnProfile:
    values = {"type": "integer", "nullable": False, "distinct": 3, "words": name, **more}
    return ColumnProfile(name=name, role=role, **values)


def make_table(name: str, columns: list[ColumnProfile], refers: dict[str, str], kind: str = "event") -> TableProfile:
    foreign = [ForeignKey(column=c, to_table=t, to_column="id", coverage=1.0) for c, t in refers.items()]
    return TableProfile(name=name, singular=name, plural=name, kind=kind, rows=9, columns=columns, key=columns[0].name,
                        key_is_opaque=False, foreign_keys=foreign)  # fmt: skip


def make_world(tables: list[TableProfile], **rows: list[Any]) -> WorldRows:
    """Return a world whose first table was mined, and that has a note of one which was taken whole."""
    environment = {
        "theme_name": "bakery",
        "environment_id": "env_1",
        "version": 1,
        "state": "accepted",
        "author": "rules",
        "seed": 0,
        "archetype": None,
        "operations": None,
        "documents": None,
        "kind": "dataset",
        "level1": None,
        "level2": None,
        "confidence": None,
        "runner_up": None,
        "classified_by": None,
        "world_sha256": "0123456789abcdef",
        "world_bytes": 4096,
        "clock_start": "2026-01-05T09:00:00",
        "title": "The bakery",
        "description": "Loaves and who bakes them",
    }
    note = SamplingNote(table=tables[0].name, rows_read=12, rows_unreadable=1, rows_not_sampled=2, rows_kept=9,
                        columns_left_out=["empty"], repairs=["encoding: read as cp1252"])  # fmt: skip
    whole = SamplingNote(table="whole", rows_read=9, rows_kept=9)
    return WorldRows(environment, WorldProfile(tables=tables, sampling=[note, whole]), **rows)


@pytest.fixture
def column() -> Callable[..., ColumnProfile]:
    return make_column


@pytest.fixture
def table() -> Callable[..., TableProfile]:
    return make_table


@pytest.fixture
def world() -> Callable[..., WorldRows]:
    return make_world


@pytest.fixture
def nasty() -> str:
    return NASTY


@pytest.fixture
def bakery() -> list[TableProfile]:
    """Bakers, loaves of a baker or of none, one shelf a loaf (operational)."""
    baker = make_column("baker_id", "reference", nullable=True)
    return [
        make_table("bakers", [make_column("id", "key")], {}, "reference"),
        make_table("loaves", [make_column("id", "key"), baker], {"baker_id": "bakers"}),
        make_table("shelves", [make_column("id", "key", distinct=9)], {"id": "loaves"}, "operational"),
    ]
