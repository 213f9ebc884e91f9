"""WHAT: a round of evolution: which round it is, what it builds in each environment, who is trained on that, and its end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from prefect import get_run_logger, task

from schemas.arena import Evolution, Rates
from schemas.diagnoses import TaskGuideline
from schemas.errors import UsageError
from schemas.references import ToolsetReference
from schemas.rounds import Guideline
from schemas.settings import Settings
from tasks.arena.evolution import decide
from tasks.policies import is_transient, stamp_of
from tasks.resources import toolset_of
from warehouse.rows import latest_round, load_evolutions, read_rates, save_evolution
from warehouse.store import Warehouse


@dataclass(frozen=True)
class Building:
    """What is to be built in one environment: its tools as they are, guidelines, and how to grow the database first."""

    toolset: ToolsetReference
    guidelines: tuple[TaskGuideline, ...]
    growth: Guideline | None


def round_to_evolve(warehouse: Warehouse) -> int | None:
    """Return the latest round when no evolution ended in it, so that a killed one goes on; None: a new one is due."""
    with warehouse.together() as live:
        latest = latest_round(live)
        return None if any(one.round == latest for one in load_evolutions(live)) else latest or None


def plan_building(warehouse: Warehouse, guidelines: Sequence[TaskGuideline]) -> list[Building]:
    """Return what guidelines ask for, an environment after the other in the order in which they come."""
    by_environment: defaultdict[str, list[TaskGuideline]] = defaultdict(list)
    for guideline in guidelines:
        by_environment[guideline.environment_id].append(guideline)
    with warehouse.together() as live:
        return [
            Building(toolset_of(live, environment_id), tuple(asked), _growth(asked))
            for environment_id, asked in by_environment.items()
        ]


def _growth(guidelines: Sequence[TaskGuideline]) -> Guideline | None:
    """Return one guideline for the database that asks for all that these ask for; None when none asks for any."""
    asked = [one.growth for one in guidelines if one.growth is not None]
    if not asked:
        return None

    def united(name: str) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(value for one in asked for value in getattr(one, name)))

    reason = "; ".join(dict.fromkeys(one.reason for one in asked if one.reason))
    return Guideline(
        additions=united("additions"), archetypes=united("archetypes"), tables=united("tables"), reason=reason
    )


# Not cached and not retried: it takes hours and has a memory of its own; a trainer that broke is told as it is.
@task(task_run_name="train {policy} on round {number}")
def train(trainer: str, policy: str, number: int) -> str:
    """Let a trainer (module:function) train a policy on what a round built; return the trained policy, as `--policy` names it.

    It is called with the home's path, the policy's spec and the round's number. Raises UsageError when there is none.
    """
    trained: Any = trainer_at(trainer)(Settings().home.absolute(), policy, number)
    if not isinstance(trained, str) or not trained:
        raise UsageError(f"the trainer {trainer} returned {trained!r}. Let it return a policy as --policy names it")
    get_run_logger().info("stage=train policy=%s round=%d trained=%s", policy, number, trained)
    return trained


def trainer_at(path: str) -> Any:
    """Return the function that a user names as module:function. Raises UsageError when there is none."""
    module, _, name = path.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(
            f"--trainer {path} is no function ({error}). Name one as module:function, as in my_training:train"
        ) from error
    if not callable(found):
        raise UsageError(f"--trainer {path} is no function. Name one as module:function, as in my_training:train")
    return found


# Retried: the warehouse's lock.
@task(task_run_name="end round {number}", retries=2, retry_delay_seconds=[1, 4], retry_condition_fn=is_transient)
def end_round(
    number: int, before_id: str, after_id: str | None, counts: dict[str, int], run_id: str, seed: int
) -> Evolution:
    """Decide whether the trained policy is kept, by both policies' rates at the round's arena tasks, and store the round.

    `counts` are the guidelines, environments grown and tasks of the round; `after_id` None: nothing was trained.
    """
    with Warehouse(Settings().home).together() as live:
        before = _overall(live, before_id, number)
        evolution = Evolution(
            round=number, before_id=before_id, after_id=None, before=before, after=None, outcome="not_trained", **counts
        )
        if after_id is not None:
            evolution = decide(evolution, after_id, _overall(live, after_id, number))
        save_evolution(live, evolution, stamp_of(run_id, seed))
    get_run_logger().info("stage=evolve round=%d outcome=%s %s", number, evolution.outcome, evolution.reason)
    return evolution


def _overall(live: Warehouse, policy_id: str, number: int) -> Rates:
    found = read_rates(live, policy_id, number, "all", "arena", [])
    if not found:
        raise UsageError(f"no attempt in round {number} is stored. Run: factory evaluate --round {number}")
    return found[0]
