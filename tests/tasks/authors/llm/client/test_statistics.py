"""The table of roles: one row each, zeros included; every call is counted under one outcome, every proposal once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schemas.models import ROLES, Contribution, ModelCall
from tasks.authors.llm.client.spool import Spool
from tasks.authors.llm.client.statistics import RoleStatistics, role_statistics


def call(number: int, **more: Any) -> ModelCall:
    values = {
        "role": "coder",
        "subject": "theme_1",
        "model": "m",
        "mode": "text",
        "run_id": "run_1",
        "outcome": "parsed",
    }
    figures = {"attempts": 1, "cached": False, "tokens_in": 6, "tokens_out": 4, "cost": 0.5, "latency_s": 1.0}
    numbered = {"id": f"call_{number}", "prompt_sha": f"sha_{number}", "finished_at": 100.0 + number}
    return ModelCall(**{**values, **figures, **numbered, "request": {}, "response": "{}", **more})


def fill(spool: Spool) -> None:
    failed = {"response": None, "outcome": "error", "reason": "timeout", "tokens_in": 0, "tokens_out": 0, "cost": None}
    answered = {
        "cached": True,
        "attempts": 0,
        "cost": 0.0,
        "tokens_in": 600,
    }  # of the cached: not counted whatever they say
    for item in (
        call(1),
        call(2, outcome="refused", reason="broken_json"),
        call(3, **failed),
        call(4, **answered),
        call(5, role="writer", cost=None),
        call(6, role="solver", cost=0.0),
    ):
        spool.record(item)
    for name, outcome, gate in (
        ("a", "kept", ""),
        ("b", "refused", "sandbox"),
        ("c", "refused", "tests"),
        ("d", "refused", "tests"),
    ):
        spool.report(
            "run_1", Contribution(role="coder", subject="theme_1", kind="tool", name=name, outcome=outcome, gate=gate)
        )


def test_a_home_without_a_spool_has_zeros_and_stays_without(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool" / "models.sqlite")
    assert role_statistics(spool) == [RoleStatistics(role) for role in ROLES]
    assert not spool.path.parent.exists()


def test_every_role_has_its_row(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "models.sqlite")
    fill(spool)
    rows = {row.role: row for row in role_statistics(spool)}
    assert tuple(rows) == ROLES
    assert rows["coder"] == RoleStatistics(
        "coder", 4, 12, 8, 1.0, cached=1, parsed=2, refused=1, errors=1, kept=1, refused_by={"tests": 2, "sandbox": 1}
    )
    assert rows["writer"].cost is None, "a call without a price"
    assert rows["solver"].cost == 0.0
    assert rows["judge"] == RoleStatistics("judge")
    assert all(row.calls == row.parsed + row.refused + row.errors for row in rows.values())


def test_what_was_drained_counts_once(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "models.sqlite")
    fill(spool)
    before = role_statistics(spool)
    spool.mark_drained(spool.undrained(2))
    assert role_statistics(spool) == before
    spool.report("run_2", Contribution(role="coder", subject="theme_1", kind="tool", name="a", outcome="kept"))
    assert role_statistics(spool) == before, "reported again by a run that did the same again"
