"""A small world of own data that nothing is wrong with, and its file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from schemas.environments import Overlay
from schemas.profiles import ColumnProfile, ForeignKey, SamplingNote, TableProfile, WorldProfile
from schemas.quality import QualityResult
from schemas.themes import OverlayChoice
from tasks.authors.rules.overlays.proposal import propose_overlay
from tasks.mining.environments import clock_start, overlay_frames
from tasks.mining.loading import load_world
from tasks.mining.quality.gate import judge_world

SHOPS = 60
SALES = 200


@dataclass(frozen=True)
class SmallWorld:
    """Profile, frames and file of a world, with its operations."""

    profile: WorldProfile
    frames: dict[str, pl.DataFrame]
    database: Path
    overlay: Overlay

    def judge(self, frames: dict[str, pl.DataFrame] | None = None) -> list[QualityResult]:
        """Return what the gate finds, with other frames than the world's where they are given."""
        changed = {**self.frames, **(frames or {})}
        return judge_world(self.profile, changed, self.database, [self.overlay.operations])


def _column(name: str, type: Any, role: Any, **more: Any) -> ColumnProfile:
    return ColumnProfile(
        **{"name": name, "type": type, "role": role, "nullable": False, "distinct": 1, "words": name, **more}
    )


def mined_profile() -> WorldProfile:
    """Return regions, of which shops were split off, shops in them, and sales by shops."""
    regions = [
        _column("region_code", "text", "key"),
        _column("region_name", "text", "label"),
    ]
    shops = [
        _column("shop_id", "integer", "key"),
        _column("shop_name", "text", "label"),
        _column("region_code", "text", "reference"),
        _column("note", "text", "text", nullable=True),
        _column("latitude", "number", "measure", minimum=-80.0, maximum=80.0),
        _column("share", "number", "measure", minimum=1.0, maximum=60.0, unit="percent"),
        _column("is_open", "boolean", "category"),
    ]
    sales = [
        _column("sale_id", "integer", "key"),
        _column("shop_id", "integer", "reference", nullable=True),
        _column("sold_on", "date", "time", minimum="2021-01-01", maximum="2021-12-28"),
        _column("rung_up_at", "datetime", "time", minimum="2021-01-01T10:00:00", maximum="2021-12-28T10:00:00"),
        _column("price", "money", "measure", minimum=0.5, maximum=199.5),
        _column("season", "integer", "time", minimum=2019, maximum=2021),
        _column("paid_by", "text", "category", categories=["card", "cash"]),
    ]
    shop_key = ForeignKey(column="shop_id", to_table="shops", to_column="shop_id", coverage=1.0)
    region_key = ForeignKey(column="region_code", to_table="regions", to_column="region_code", coverage=1.0)
    return WorldProfile(
        tables=[
            TableProfile(
                name="regions", singular="region", plural="regions", kind="reference", rows=6, columns=regions,
                key="region_code", key_is_opaque=False, label="region_name",
            ),
            TableProfile(
                name="shops", singular="shop", plural="shops", kind="reference", rows=SHOPS, columns=shops,
                key="shop_id", key_is_opaque=True, label="shop_name", foreign_keys=[region_key],
            ),
            TableProfile(
                name="sales", singular="sale", plural="sales", kind="event", rows=SALES, columns=sales,
                key="sale_id", key_is_opaque=True, foreign_keys=[shop_key],
            ),
        ],
        sampling=[
            SamplingNote(table="regions", rows_read=6, rows_kept=6, split_from="shops"),
            SamplingNote(table="shops", rows_read=SHOPS, rows_kept=SHOPS),
            SamplingNote(table="sales", rows_read=SALES, rows_kept=SALES),
        ],
    )  # fmt: skip


def mined_frames() -> dict[str, pl.DataFrame]:
    """Return the rows that `mined_profile` describes."""
    days = [f"2021-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(SALES)]
    return {
        "regions": pl.DataFrame(
            {"region_code": [f"R{i}" for i in range(6)], "region_name": [f"region {'abcdef'[i]}" for i in range(6)]}
        ),
        "shops": pl.DataFrame(
            {
                "shop_id": range(1, SHOPS + 1),
                "shop_name": [f"Café no. {i}" for i in range(SHOPS)],
                "region_code": [f"R{i % 6}" for i in range(SHOPS)],
                "note": [None if i % 3 == 0 else f"beside AT&T, < {i} m" for i in range(SHOPS)],
                "latitude": [80.0 - i * 160 / (SHOPS - 1) for i in range(SHOPS)],
                "share": [1.0 + i for i in range(SHOPS)],
                "is_open": [i % 2 for i in range(SHOPS)],
            }
        ),
        "sales": pl.DataFrame(
            {
                "sale_id": range(1, SALES + 1),
                "shop_id": [None if i % 9 == 0 else 1 + i % SHOPS for i in range(SALES)],
                "sold_on": days,
                "rung_up_at": [f"{day}T10:00:00" for day in days],
                "price": [0.5 + i for i in range(SALES)],
                "season": [2019 + i % 3 for i in range(SALES)],
                "paid_by": [("card", "cash")[i % 2] for i in range(SALES)],
            }
        ),
    }


MakeWorld = Callable[[str], SmallWorld]


@pytest.fixture
def make_world(tmp_path: Path) -> MakeWorld:
    """Return a function (archetype) that builds the small world with that archetype's operations over its shops."""

    def make(archetype: str) -> SmallWorld:
        mined, frames = mined_profile(), mined_frames()
        choice = OverlayChoice(archetype=archetype, host="shops")
        overlay = propose_overlay(mined, frames, choice, 0, clock_start(mined))
        profile = WorldProfile(tables=[*mined.tables, *overlay.tables], sampling=mined.sampling)
        every = {**frames, **overlay_frames(overlay)}
        path = tmp_path / f"{archetype}.db"
        load_world(path, every, profile.tables, overlay.checks)
        return SmallWorld(profile, every, path, overlay)

    return make
