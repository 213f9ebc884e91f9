"""Prices of a host's rows: their own, their parts' together, or usual ones where the data tells none."""

from __future__ import annotations

from random import Random
from statistics import median
from typing import Any

import polars as pl

from schemas.profiles import WorldProfile
from tasks.authors.rules.overlays.purchase_orders import price_source

USUAL = (4.5, 7.9, 9.9, 12.5, 14.9, 18.0, 24.9, 29.0, 39.5, 49.0, 79.0)


def prices_of(rng: Random, profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str) -> dict[Any, float]:
    """Return host key → price in dollars; a row whose price is unknown costs the known ones' median."""
    key = profile.table(host).key
    source = price_source(profile, host)
    known: dict[Any, float] = {}
    if source is not None:
        table, column, via = source
        for value, price in frames[table].select(via or key, column).drop_nulls().sort(via or key, column).iter_rows():
            known[value] = known.get(value, 0.0) + price
    middle = median(known.values()) if known else None
    keys = sorted(frames[host][key].to_list())
    return {value: round(known.get(value, middle or rng.choice(USUAL)), 2) for value in keys}
