"""Pages of the arena: rates with intervals, causes with what to build, rounds before and after."""

from __future__ import annotations

from typing import Any

from schemas.arena import Evolution, Rate, Rates
from schemas.diagnoses import Finding, Findings, TaskGuideline, WeakEnvironment
from schemas.rounds import Guideline
from tasks.pages.arena import diagnosis_page, evaluation_page, evolution_page


def figures(rate: float | None, tasks: int = 4) -> dict[str, Any]:
    return {
        "tasks": tasks,
        "attempts": 2 * tasks,
        "errors": 1 if tasks else 0,
        "pass_at_1": rate,
        "intervals": {"pass_at_1": [0.25, 0.75]},
    }


def test_an_evaluation_by_pool_and_class() -> None:
    arena = {**figures(0.5), "classes": [{"class": "Media | Entertainment", **figures(0.5)}]}
    page = evaluation_page("noisy:0.15", 3, {"arena": arena, "holdout": {**figures(None, 0), "classes": []}}, "round 3")
    assert page.startswith("# noisy:0.15 in round 3\n")
    assert r"| arena | Media \| Entertainment | 4 | 8 | 1 | 0.500 (0.250–0.750) |" in page
    assert "| arena | all | 4 | 8 | 1 |" in page and "holdout" not in page
    nothing = evaluation_page("random", 1, {"arena": {**figures(None, 0), "classes": []}}, "")
    assert "Nothing was attempted." in nothing and "|" not in nothing


def findings(named: bool) -> Findings:
    cause = Finding(what="wrong_tool", failures=6, expected=1.5, p_value=0.0004, named=named)
    place = Finding(what="env_1", failures=6, expected=3, p_value=0.02, named=False)
    weak = WeakEnvironment(
        rank=1,
        environment_id="env_1",
        theme_name="music_store",
        attempts=8,
        failures=6,
        causes={"wrong_tool": 6},
        finding=place,
    )
    return Findings(
        policy_id="p", control_id="c", attempts=16, failures=6, causes=(cause,), environments=(weak,), tools=()
    )


def test_a_diagnosis_says_why_where_and_what_to_build() -> None:
    guideline = TaskGuideline(
        environment_id="env_1",
        cause="wrong_tool",
        lacking="It takes tools that look alike for each other.",
        tools=("find_tracks",),
        level=3,
        least=4,
        growth=Guideline(additions=("operations",)),
        rollout_ids=("rollout_1", "rollout_2"),
    )
    page = diagnosis_page("endpoint", 2, findings(True), [guideline])
    assert page.startswith("# Why endpoint fails in round 2\n")
    assert "| `wrong_tool` | 6 | 1.5 | 0.0004 | yes |" in page
    assert "| `music_store` | 6 | 3.0 | 0.02 |  |" in page.replace("|   |", "|  |")
    assert "Tasks with at least 4 such places at `find_tracks` of level 3 or above; the database grows first" in page
    assert "`rollout_1`, `rollout_2`" in page and "factory show ROLLOUT" in page


def test_a_diagnosis_that_names_nothing() -> None:
    page = diagnosis_page("endpoint", 2, findings(False), [])
    assert "none stands out" in page and "What to build" not in page
    sound = Findings(policy_id="p", control_id="c", attempts=4, failures=0, causes=(), environments=(), tools=())
    assert "## " not in diagnosis_page("perfect", 1, sound, [])


def rates(rate: float) -> Rates:
    return Rates(group="all", attempts=4, errors=0, pass_at_1=Rate(tasks=4, rate=rate, low=0.1, high=0.9))


def compared(by: str, group: str, one: float, other: float) -> dict[str, Any]:
    difference = {"difference": other - one, "low": 0.1, "high": 0.6, "stands": True}
    side = {"tasks": 4, "low": 0.1, "high": 0.9}
    return {
        "by": by,
        "group": group,
        "one": {**side, "rate": one},
        "other": {**side, "rate": other},
        "difference": difference,
    }


def test_rounds_before_and_after_by_class_and_cause() -> None:
    counts = {"guidelines": 2, "grown": 1, "tasks": 16}
    kept = Evolution(
        round=1,
        before_id="p",
        after_id="q",
        before=rates(0.4),
        after=rates(0.75),
        outcome="kept",
        reason="it did better",
        **counts,
    )
    untrained = Evolution(
        round=2, before_id="q", after_id=None, before=rates(0.75), after=None, outcome="not_trained", **counts
    )
    rows = [compared("level1", "Media", 0.4, 0.75), compared("cause", "wrong_tool", 0.6, 0.25)]
    rows += [compared("tool", "find_tracks", 0.1, 0.2), compared("cause", "wrong_format", 0.0, 0.0)]
    page = evolution_page([(kept, rows), (untrained, [])])
    assert "| 1 | 0.400 (0.100–0.900) | 0.750 (0.100–0.900) | 2 | 1 | 16 | kept |" in page
    assert "| 2 | 0.750 (0.100–0.900) |" in page and "not trained" in page
    assert "### Round 1, by class" in page and "+0.350 (+0.100 to +0.600) | yes |" in page
    assert "### Round 1, by cause" in page and "find_tracks" not in page and "wrong_format" not in page.lower()
    assert "Round 2, by" not in page and "it did better" in page
    assert "No round ended." in evolution_page([])
