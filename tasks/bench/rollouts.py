"""One rollout, and what comes out of it: the same for every way of running tools."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.bench.subject import rollout_calls
from tasks.world.bundle import Bundle
from tasks.world.diff import compare
from tasks.world.session import World, state_identity


@dataclass(frozen=True)
class Outcome:
    """What ten calls returned, and the identity of the state they left."""

    observations: list[Any]
    state_id: str


def roll_out(world: World, bundle: Bundle, number: int) -> Outcome:
    """Do rollout `number` in a world's session: open, ten calls, difference and state id, close."""
    with world.open(bundle, seed=f"rollout {number}") as session:
        observations = [session.call(name, arguments) for name, arguments in rollout_calls(number)]
        difference = session.diff()
    return Outcome(observations, state_identity(bundle.world_sha256, difference))


def state_of(bundle: Bundle, database: Path) -> str:
    """Return the identity of a database's state as a session reports it, computed in this process.

    The other ways isolate nothing, so their difference is taken at its cheapest too.
    """
    return state_identity(bundle.world_sha256, compare(bundle.database, database, bundle.contract["log_tables"]))
