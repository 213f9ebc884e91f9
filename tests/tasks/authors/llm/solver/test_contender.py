"""A served model in the arena: every attempt is a sample of its own, and made again it is answered from the cache."""

from __future__ import annotations

from pathlib import Path

from schemas.arena import PolicyRecord
from schemas.rollouts import Rollout
from schemas.settings import LlmSettings
from schemas.tasks import AgentTask, GoldRun
from tasks.arena.limits import AttemptLimits
from tasks.arena.runner import run_attempts
from tasks.authors.llm.client.client import ModelClient
from tasks.authors.llm.client.spool import Spool
from tasks.authors.llm.solver.contender import EndpointContender
from tests.tasks.authors.llm.solver.test_endpoint import replaying
from tests.tasks.authors.llm.stand_in import StandIn
from tests.tasks.proving_ground import ProvingGround


def tried(
    url: str, folder: Path, run_id: str, ground: ProvingGround, proven: tuple[AgentTask, GoldRun]
) -> list[Rollout]:
    llm = LlmSettings(base_url=url, model="checkpoint", mode="native", temperature=1.0, retries=0)
    models = ModelClient(llm, Spool(folder / "models.sqlite"), run_id)
    contender = EndpointContender(PolicyRecord(name="checkpoint", kind="endpoint"), models, llm, 10, 80_000)
    kept: list[Rollout] = []
    work = [(*proven, number) for number in range(3)]
    run_attempts(contender, work, ground.world, ground.bundle, AttemptLimits(), kept.append)
    return kept


def test_attempts_are_samples_and_a_rerun_asks_nothing(
    records: ProvingGround, proven: tuple[AgentTask, GoldRun], tmp_path: Path
) -> None:
    turns = len(proven[1].steps) + 1
    with StandIn(replaying(proven[1]), "native") as server:
        first = tried(server.url, tmp_path, "first", records, proven)
        assert len(server.requests) == 3 * turns
        assert sorted({body["seed"] for body in server.requests}) == [0, 1, 2]
        again = tried(server.url, tmp_path, "again", records, proven)
        assert len(server.requests) == 3 * turns
    for kept in (first, again):
        assert {rollout.verdict.outcome for rollout in kept} == {"pass"}
        assert {rollout.policy for rollout in kept} == {"checkpoint"}


def test_a_dead_endpoint_fails_no_task(
    records: ProvingGround, proven: tuple[AgentTask, GoldRun], tmp_path: Path
) -> None:
    kept = tried("http://127.0.0.1:9/v1", tmp_path, "run", records, proven)
    assert {rollout.stop_reason for rollout in kept} == {"policy_failed"}
    assert all("factory doctor" in (rollout.steps[-1].content or "") for rollout in kept)
