"""Many attempts at once: each kept as it ends, faults as data, an interrupt that loses nothing that was made."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from schemas.arena import PolicyRecord
from schemas.rollouts import Rollout
from schemas.tasks import AgentTask, GoldRun
from tasks.arena.limits import AttemptLimits
from tasks.arena.policies.catalogue import scripted
from tasks.arena.policy import Briefing, Call, Contender, Policy, Say
from tasks.arena.runner import run_attempts
from tasks.world.bundle import Bundle
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.test_admission import draft, longest, order

Proven = tuple[AgentTask, GoldRun]
Act = Callable[[Briefing, Call, Say], Any]


@pytest.fixture(scope="module")
def proven(records: ProvingGround) -> Proven:
    admitted = records.gate(2).prove(draft(longest(order(3))))
    assert isinstance(admitted, tuple)
    return admitted[0], admitted[1]


class Acting:
    """A contender whose attempts do as `act` of their number does."""

    def __init__(self, act: Callable[[int], Act]) -> None:
        self.record = PolicyRecord(name="acting", kind="custom")
        self._act = act

    def enter(self, task: AgentTask, gold: GoldRun, attempt: int) -> Policy:
        return _Attempt(self._act(attempt))


class _Attempt:
    name = "acting"

    def __init__(self, act: Act) -> None:
        self.act = act


def run(
    ground: ProvingGround,
    contender: Contender,
    proven: Proven,
    attempts: int,
    keep: Callable[[Rollout], None] | None = None,
    bundle: Bundle | None = None,
    limits: AttemptLimits = AttemptLimits(),
    threads: int = 2,
) -> list[Rollout]:
    kept: list[Rollout] = []
    work = [(*proven, number) for number in range(attempts)]
    run_attempts(contender, work, ground.world, bundle or ground.bundle, limits, keep or kept.append, threads)
    return sorted(kept, key=lambda rollout: rollout.attempt)


def test_attempts_are_isolated_and_each_is_kept_once(records: ProvingGround, proven: Proven) -> None:
    kept = run(records, scripted("perfect", 0), proven, attempts=7, threads=3)
    assert [rollout.attempt for rollout in kept] == list(range(7))
    assert {rollout.verdict.outcome for rollout in kept} == {"pass"}
    assert {rollout.policy for rollout in kept} == {"perfect"}
    assert all(rollout.state_diff == proven[1].state_diff for rollout in kept), "no attempt sees another one's writes"


def test_what_a_policy_raises_is_a_rollout(records: ProvingGround, proven: Proven) -> None:
    def act_of(attempt: int) -> Act:
        def act(briefing: Briefing, call: Call, say: Say) -> Any:
            if attempt == 1:
                raise KeyError("a bug of the policy")
            if attempt == 2:
                call("no_such_tool", {"not": {"JSON"}})
            return None

        return act

    kept = run(records, Acting(act_of), proven, attempts=3)
    assert [rollout.stop_reason for rollout in kept] == ["gave_up", "policy_failed", "gave_up"]
    assert kept[1].steps[-1].content == "failed: KeyError: 'a bug of the policy'"
    assert kept[2].steps[0].observation["error"]["code"] == "invalid_argument", (
        "what is no JSON is refused, as any call"
    )
    assert all(rollout.verdict.outcome == "fail" for rollout in kept)


def test_a_contender_that_cannot_enter_is_a_rollout_too(records: ProvingGround, proven: Proven) -> None:
    def refuse(attempt: int) -> Act:
        raise ConnectionError("nobody answers")

    (rollout,) = run(records, Acting(refuse), proven, attempts=1)
    assert (
        rollout.stop_reason == "policy_failed"
        and rollout.steps[-1].content == "failed: ConnectionError: nobody answers"
    )


def test_a_world_that_breaks_is_an_error_and_nobodys_failure(
    records: ProvingGround, proven: Proven, tmp_path_factory: pytest.TempPathFactory
) -> None:
    broken = tmp_path_factory.mktemp("broken")
    for file in records.bundle.path.iterdir():
        if file.is_file():
            (broken / file.name).write_bytes(file.read_bytes())
    (broken / "tools.py").write_text("raise RuntimeError('does not load')")
    kept = run(records, scripted("perfect", 0), proven, attempts=3, bundle=Bundle.load(broken))
    assert [rollout.verdict.outcome for rollout in kept] == ["error"] * 3
    assert all("ToolsNotLoaded" in rollout.verdict.detail and not rollout.steps for rollout in kept)


def test_calls_and_tokens_are_bounded(records: ProvingGround, proven: Proven) -> None:
    perfect, calls = scripted("perfect", 0), len(proven[1].steps)
    (short,) = run(records, perfect, proven, 1, limits=AttemptLimits(calls=calls - 1))
    assert (short.stop_reason, short.calls) == ("out_of_calls", calls - 1)
    (brief,) = run(records, perfect, proven, 1, limits=AttemptLimits(tokens=1))
    assert (brief.stop_reason, brief.calls) == ("out_of_tokens", 1)
    (whole,) = run(records, perfect, proven, 1)
    assert whole.stop_reason == "answered"


def test_what_keep_raises_ends_the_work(records: ProvingGround, proven: Proven) -> None:
    def keep(rollout: Rollout) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        run(records, scripted("perfect", 0), proven, attempts=50, keep=keep)


def test_an_interrupt_keeps_what_was_under_way_and_begins_nothing(records: ProvingGround, proven: Proven) -> None:
    counts: Counter[str] = Counter()
    lock = threading.Lock()

    def act_of(attempt: int) -> Act:
        def act(briefing: Briefing, call: Call, say: Say) -> Any:
            with lock:
                counts["begun"] += 1
            return {}

        return act

    def keep(rollout: Rollout) -> None:
        with lock:
            counts["kept"] += 1
        if rollout.attempt == 3:
            raise KeyboardInterrupt  # as when it comes to the thread that waits

    with pytest.raises(KeyboardInterrupt):
        run(records, Acting(act_of), proven, attempts=200, keep=keep)
    assert counts["begun"] == counts["kept"] < 20
