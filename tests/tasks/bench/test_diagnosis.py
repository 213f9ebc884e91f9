"""The measurement of diagnosis, on one small world: every figure is there, and counts what it says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from schemas.diagnoses import TaskGuideline
from schemas.settings import DraftingSettings
from tasks.arena.exercise import exercised
from tasks.authors.rules.author import RulesAuthor
from tasks.bench import remedies
from tasks.bench.diagnosis import QUICK, measure_diagnosis
from tasks.bench.planted import CAUSES, PASSING, Ground, Runs, dial_of, plant_all
from tasks.verification.synthesis import synthesize
from tests.tasks.proving_ground import ProvingGround

TASKS = 3


@pytest.fixture(scope="module")
def ground(records: ProvingGround) -> Ground:
    author, drafting = RulesAuthor(), DraftingSettings()
    report = synthesize(author, records.world, records.bundle, records.setting, drafting, wanted=TASKS, seed=0)
    return Ground(records.setting, [(task, gold) for task, gold, _ in report.admitted])


@pytest.fixture(scope="module")
def figures(ground: Ground) -> dict[str, Any]:
    size = replace(QUICK, impairments=("stopped_early", "wrong_format"), runs=replace(QUICK.runs, paired=1))
    return measure_diagnosis([ground], size, 0, lambda name: None)


def test_every_figure_is_there(figures: dict[str, Any]) -> None:
    *alone, pair = figures["impairments"]
    assert [row["name"] for row in alone] == ["stopped_early", "wrong_format"]
    assert (pair["name"], pair["runs"]) == ("stopped_early+wrong_format", 1) and "targeted_pass" not in pair
    for row in (*alone, pair):
        assert all(0 <= row[count] <= row["runs"] for count in ("cause_first", "environment_first", "all_named"))
    for row in alone:
        assert row["runs"] == QUICK.runs.alone and 0 < row["dial"] <= 1
        rates = [row[rate] for rate in ("targeted_pass", "untargeted_pass", "repaired_pass")]
        assert all(rate is None or 0 <= rate <= 1 for rate in rates)
    assert 0 <= figures["false_alarm_rate"] <= 1 and (figures["environments"], figures["tasks"]) == (1, TASKS)
    assert figures["unjudged"] == 0


def test_a_dial_lets_as_many_pass_as_is_wanted(ground: Ground) -> None:
    dial = dial_of("stopped_early", [ground])
    places = [exercised("stopped_early", task, gold, ground.tools) for task, gold in ground.tasks]
    assert sum((1 - dial) ** each for each in places) / len(places) == pytest.approx(PASSING, abs=0.01)


def test_targeted_tasks_fail_whom_they_are_made_against_and_pass_whom_they_are_not(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    wish = TaskGuideline(environment_id=ground.id, cause="stopped_early", lacking="", least=8, rollout_ids=())
    monkeypatch.setattr(remedies, "diagnose", lambda *_: {ground.id: [wish]})
    found = remedies.remedy("stopped_early", 1.0, [ground], [], remedies.Dose(1, 1, 2, 1), 1)
    assert (found.tasks, found.targeted_pass, found.repaired_pass) == (1, 0.0, 1.0)
    assert found.level is None and found.untargeted_pass == 0.0


def test_each_run_plants_in_a_fifth_of_the_environments_of_its_own(ground: Ground) -> None:
    grounds = [_named(ground, f"env_{number:02}") for number in range(10)]
    plants = plant_all(grounds, {"wrong_tool": 0.5, "lost_state": 0.1}, Runs(alone=6, paired=3), seed=1)
    assert [plant.name for plant in plants].count("wrong_tool+lost_state") == 3 and len(plants) == 15
    assert all(len(plant.places) == 2 for plant in plants)
    assert len({plant.places for plant in plants}) > 5
    assert set(CAUSES) >= {"wrong_tool", "lost_state"} and CAUSES["lost_state"] == "state_lost"


def _named(ground: Ground, name: str) -> Ground:
    environment = ground.setting.environment.model_copy(update={"id": name})
    return replace(ground, setting=replace(ground.setting, environment=environment))
