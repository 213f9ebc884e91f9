"""Overlays: operational tables over a world's, by the archetype that the theme, a round or the data chooses."""

from __future__ import annotations

import polars as pl

from schemas.environments import Overlay
from schemas.errors import UsageError
from schemas.profiles import TableProfile, WorldProfile
from schemas.themes import OverlayChoice, Theme
from tasks.authors.rules.overlays.archetype import Archetype
from tasks.authors.rules.overlays.choice import choose_overlay
from tasks.authors.rules.overlays.names import rename_tables, with_free_names
from tasks.authors.rules.overlays.records import propose_records
from tasks.authors.rules.overlays.registry import ARCHETYPES

Frames = dict[str, pl.DataFrame]


def propose_overlays(profile: WorldProfile, frames: Frames, theme: Theme, seed: int, start: str) -> list[Overlay]:
    """Return the overlays of the first version of a theme's world: its source's own operations, or what the data affords."""
    records = propose_records(profile, frames, theme, seed, start) if theme.entities else None
    if records is not None:
        return [records]
    return [propose_overlay(profile, frames, theme.overlay, seed, start)]


def propose_overlay(
    profile: WorldProfile, frames: Frames, choice: OverlayChoice | None, seed: int, start: str
) -> Overlay:
    """Return operational tables over the mined tables `profile` and `frames`, simulated with `seed`, before `start`.

    Equal input gives equal rows on every Python. Where a mined table has the name of an operational
    one, the latter gets another. Raises UsageError when the host is no table of the world, or has no row.
    """
    chosen = choice or choose_overlay(profile)
    if chosen.archetype not in ARCHETYPES:
        known = ", ".join(sorted(ARCHETYPES))
        raise UsageError(f"overlay: there are no operations called {chosen.archetype}. Choose one of: {known}")
    names = [table.name for table in profile.tables]
    if chosen.host not in names:
        raise UsageError(
            f"overlay {chosen.archetype}: the host {chosen.host} is not a table. Set it to one of: {', '.join(names)}"
        )
    if not profile.table(chosen.host).rows:
        raise UsageError(f"overlay {chosen.archetype}: the host {chosen.host} has no row. Set it to another table")
    return lay_archetype(ARCHETYPES[chosen.archetype], profile, frames, chosen.host, seed, start)


def lay_archetype(
    archetype: Archetype, profile: WorldProfile, frames: Frames, host: str, seed: int, start: str
) -> Overlay:
    """Return an archetype's overlay over `host`, its tables named as none of the world's is."""
    overlay = archetype.propose(profile, frames, host, seed, start)
    if host not in overlay.operations.tables:
        return with_free_names(overlay, profile)
    # The host is called like a table of the archetype: it steps aside, so that the two can be told apart.
    aside = f"{host}_aside"
    apart = WorldProfile(tables=[_called(table, host, aside) for table in profile.tables], sampling=profile.sampling)
    overlay = archetype.propose(apart, {aside: frames[host], **frames}, aside, seed, start)
    return rename_tables(with_free_names(overlay, profile), {aside: host})


def _called(table: TableProfile, old: str, new: str) -> TableProfile:
    """Return the table, renamed if it is called `old`, and with its references to that following."""
    keys = [f.model_copy(update={"to_table": new}) if f.to_table == old else f for f in table.foreign_keys]
    return table.model_copy(update={"name": new if table.name == old else table.name, "foreign_keys": keys})
