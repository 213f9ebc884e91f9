"""How policies stand in the arena: rates of one, or of two side by side, as they are published."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from schemas.arena import Pool, Rate, Rates
from schemas.errors import UsageError
from schemas.settings import Settings
from tasks.arena.comparison import difference
from tasks.contenders import contender_of
from warehouse.arena import Grouping
from warehouse.published import Published
from warehouse.rows import read_cause_rates, read_rates

POOLS: tuple[Pool, Pool] = ("arena", "holdout")
SIDES: tuple[Grouping, ...] = ("all", "level1", "level", "kind", "tool")
"""By what two policies are compared, beside causes."""
MOST_K = 8
"""Largest k of pass^k and pass@k."""


@dataclass(frozen=True)
class Standing:
    """A policy in a round."""

    policy_id: str
    policy: str
    round: int


def find_standing(published: Published, settings: Settings, what: str, number: int | None, seed: int) -> Standing:
    """Return the policy that a spec, a name or an id means, in round `number` or the latest in which it was evaluated.

    Raises UsageError that lists who was evaluated.
    """
    rows = [row for row in published.rows("evaluations") if row["pool"] in POOLS]
    meant = (what, _id_of(what, settings, seed))
    named = [row for row in rows if row["policy_id"] in meant] or [row for row in rows if row["policy"] == what]
    chosen = [row for row in named if number in (None, row["round"])]
    if not chosen:
        where = "" if number is None else f" in round {number}"
        known = sorted({f"{row['policy']} in round {row['round']}" for row in rows}) or ["nobody"]
        raise UsageError(
            f"{what} was not evaluated{where}; {', '.join(known)} was. Run: factory evaluate --policy {what}"
        )
    latest = max(chosen, key=lambda row: row["round"])
    return Standing(latest["policy_id"], latest["policy"], latest["round"])


def _id_of(what: str, settings: Settings, seed: int) -> str | None:
    try:
        return contender_of(what, settings, seed).record.id
    except UsageError:
        return None


def ks_up_to(attempts: int) -> list[int]:
    """Return the k for which rates are told: 1, 2, 4 and 8, as far as there are as many attempts."""
    return [k for k in (1, 2, 4, MOST_K) if k <= attempts]


def figures_of(published: Published, standing: Standing, pool: Pool, ks: list[int]) -> dict[str, Any]:
    """Return what a policy does in a pool, for programs: rates, their intervals, errors, and the same by class.

    {tasks, attempts, errors, pass_at_1, pass_at_k (k → any of k passes), pass_k (k → all of k pass), intervals (the same
    keys → [low, high]), classes}
    """

    def read(by: Grouping) -> list[Rates]:
        return read_rates(published, standing.policy_id, standing.round, by, pool, ks)

    overall = [figures(one) for one in read("all")] or [figures(_NOTHING)]
    return {**overall[0], "classes": [{"class": one.group, **figures(one)} for one in read("level1")]}


def pools_of(published: Published, standing: Standing, attempts: int) -> dict[Pool, dict[str, Any]]:
    """Return what a policy that made so many attempts at each task does in the arena and in the holdout: see `figures_of`."""
    return {pool: figures_of(published, standing, pool, ks_up_to(attempts)) for pool in POOLS}


def figures(rates: Rates) -> dict[str, Any]:
    """Return rates and intervals as plain values."""
    by_k = {"pass_at_k": rates.pass_at_k, "pass_k": rates.pass_hat_k}
    return {
        "tasks": rates.pass_at_1.tasks,
        "attempts": rates.attempts,
        "errors": rates.errors,
        "pass_at_1": rates.pass_at_1.rate,
        **{name: {k: rate.rate for k, rate in found.items()} for name, found in by_k.items()},
        "intervals": {
            "pass_at_1": _interval(rates.pass_at_1),
            **{name: {k: _interval(rate) for k, rate in found.items()} for name, found in by_k.items()},
        },
    }


def compare(published: Published, one: Standing, other: Standing) -> list[dict[str, Any]]:
    """Return rows that hold two policies, or one in two rounds, side by side in the arena: pass@1, and the share of causes
    where both were diagnosed.

    {by, group, one, other: {rate, low, high, tasks}, difference: {difference, low, high, stands} or None}
    """
    rows: list[dict[str, Any]] = []
    for by in SIDES:
        sides = [
            {rates.group: rates.pass_at_1 for rates in read_rates(published, s.policy_id, s.round, by, "arena", [])}
            for s in (one, other)
        ]
        rows += _rows(by, *sides)
    if any(undiagnosed(published, standing) for standing in (one, other)):
        return rows
    return rows + _rows("cause", *(read_cause_rates(published, s.policy_id, s.round) for s in (one, other)))


def undiagnosed(published: Published, standing: Standing) -> bool:
    """Say whether a policy fails in a round and nobody asked why."""
    overall = read_rates(published, standing.policy_id, standing.round, "all", "arena", [])
    causes = read_cause_rates(published, standing.policy_id, standing.round)
    return any(each.pass_at_1.rate != 1 for each in overall) and not any(rate.rate for rate in causes.values())


def _rows(by: str, one: dict[str, Rate], other: dict[str, Rate]) -> list[dict[str, Any]]:
    """Return a row for each group that both have."""
    rows = []
    for group in sorted(one.keys() & other.keys()):
        found = difference(other[group], one[group])
        rows.append(
            {
                "by": by,
                "group": group,
                "one": one[group].model_dump(),
                "other": other[group].model_dump(),
                "difference": found and {**asdict(found), "stands": found.stands},
            }
        )
    return rows


def _interval(rate: Rate) -> list[float]:
    return [rate.low, rate.high]


_NOTHING = Rates(group="all", attempts=0, errors=0, pass_at_1=Rate(tasks=0, rate=None, low=0.0, high=1.0))
