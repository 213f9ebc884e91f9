"""Writing on: tables that the actions of a world fill beside what they were made for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from schemas.environments import StateContract
from schemas.operations import Action
from schemas.profiles import WorldProfile
from tasks.authors.base import WorldDraft
from tasks.authors.rules.overlays.profiles import value_checks
from tasks.authors.rules.rounds.additions import NewTable
from tasks.mining.drafts import join_contracts


def writable_table(world: WorldDraft, table: NewTable, *, minted: Mapping[str, str], clock: str) -> WorldDraft:
    """Return the world with one more table, or with another version of one, that its actions write.

    `minted` are its references (column → table) to rows that actions make; `clock` is the column with the
    time of the call. Its categories are held to their values by CHECK.
    """
    profile = table.profile
    born = {column: to for column, to in minted.items() if to in world.contract.generated_keys}
    added = StateContract(
        writable=[profile.name],
        generated_keys={profile.name: profile.key},
        clock_columns={profile.name: [clock]},
        references={profile.name: born} if born else {},
    )
    others = [each for each in world.profile.tables if each.name != profile.name]
    return replace(
        world,
        profile=WorldProfile(tables=[*others, profile], sampling=world.profile.sampling),
        frames={
            **{name: frame for name, frame in world.frames.items() if name != profile.name},
            profile.name: table.frame,
        },
        checks={**world.checks, profile.name: value_checks(profile)},
        contract=join_contracts([world.contract, added]),
    )


def map_actions(world: WorldDraft, change: Callable[[Action], Action]) -> WorldDraft:
    """Return the world with every action changed."""
    operations = tuple(
        each.model_copy(update={"actions": tuple(change(action) for action in each.actions)})
        for each in world.operations
    )
    return replace(world, operations=operations)
