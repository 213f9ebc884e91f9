"""`factory bench rewards`: whether every exporter rewards an attempt as the warehouse's verdict does.

Attempts at a snapshot's tasks are made and judged as the arena does it, right and wrong ones; then each exporter's own way
makes the same calls in a world of its own, gives the same answer, and says what that is worth. No trainer's library is needed.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import Any

import httpx

from schemas.rollouts import Rollout
from schemas.tasks import AgentTask, GoldRun
from tasks.arena.attempts import attempt
from tasks.arena.policies.catalogue import scripted
from tasks.arena.policy import Briefing, Call, Policy, Say
from tasks.serving.openenv import SUBMIT
from tasks.training.adapters.attempt import replayed_reward
from tasks.training.adapters.openenv import server_of
from tasks.training.adapters.trl import environment_classes, verdicts
from tasks.training.adapters.verl_reward import reward_of
from tasks.training.reader import REWARDS, Snapshot
from tasks.world.session import World

Work = Sequence[tuple[AgentTask, GoldRun]]
Exporter = Callable[[Rollout], float | None]
EXPORTERS = ("trl", "verl", "verl_reward", "openenv")
"""Ways to a reward: TRL's environment classes, an attempt as verl's agent loop and verifiers have it, verl's reward function, OpenEnv's."""
IMPAIRED = (
    "noisy:0.15", "impaired:wrong_tool=0.3", "impaired:dropped_filter=0.5", "impaired:stopped_early=0.5",
    "impaired:wrong_format=0.5", "random",
)  # fmt: skip
"""Policies whose attempts are tried beside gold runs and gold runs that were changed."""


def measure_rewards(
    snapshot: Snapshot, world: World, work: Work, count: int, seed: int, begin: Callable[[str], None]
) -> dict[str, dict[str, int]]:
    """Return exporter → {rollouts, disagreements}, over `count` rollouts of the snapshot's tasks, fewer if there are no more."""
    found: dict[str, dict[str, int]] = {name: {"rollouts": 0, "disagreements": 0} for name in EXPORTERS}
    with exporters(snapshot, world) as known:
        for rollout in islice(_rollouts(snapshot, world, work, seed), count):
            begin("rollouts")
            for name in EXPORTERS:
                begin(name)
                found[name]["rollouts"] += 1
                found[name]["disagreements"] += known[name](rollout) != REWARDS.get(rollout.verdict.outcome)
    return found


@contextmanager
def exporters(snapshot: Snapshot, world: World) -> Iterator[Mapping[str, Exporter]]:
    """Give each exporter: given a rollout, it makes its calls anew and returns the reward of its answer."""
    with ExitStack() as stack:
        server = stack.enter_context(server_of(snapshot, world, "train"))
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        stack.callback(server.shutdown)
        client = stack.enter_context(httpx.Client(base_url=server.url, timeout=60))
        classes = environment_classes(snapshot)
        yield {
            "trl": lambda rollout: _by_trl(classes[rollout.environment_id](), rollout),
            "verl": lambda rollout: replayed_reward(snapshot, rollout.task_id, _calls(rollout), _answer(rollout)),
            "verl_reward": lambda rollout: reward_of(snapshot, rollout.task_id, _as_text(rollout)),
            "openenv": lambda rollout: _by_openenv(client, rollout),
        }


def _by_trl(environment: Any, rollout: Rollout) -> float | None:
    environment.reset(task_id=rollout.task_id, prompt=[])
    try:
        for tool, arguments in _calls(rollout):
            if hasattr(environment, tool):  # TRL tells a policy itself that there is no such tool
                getattr(environment, tool)(**arguments)
        return verdicts([[{"role": "assistant", "content": _answer(rollout)}]], [environment])[0]
    finally:
        environment._close()


def _by_openenv(client: httpx.Client, rollout: Rollout) -> float | None:
    def step(path: str, **body: Any) -> dict[str, Any]:
        told: dict[str, Any] = client.post(path, json=body).raise_for_status().json()
        return told

    episode = step("/reset", task_id=rollout.task_id)["metadata"]["episode_id"]
    for tool, arguments in _calls(rollout):
        step("/step", episode_id=episode, action={"tool_name": tool, "arguments": arguments})
    action = {"tool_name": SUBMIT, "arguments": rollout.answer or {}}
    reward: float | None = step("/step", episode_id=episode, action=action)["reward"]
    return reward


def _calls(rollout: Rollout) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((step.tool, step.arguments) for step in rollout.steps if step.kind == "call" and step.tool)


def _answer(rollout: Rollout) -> str:
    return "" if rollout.answer is None else json.dumps(rollout.answer, ensure_ascii=False)


def _as_text(rollout: Rollout) -> str:
    """Return a rollout as a policy would have written it."""
    calls = [json.dumps({"name": tool, "arguments": arguments}) for tool, arguments in _calls(rollout)]
    return "".join(f"<tool_call>\n{call}\n</tool_call>" for call in calls) + _answer(rollout)


def _rollouts(snapshot: Snapshot, world: World, work: Work, seed: int) -> Iterator[Rollout]:
    """Yield rollouts, one of every task, then another one of every task, and so on; each task begins with another policy."""
    lines = [_attempts(snapshot, world, *proven, seed, first) for first, proven in enumerate(work)]
    return (rollout for rollout in chain.from_iterable(zip_longest(*lines)) if rollout is not None)


def _attempts(
    snapshot: Snapshot, world: World, task: AgentTask, gold: GoldRun, seed: int, first: int
) -> Iterator[Rollout]:
    policies: list[Policy] = [*_changed(gold), *(scripted(spec, seed).enter(task, gold, 0) for spec in IMPAIRED)]
    for place in range(len(policies)):
        policy = policies[(first + place) % len(policies)]
        yield attempt(policy, task, world, snapshot.bundle(task.environment_id))


@dataclass(frozen=True)
class _Fixed:
    """Makes given calls and gives a given answer."""

    name: str
    calls: Sequence[tuple[str, dict[str, Any]]]
    answer: Any

    def act(self, briefing: Briefing, call: Call, say: Say) -> Any:
        for tool, arguments in self.calls:
            call(tool, arguments)
        return self.answer


def _changed(gold: GoldRun) -> Iterable[Policy]:
    """Yield a gold run as it is, without and with a write too many, with nothing done, and with other answers."""
    calls = [(step.tool, step.arguments) for step in gold.steps]
    writes = [place for place, step in enumerate(gold.steps) if not step.read_only]
    yield _Fixed("gold", calls, gold.answer)
    yield _Fixed("nothing done", [], gold.answer)
    for place in writes[-1:]:
        yield _Fixed("write left out", [*calls[:place], *calls[place + 1 :]], gold.answer)
        yield _Fixed("write doubled", [*calls[:place], calls[place], *calls[place:]], gold.answer)
    yield _Fixed("no answer", calls, None)
    for name in gold.answer:
        yield _Fixed(f"other {name}", calls, {**gold.answer, name: [gold.answer[name]]})
