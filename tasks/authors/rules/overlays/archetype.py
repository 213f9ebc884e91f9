"""Archetypes: kinds of operations that can be laid over a table of a world.

An archetype is written with its own names for its tables; where a world has these already, `lay_archetype`
(overlays/proposal.py) renames them, in the operations too. Columns that hold a row's state are called `status`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from schemas.environments import Overlay
from schemas.profiles import WorldProfile

Propose = Callable[[WorldProfile, dict[str, pl.DataFrame], str, int, str], Overlay]
Hosts = Callable[[WorldProfile], list[tuple[str, float]]]


@dataclass(frozen=True)
class Archetype:
    """One kind of operations.

    `propose(profile, frames, host, seed, start)` returns its tables about the rows of `host`, simulated with
    `seed` and dated before `start`, with what may be done to them; equal arguments give equal rows.
    `hosts(profile)` returns the tables that it suits with how well (0 to 1), best first.
    """

    name: str
    propose: Propose
    hosts: Hosts
