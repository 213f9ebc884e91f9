"""Findings: a noisy policy has no weakness, a planted one is found; both held as rates over many drawn evaluations."""

from __future__ import annotations

import pytest

from schemas.diagnoses import Cause, Findings
from tasks.arena.diagnosis.findings import find
from tests.tasks.arena.diagnosis.simulation import NOTHING, Ecosystem, Odds

RUNS = 40
PLANTED: tuple[Cause, ...] = (
    "missing_lookup",
    "wrong_tool",
    "wrong_argument",
    "state_lost",
    "error_ignored",
    "stopped_early",
    "wrong_format",
)


def evaluated(seed: int, floor: float = 0.12, control: int = 8, planted: Odds = NOTHING) -> tuple[Ecosystem, Findings]:
    ecosystem = Ecosystem(seed)
    attempts = ecosystem.attempts(floor, planted=planted)
    return ecosystem, find("policy", "control", attempts, ecosystem.attempts(0.12, control))


@pytest.mark.parametrize("floor", [0.06, 0.12, 0.4])
@pytest.mark.parametrize("control", [1, 8])
def test_a_noisy_policy_has_no_weakness(floor: float, control: int) -> None:
    found = [evaluated(seed, floor, control)[1] for seed in range(RUNS)]
    kinds = {
        "causes": sum(any(each.named for each in one.causes) for one in found),
        "environments": sum(any(each.finding.named for each in one.environments) for one in found),
        "tools": sum(any(each.named for each in one.tools) for one in found),
    }
    assert all(count <= 0.05 * RUNS for count in kinds.values()), kinds


@pytest.mark.parametrize("cause", PLANTED)
def test_a_planted_weakness_is_named_and_found_where_it_is(cause: Cause) -> None:
    first = named = there = 0
    for seed in range(RUNS):
        ecosystem, found = evaluated(seed, planted={cause: 0.4})
        first += found.causes[0].what == cause
        named += cause in found.named_causes
        there += found.environments[0].environment_id in ecosystem.affected
    assert min(first, named, there) >= 0.9 * RUNS, (first, named, there)


def test_two_weaknesses_are_found_together() -> None:
    first = both = there = 0
    planted: Odds = {"wrong_tool": 0.35, "state_lost": 0.35}
    for seed in range(RUNS):
        ecosystem, found = evaluated(seed, planted=planted)
        first += found.causes[0].what in planted
        both += planted.keys() <= set(found.named_causes)
        there += found.environments[0].environment_id in ecosystem.affected
    assert min(first, there) >= 0.9 * RUNS and both >= 0.7 * RUNS, (first, both, there)


def test_counts_add_up_and_ranks_follow_the_evidence() -> None:
    found = evaluated(3, planted={"wrong_format": 0.5})[1]
    assert found.attempts == 240
    assert (
        found.failures
        == sum(each.failures for each in found.causes)
        == sum(each.failures for each in found.environments)
    )
    assert [each.rank for each in found.environments] == list(range(1, len(found.environments) + 1))
    for kind in (found.causes, [each.finding for each in found.environments], found.tools):
        kind = [each for each in kind if not each.named]
        assert [each.p_value for each in kind] == sorted(each.p_value for each in kind)
    weakest = found.environments[0]
    assert weakest.theme_name == weakest.environment_id.replace("environment", "theme") and weakest.attempts == 4
    assert sum(weakest.causes.values()) == weakest.failures >= weakest.finding.failures > weakest.finding.expected


def test_nothing_is_found_without_failures_or_without_a_control() -> None:
    ecosystem = Ecosystem(1)
    passed = ecosystem.attempts(0.0)
    assert find("policy", "control", passed, passed) == Findings(
        policy_id="policy",
        control_id="control",
        attempts=240,
        failures=0,
        causes=(),
        environments=(),
        tools=(),
    )
    found = find("policy", "control", ecosystem.attempts(0.9, planted={"wrong_format": 1.0}), [])
    assert found.failures and not found.named_causes and found.causes[0].p_value == 1.0


def test_findings_do_not_depend_on_the_order_of_attempts() -> None:
    ecosystem = Ecosystem(5)
    attempts, control = ecosystem.attempts(0.2, planted={"wrong_tool": 0.4}), ecosystem.attempts(0.12, 4)
    assert find("a", "b", attempts, control) == find("a", "b", attempts[::-1], control[::-1])
