"""A published warehouse with the attempts of two policies in three environments, and the door to it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tasks.authors.llm.diagnostician.evidence import Evidence
from tasks.diagnose import PublishedRows
from warehouse.rows import Stamp
from warehouse.store import Published, Warehouse

STAMP = Stamp(run_id="run_1", code_version="1", seed=0, author="rules")
ENDS = {
    # Environment → the outcome of each attempt. `late` and `early` pass 1 and 2 of 4, `fine` all.
    "env_early": ("fail", "fail", "pass", "pass"),
    "env_fine": ("pass", "pass", "pass", "pass"),
    "env_late": ("fail", "fail", "fail", "pass"),
}
"""7 of 12 pass. Attempts are called <environment>_<number>; in every failed one of env_late a date is refused."""


def rollout(policy: str, environment: str, number: int, stop_reason: str = "answered") -> dict[str, Any]:
    prefix = "" if policy == "policy_1" else f"{policy}_"
    return STAMP.mark(
        f"{prefix}{environment}_{number}",
        policy_id=policy,
        task_id=f"task_{environment}",
        environment_id=environment,
        attempt=number,
        stop_reason=stop_reason,
        calls=number + 1,
        started_at=0.0,
        finished_at=1.0,
    )


def verdict(rollout_id: str, outcome: str, days: int = 0) -> dict[str, Any]:
    return STAMP.mark(
        f"verdict_{rollout_id}_{days}",
        task_id="task",
        rollout_id=rollout_id,
        outcome=outcome,
        results=[],
        detail="a date was refused" if outcome == "fail" else "",
        created_at=STAMP.created_at + timedelta(days=days),
    )


def step(rollout_id: str, code: str | None) -> dict[str, Any]:
    observation = {"error": {"code": code, "message": "no date"}} if code else {"booking_id": 1}
    return STAMP.mark(
        f"step_{rollout_id}",
        rollout_id=rollout_id,
        step=0,
        kind="call",
        tool="book",
        arguments={"day": "5 May"},
        observation=observation,
    )


def environment(name: str) -> dict[str, Any]:
    return STAMP.mark(
        name,
        author="rules",
        theme_id=f"theme_{name}",
        theme_name=name.removeprefix("env_"),
        version=1,
        world_sha256="0",
        world_bytes=1,
        text_id="text_none",
        contract={},
        files=[],
        clock_start="2026-01-05T09:00:00",
    )


def column(environment_id: str, table: str) -> dict[str, Any]:
    return STAMP.mark(
        f"profile_{environment_id}_{table}",
        environment_id=environment_id,
        table_name=table,
        table_kind="reference",
        table_rows=3,
        position=0,
        column_name="id",
        type="integer",
        role="key",
        nullable=False,
        distinct_values=3,
        categories=[],
        words="id",
        is_key=True,
        is_label=False,
        is_opaque=False,
    )


def stored() -> dict[str, list[dict[str, Any]]]:
    """The rows: policy_2 fails everywhere, and three attempts of policy_1 count nothing."""
    counted = [(name, number, outcome) for name, ends in ENDS.items() for number, outcome in enumerate(ends)]
    rollouts = [rollout("policy_1", name, number) for name, number, _ in counted]
    rollouts += [rollout("policy_2", name, number) for name, number, _ in counted]
    verdicts = [verdict(f"{name}_{number}", outcome) for name, number, outcome in counted]
    verdicts += [verdict(f"policy_2_{name}_{number}", "fail") for name, number, _ in counted]
    rollouts += [rollout("policy_1", "env_fine", 7), rollout("policy_1", "env_fine", 8)]
    rollouts += [rollout("policy_1", "env_fine", 9, "policy_failed")]
    verdicts += [verdict("env_early_2", "fail", days=-1), verdict("env_late_0", "error", days=-1)]
    verdicts += [verdict("env_fine_8", "error"), verdict("env_fine_9", "fail")]
    steps = [step(f"{name}_{number}", _code(name, outcome)) for name, number, outcome in counted]
    return {
        "rollouts": rollouts,
        "verdicts": verdicts,
        "rollout_steps": steps,
        "environments": [environment(name) for name in ENDS],
        "profiles": [column("env_late", "bookings"), column("env_late", "guests"), column("env_fine", "loaves")],
    }


def _code(name: str, outcome: str) -> str | None:
    return "invalid_argument" if (name, outcome) == ("env_late", "fail") else None


@pytest.fixture(scope="session")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """What policy_1's failures are diagnosed from."""
    home: Path = tmp_path_factory.mktemp("arena")
    warehouse = Warehouse(home)
    warehouse.merge(stored())
    warehouse.publish()
    return Evidence("policy_1", PublishedRows(Published(home)))
