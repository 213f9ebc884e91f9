"""A policy behind a real HTTP server: the same run in each mode, and a rerun that asks nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.models import Mode
from schemas.settings import LlmSettings
from schemas.tasks import AgentTask, GoldRun
from tasks.arena.consistency import confirm
from tasks.authors.llm.client.client import ModelClient
from tasks.authors.llm.client.spool import Spool
from tasks.authors.llm.solver.agent import EndpointPolicy
from tests.tasks.authors.llm.stand_in import Body, Said, Script, StandIn, act
from tests.tasks.proving_ground import ProvingGround


def replaying(gold: GoldRun) -> Script:
    """Make the gold run's calls, one a turn, and finish with its answer."""

    def script(body: Body) -> Said:
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        if turn < len(gold.steps):
            return act(body, gold.steps[turn].tool, gold.steps[turn].arguments, "The next call.")
        return act(body, "finish", gold.answer)

    return script


@pytest.mark.parametrize("mode", ["native", "json_schema", "text"])
def test_a_gold_run_passes_twice_and_a_rerun_is_answered_from_the_cache(
    mode: Mode, records: ProvingGround, proven: tuple[AgentTask, GoldRun], tmp_path: Path
) -> None:
    task, gold = proven
    with StandIn(replaying(gold), mode) as server:
        llm = LlmSettings(base_url=server.url, model="stand-in", mode=mode)
        runs = []
        for run_id in ("first", "rerun"):
            model = ModelClient(llm, Spool(tmp_path / "models.sqlite"), run_id).role("solver", "music")
            runs.append(confirm(EndpointPolicy(model, turns=10), task, records.world, records.bundle, runs=2))
            assert len(server.requests) == 2 * (len(gold.steps) + 1)
    found, rollouts = runs[0]
    assert (found.passed, found.agreeing, found.confirmed) == (2, 2, True)
    assert [[step.observation for step in rollout.steps if step.kind == "call"] for rollout in rollouts] == [
        [step.observation for step in gold.steps]
    ] * 2
    assert [each.answer for each in runs[1][1]] == [gold.answer] * 2 and runs[1][0] == found
