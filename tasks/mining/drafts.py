"""World drafts: begun with mined tables, laid over with operations, taken up again from an environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemas.environments import Environment, Overlay, StateContract
from schemas.profiles import WorldProfile
from tasks.authors.base import Frames, WorldDraft
from tasks.mining.environments import clock_start, overlay_frames
from tasks.mining.tables import MinedTables


def begin_draft(mined: MinedTables) -> WorldDraft:
    """Return the draft of a world of mined tables alone; its clock starts on the morning after their last day."""
    return WorldDraft(
        profile=mined.profile,
        frames=dict(mined.frames),
        checks={},
        contract=StateContract(),
        operations=(),
        documents=(),
        clock_start=clock_start(mined.profile),
    )


def resume_draft(environment: Environment, frames: Frames) -> WorldDraft:
    """Return the draft that an environment was built from; `frames` are all its tables."""
    return WorldDraft(
        profile=environment.profile,
        frames=frames,
        checks=environment.checks,
        contract=environment.contract,
        operations=tuple(environment.operations),
        documents=tuple(environment.documents),
        clock_start=environment.clock_start,
    )


def lay_over(world: WorldDraft, overlay: Overlay) -> WorldDraft:
    """Return the world with an archetype's tables, rows, constraints and operations behind its own.

    Its tables must have free names (overlays/names.py). Raises ValueError when one has not, or when the
    archetype is there already.
    """
    taken = {table.name for table in world.profile.tables} & {table.name for table in overlay.tables}
    archetypes = [operations.archetype for operations in world.operations]
    if taken or overlay.operations.archetype in archetypes:
        what = ", ".join(sorted(taken)) or overlay.operations.archetype
        raise ValueError(f"{what} is in the world already")
    return WorldDraft(
        profile=WorldProfile(tables=[*world.profile.tables, *overlay.tables], sampling=world.profile.sampling),
        frames={**world.frames, **overlay_frames(overlay)},
        checks={**world.checks, **overlay.checks},
        contract=join_contracts([world.contract, overlay.contract]),
        operations=(*world.operations, overlay.operations),
        documents=world.documents,
        clock_start=world.clock_start,
    )


def join_contracts(contracts: Sequence[StateContract]) -> StateContract:
    """Return one contract that allows what any of them allows; lists keep their order, each entry once."""
    joined: dict[str, Any] = StateContract().model_dump()
    for contract in contracts:
        for name, value in contract.model_dump().items():
            joined[name] = _join(joined[name], value)
    return StateContract.model_validate(joined)


def _join(one: Any, other: Any) -> Any:
    if isinstance(one, dict):
        return {
            key: _join(one[key], other[key]) if key in one and key in other else (one | other)[key]
            for key in {**one, **other}
        }
    if isinstance(one, list):
        return list(dict.fromkeys([*one, *other]))
    return other
