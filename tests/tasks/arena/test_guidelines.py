"""Guidelines: what they ask for follows from how often a policy failed and how many places its tasks offered."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from schemas.diagnoses import Cause, Failure, Finding, Findings, WeakEnvironment
from schemas.programs import Expression, Program
from schemas.tasks import AgentTask, GoldRun
from schemas.tools import Tool
from tasks.arena.guidelines import MOST_PLACES, SELDOM, WANTED, Shown, guide, least_places, odds_of
from tests.tasks.authors.rules.drafts.handwritten import at, call
from tests.tasks.verification.runs import make_proof, make_tool

SCHEMA = {"type": "integer", "x-domain": "albums.album_id"}
TOOLS: dict[str, Tool] = {
    "get_album": make_tool(
        "get_album", takes={"album_id": SCHEMA}, required=["album_id"], gives={"year": {"type": "integer"}}
    ),
    "delete_album": make_tool("delete_album", "delete", takes={"album_id": SCHEMA}, required=["album_id"]),
}


def proven(number: int, lookups: int) -> tuple[AgentTask, GoldRun]:
    """A task with so many lookups, all of them needed in the end."""
    calls = [call(f"album_{n}", "get_album", album_id=n) for n in range(lookups)]
    answer: dict[str, Expression] = {f"year_{n}": at(f"album_{n}.year") for n in range(lookups)}
    return make_proof(
        f"task_{number:02}",
        "When were they made?",
        [("get_album", {"album_id": n}, {"year": 1990 + n}) for n in range(lookups)],
        {f"year_{n}": 1990 + n for n in range(lookups)},
        program=Program(body=tuple(calls), answer=answer),
    )


TASKS = {task.id: (task, gold) for task, gold in (proven(number, 2 + number % 3) for number in range(12))}


def failed(number: int, cause: Cause = "missing_lookup", tool: str | None = "get_album") -> Failure:
    name = f"task_{number:02}"
    return Failure(
        rollout_id=f"rollout_{number:02}",
        task_id=name,
        environment_id="env",
        cause=cause,
        step=0,
        gold_step=0,
        tool=tool,
        evidence="",
    )


def findings(failures: Sequence[Failure], *, named: bool = True, expected: float = 1.0) -> Findings:
    count = len(failures)
    causes = sorted({failure.cause for failure in failures})
    finding = Finding(what="env", failures=count, expected=expected, p_value=0.001, named=False)
    weak = WeakEnvironment(
        rank=1,
        environment_id="env",
        theme_name="records",
        attempts=len(TASKS),
        failures=count,
        causes={cause: sum(failure.cause == cause for failure in failures) for cause in causes},
        finding=finding,
    )
    return Findings(
        policy_id="policy",
        control_id="control",
        attempts=len(TASKS),
        failures=count,
        causes=tuple(Finding(what=c, failures=count, expected=1, p_value=0.001, named=named) for c in causes),
        environments=(weak,),
        tools=(),
    )


@pytest.mark.parametrize("odds", [0.05, 0.2, 0.6])
def test_the_odds_are_those_by_which_the_failures_came(odds: float) -> None:
    rng, places = random.Random(7), [random.Random(n).randint(0, 12) for n in range(4000)]
    failures = sum(any(rng.random() < odds for _ in range(each)) for each in places)
    assert odds_of([Shown(tuple(places), 1.0, failures)]) == pytest.approx(odds, rel=0.1)


def test_places_that_are_asked_for_leave_a_quarter_of_what_gets_through() -> None:
    places = [2, 3, 4, 6]
    for odds in (0.05, 0.1, 0.3, 0.9):
        least = least_places(odds, places)
        through = sum((1 - odds) ** each for each in places) / len(places)
        wanted = max(through * WANTED, SELDOM)
        assert (1 - odds) ** least <= wanted < (1 - odds) ** (least - 1)
    assert least_places(1.0, [0, 0, 1]) == 1 and least_places(0.001, places) == MOST_PLACES


def test_a_named_cause_gives_a_guideline_with_its_evidence() -> None:
    failures = [failed(number) for number in range(1, 12, 2)]
    guideline, *others = guide(findings(failures), failures, TASKS, {"env": TOOLS})
    assert not others and (guideline.environment_id, guideline.cause) == ("env", "missing_lookup")
    assert guideline.tools == ("get_album",) and guideline.rollout_ids == tuple(sorted(f.rollout_id for f in failures))
    assert guideline.least > 4 and guideline.growth is None  # more than any of its tasks offers
    assert "6 of 12 attempts in records" in guideline.lacking and guideline.lacking.endswith("at get_album.")


def test_nothing_named_asks_for_nothing() -> None:
    failures = [failed(1), failed(2)]
    assert guide(findings(failures, named=False), failures, TASKS, {"env": TOOLS}) == []


def test_an_environment_in_which_no_more_fails_than_expected_is_not_weak() -> None:
    failures = [failed(1), failed(2)]
    assert guide(findings(failures, expected=2.5), failures, TASKS, {"env": TOOLS}) == []


def test_failures_at_many_tools_or_in_the_answer_point_to_none() -> None:
    failures = [failed(number, tool=None if number == 3 else "get_album") for number in range(1, 6)]
    (guideline,) = guide(findings(failures), failures, TASKS, {"env": TOOLS})
    assert guideline.tools == ()


def test_a_world_without_places_has_to_grow() -> None:
    failures = [failed(number, "error_ignored") for number in range(1, 6)]
    (guideline,) = guide(findings(failures), failures, TASKS, {"env": TOOLS})
    assert guideline.growth is not None and guideline.growth.additions == ("operations", "policy")
    assert guideline.level is None and guideline.growth.reason == guideline.lacking


def test_more_places_than_its_tasks_offer_need_a_longer_one() -> None:
    failures = [failed(4)]
    (guideline,) = guide(findings(failures, expected=0.1), failures, TASKS, {"env": TOOLS})
    assert guideline.least == MOST_PLACES and guideline.level == 5


def test_no_more_than_ten_rollouts_are_named() -> None:
    failures = [failed(number) for number in range(12)]
    (guideline,) = guide(findings(failures), failures, TASKS, {"env": TOOLS})
    assert len(guideline.rollout_ids) == 10 and guideline.least == 1  # it fails wherever it can
