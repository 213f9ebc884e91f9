"""Popularity: which rows of a host operations are about, drawn as often as the data refers to them."""

from __future__ import annotations

from itertools import accumulate
from random import Random
from typing import Any

import polars as pl

from schemas.profiles import WorldProfile

POOL = 90
"""Different rows that operations are about: few enough that several are about the same."""
LISTED = 1000
"""Rows of a host that have a row of their own (a stock, a score) beside them."""
MOST_WEIGHT = 60


class Popularity:
    """Draws keys of a host's rows: each with a weight of one, and one more for each row that refers to it.

    `listed` are the keys that can be drawn at all and those that come next: all, but of a vast host.
    """

    def __init__(self, rng: Random, profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str) -> None:
        weights = references_to(profile, frames, host)
        # The more often a row is referred to, the sooner it comes. In whole numbers: equal everywhere.
        places = {key: rng.randrange(1 << 40) // weight for key, weight in weights.items()}
        ordered = sorted(places, key=lambda key: (places[key], key))
        self.keys = ordered[:POOL]
        self.listed = sorted(ordered[:LISTED])
        self._cumulative = list(accumulate(weights[key] for key in self.keys))

    def draw(self, rng: Random) -> Any:
        """Return a key."""
        return rng.choices(self.keys, cum_weights=self._cumulative)[0]


def references_to(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str) -> dict[Any, int]:
    """Return each key of the host with one more than the number of mined rows that refer to it, at most 60."""
    counts = dict.fromkeys(sorted(frames[host][profile.table(host).key].to_list()), 1)
    for child, foreign in profile.children(host):
        if child.kind != "operational" and not frames[child.name].is_empty():
            for value, rows in frames[child.name][foreign.column].drop_nulls().value_counts().iter_rows():
                if value in counts:
                    counts[value] += rows
    return {key: min(count, MOST_WEIGHT) for key, count in counts.items()}
